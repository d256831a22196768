import Testing
import WaymarkFrames
import WaymarkImage

@testable import WaymarkCamera

/// The plain formats of cameras at odd sizes, with and without padding.
struct PlainConversionTests {
  private static let sizes = [(1, 1), (2, 3), (5, 4), (17, 9), (24, 16)]

  /// The gray level of a pixel, and the colour differences of its 2 × 2 pixels.
  private static func luma(_ x: Int, _ y: Int) -> UInt8 { UInt8((7 * x + 31 * y + 20) % 200) }
  private static func blue(_ x: Int, _ y: Int) -> UInt8 { UInt8(60 + 3 * (x / 2) + y / 2) }
  private static func red(_ x: Int, _ y: Int) -> UInt8 { UInt8(160 + (x / 2) + 5 * (y / 2)) }

  private func fourCC(_ name: String) -> UInt32 {
    name.utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }

  /// Converts a picture, given as rows whose padding is added here.
  private func convert(_ name: String, _ width: Int, _ height: Int, _ padding: Int, _ planes: [[[UInt8]]]) throws
    -> [UInt8]
  {
    var picture: [UInt8] = []
    for (index, plane) in planes.enumerated() {
      // Rows of chroma have the padding of the luma rows, halved where their pixels are.
      let extra =
        index > 0 && planes.count == 3 ? padding / 2 : index > 0 && name.hasSuffix("4") ? 2 * padding : padding
      for row in plane { picture += row + [UInt8](repeating: 99, count: extra) }
    }
    let stride = planes[0][0].count + padding
    let conversion = try #require(
      PlainConversion(fourCC: fourCC(name), width: width, height: height, bytesPerLine: stride), "\(name)")
    var output = [UInt8](repeating: 0, count: conversion.layout.frameBytes ?? 0)
    picture.withUnsafeBytes { bytes in
      output.withUnsafeMutableBufferPointer { out in
        guard let base = out.baseAddress else { return }
        #expect(conversion.convert(bytes, to: base), "\(name)")
        let short = UnsafeRawBufferPointer(rebasing: bytes[..<(conversion.minimumBytes - 1)])
        #expect(!conversion.convert(short, to: base), "\(name)")
      }
    }
    return output
  }

  private func isYU12(_ output: [UInt8], _ width: Int, _ height: Int) -> Bool {
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    var expected: [UInt8] = []
    for y in 0..<height { for x in 0..<width { expected.append(Self.luma(x, y)) } }
    for y in 0..<rows { for x in 0..<columns { expected.append(Self.blue(2 * x, 2 * y)) } }
    for y in 0..<rows { for x in 0..<columns { expected.append(Self.red(2 * x, 2 * y)) } }
    return output == expected
  }

  @Test func readsLumaAndChroma() throws {
    for (width, height) in Self.sizes {
      for padding in [0, 6, 32] {
        let (even, columns, rows) = ((width + 1) & ~1, (width + 1) / 2, (height + 1) / 2)
        func plane(_ columns: Int, _ rows: Int, _ value: (Int, Int) -> [UInt8]) -> [[UInt8]] {
          (0..<rows).map { y in (0..<columns).flatMap { value($0, y) } }
        }
        let luma = plane(width, height) { [Self.luma($0, $1)] }
        // Planes of chroma for rows of whole pairs only where the luma rows have them, too.
        if width % 2 == 0 {
          let blue = plane(columns, rows) { [Self.blue(2 * $0, 2 * $1)] }
          let red = plane(columns, rows) { [Self.red(2 * $0, 2 * $1)] }
          #expect(
            isYU12(try convert("YV12", width, height, padding, [luma, red, blue]), width, height), "YV12 \(width)")
          let tall = [
            plane(columns, height) { [Self.blue(2 * $0, $1)] }, plane(columns, height) { [Self.red(2 * $0, $1)] },
          ]
          #expect(isYU12(try convert("422P", width, height, padding, [luma] + tall), width, height), "422P \(width)")
          for (name, isRedFirst) in [("NV16", false), ("NV61", true)] {
            let chroma = plane(columns, height) { x, y in
              isRedFirst ? [Self.red(2 * x, y), Self.blue(2 * x, y)] : [Self.blue(2 * x, y), Self.red(2 * x, y)]
            }
            #expect(
              isYU12(try convert(name, width, height, padding, [luma, chroma]), width, height), "\(name) \(width)")
          }
        }
        let full = plane(width, height) { [Self.blue($0, $1), Self.red($0, $1)] }
        #expect(isYU12(try convert("NV24", width, height, padding, [luma, full]), width, height), "NV24 \(width)")
        let first = plane(even / 2, height) { x, y in
          [Self.luma(2 * x, y), Self.red(2 * x, y), Self.luma(2 * x + 1, y), Self.blue(2 * x, y)]
        }
        #expect(isYU12(try convert("YVYU", width, height, padding, [first]), width, height), "YVYU \(width)")
        let second = plane(even / 2, height) { x, y in
          [Self.red(2 * x, y), Self.luma(2 * x, y), Self.blue(2 * x, y), Self.luma(2 * x + 1, y)]
        }
        #expect(isYU12(try convert("VYUY", width, height, padding, [second]), width, height), "VYUY \(width)")
        for (name, shift) in [("Y10 ", 2), ("Y12 ", 4), ("Y16 ", 8)] {
          let deep = plane(width, height) { x, y in
            let value = Int(Self.luma(x, y)) << shift | 1
            return [UInt8(value & 255), UInt8(value >> 8)]
          }
          let output = try convert(name, width, height, padding, [deep])
          #expect(output == luma.flatMap { $0 }, "\(name) \(width)")
        }
      }
    }
  }

  @Test func readsColours() throws {
    for (width, height) in Self.sizes {
      for (name, bytes) in [
        ("RGB3", { [$0, $1, $2] }), ("BGR3", { [$2, $1, $0] }), ("RGB4", { [0, $0, $1, $2] }),
        ("BGR4", { [$2, $1, $0, 0] }), ("XR24", { [$2, $1, $0, 0] }), ("BX24", { [0, $0, $1, $2] }),
        (
          "RGBP",
          { red, green, blue in
            let value = (Int(red) >> 3) << 11 | (Int(green) >> 2) << 5 | Int(blue) >> 3
            return [UInt8(value & 255), UInt8(value >> 8)]
          }
        ),
      ] as [(String, (UInt8, UInt8, UInt8) -> [UInt8])] {
        // Levels that five bits hold without loss.
        let (red, blue) = (UInt8(0b1010_0101), UInt8(0b0100_0010))
        func green(_ x: Int, _ y: Int) -> UInt8 { (x + y) % 2 == 0 ? 0b1111_1111 : 0 }
        let rows = (0..<height).map { y in (0..<width).flatMap { bytes(red, green($0, y), blue) } }
        for padding in [0, 5] {
          let output = try convert(name, width, height, padding, [rows])
          #expect(
            (0..<height).allSatisfy { y in
              (0..<width).allSatisfy {
                output[y * width + $0] == PlainConversion.limited(Luma.of(red, green($0, y), blue))
              }
            }, "\(name) \(width)")
        }
      }
    }
    // Red, blue, white and black at full strength (ITU-R BT.601-7, 8 bits).
    for (colour, expected) in [
      ([255, 0, 0], [81, 90, 240]), ([0, 0, 255], [41, 240, 110]), ([255, 255, 255], [235, 128, 128]),
      ([0, 0, 0], [16, 128, 128]),
    ] as [([UInt8], [UInt8])] {
      let row = colour + colour
      #expect(try convert("RGB3", 2, 2, 0, [[row, row]]).suffix(3) == expected[...], "\(colour)")
    }
  }

  @Test func readsBayer() throws {
    let (red, green, blue) = (UInt8(200), UInt8(120), UInt8(40))
    for (name, column, row, shift) in [
      ("RGGB", 0, 0, nil), ("GRBG", 1, 0, nil), ("GBRG", 0, 1, nil), ("BA81", 1, 1, nil), ("RG10", 0, 0, 2),
      ("BYR2", 1, 1, 8),
    ] as [(String, Int, Int, Int?)] {
      for padding in [0, 6] {
        let (width, height) = (10, 7)
        let rows = (0..<height).map { y in
          (0..<width).flatMap { x -> [UInt8] in
            let value = x % 2 == column && y % 2 == row ? red : x % 2 != column && y % 2 != row ? blue : green
            guard let shift else { return [value] }
            return [UInt8(Int(value) << shift & 255), UInt8((Int(value) << shift) >> 8)]
          }
        }
        let output = try convert(name, width, height, padding, [rows])
        // A uniform colour is uniform up to the borders, and its chroma is that of the same colour as RGB.
        #expect(output.prefix(width * height).allSatisfy { $0 == PlainConversion.limited(120) }, "\(name)")
        let pixel = [[red, green, blue, red, green, blue], [red, green, blue, red, green, blue]]
        let chroma = try convert("RGB3", 2, 2, 0, [pixel]).suffix(2)
        #expect(output[70] == chroma.first && output.last == chroma.last, "\(name)")
      }
    }
  }
}
