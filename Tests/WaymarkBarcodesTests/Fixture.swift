import Foundation
import Glibc
import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// The pictures that `Scripts/make-code-fixtures` made.
enum Fixture {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Codes")

  /// A one-bit PBM (P4) as gray.
  static func load(_ name: String) throws -> GrayImage {
    let data = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".pbm")))
    let header = String(decoding: data.prefix(32), as: UTF8.self).split(separator: "\n")
    let size = header[1].split(separator: " ").compactMap { Int($0) }
    let start = header[0].utf8.count + header[1].utf8.count + 2
    let stride = (size[0] + 7) / 8
    return GrayImage(width: size[0], height: size[1]) { pixels in
      for y in 0..<size[1] {
        for x in 0..<size[0] {
          let bit = data[start + y * stride + x / 8] >> (7 - UInt8(x % 8)) & 1
          pixels[y * size[0] + x] = bit == 1 ? 0 : 255
        }
      }
    }
  }
}

/// A symbol that `Scripts/make-code-fixtures` wrote down module by module.
struct MatrixFixture: Sendable, CustomTestStringConvertible {
  var symbology: Symbology
  var text: String
  var modules: ModuleMatrix

  var testDescription: String { "\(symbology.rawValue) \(modules.columns)×\(modules.rows) \(text.prefix(24))" }

  private static let folder = Fixture.folder.deletingLastPathComponent().appendingPathComponent("Matrices")

  static func load(_ name: String) throws -> [MatrixFixture] {
    let file = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    return try file.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 4, let symbology = Symbology(rawValue: fields[0]), let width = Int(fields[2]) else {
        throw CocoaError(.fileReadCorruptFile)
      }
      var dark: [Bool] = []
      let rows = fields[3].split(separator: " ")
      for row in rows {
        let bits = row.flatMap { digit in
          let value = digit.hexDigitValue ?? 0
          return [value & 8 != 0, value & 4 != 0, value & 2 != 0, value & 1 != 0]
        }
        let known = bits.drop { !$0 }
        dark += [Bool](repeating: false, count: width - known.count) + known
      }
      return MatrixFixture(
        symbology: symbology,
        text: fields[1].replacingOccurrences(of: "{GS}", with: "\u{1D}")
          .replacingOccurrences(of: "{RS}", with: "\u{1E}"),
        modules: ModuleMatrix(columns: width, rows: rows.count, dark: dark))
    }
  }

  /// The first row as bars: so many pixels a module, twelve light modules to either side.
  func drawBars(scale: Int) -> GrayImage {
    let width = (modules.columns + 24) * scale
    return GrayImage(width: width, height: 40) { pixels in
      for y in 0..<40 {
        for x in 0..<width {
          let module = x / scale - 12
          let isDark = y >= 4 && y < 36 && (0..<modules.columns).contains(module) && modules[module, 0]
          pixels[y * width + x] = isDark ? 20 : 235
        }
      }
    }
  }

  /// The symbol as a picture: so many pixels a module, four light modules around.
  func draw(scale: Int, isInverted: Bool = false, isMirrored: Bool = false) -> GrayImage {
    if symbology == .maxiCode { return drawRound(module: Double(2 * scale), isMirrored: isMirrored) }
    let high = symbology == .pdf417 ? 3 : symbology == .microPDF417 ? 2 : 1
    let (width, height) = ((modules.columns + 8) * scale, (modules.rows * high + 8) * scale)
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let u = (isMirrored ? width - 1 - x : x) / scale - 4
          let v = y / scale - 4
          let inside = (0..<modules.columns).contains(u) && (0..<(modules.rows * high)).contains(v)
          let dark = inside && modules[u, v / high]
          pixels[y * width + x] = dark != isInverted ? 20 : 235
        }
      }
    }
  }
}

extension MatrixFixture {
  /// A MaxiCode symbol with its hexagons as discs and its three rings (ISO/IEC 16023 clause 4.11).
  ///
  /// - Parameter beside: how far the rings lie to the left of where they belong, in modules.
  func drawRound(module: Double, beside: Double = 0, isMirrored: Bool = false) -> GrayImage {
    let rise = 0.75.squareRoot()
    let (width, height) = (Int(34 * module), Int(33 * module))
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let u = Double(isMirrored ? width - 1 - x : x) / module - 2
          let v = Double(y) / module - 2
          let radius = Point2(u - 15 + beside, v - 16.5 * rise).length
          var dark = (0.58..<1.34).contains(radius) || (2.11..<2.875).contains(radius) || (3.64..<4.40).contains(radius)
          for row in Int(v / rise) - 1...Int(v / rise) + 1 where (0..<33).contains(row) {
            let shift = row.isMultiple(of: 2) ? 0.0 : 0.5
            let column = Int((u - shift).rounded(.down))
            guard (0..<30).contains(column), modules[column, row] else { continue }
            let off = Point2(u - shift - Double(column) - 0.5, v - (Double(row) + 0.5) * rise)
            if off.length < 0.5 { dark = true }
          }
          pixels[y * width + x] = dark ? 20 : 235
        }
      }
    }
  }

  /// The symbol with some of its codewords of seventeen modules taken from other rows of their cluster (PDF417 and MicroPDF417):
  /// what stands there is a codeword, but not the right one.
  ///
  /// - Returns: `nil` where there are not so many that differ.
  func withWrongCodewords(_ count: Int, places: [Int], using random: inout RandomSource) -> MatrixFixture? {
    var other = self
    let rows = modules.rows
    var left = count
    let cells = (0..<rows).flatMap { row in places.map { (row, $0) } }.shuffled(using: &random)
    for (row, place) in cells where left > 0 {
      let source = (row + 3) % rows
      guard rows > 3, row % 3 == source % 3 else { continue }
      let from = places[(places.firstIndex(of: place) ?? 0) == 0 ? places.count - 1 : 0]
      let own = (0..<17).map { modules[place + $0, row] }
      let wrong = (0..<17).map { modules[from + $0, source] }
      guard own != wrong else { continue }
      for (i, dark) in wrong.enumerated() { other.modules.dark[row * modules.columns + place + i] = dark }
      left -= 1
    }
    return left == 0 ? other : nil
  }
}

extension GrayImage {
  /// The picture with its columns and rows elsewhere: for each the place in the whole, 0 to 1, from which it comes.
  func warped(_ across: (Double) -> Double, _ down: (Double) -> Double) -> GrayImage {
    let (width, height) = (self.width, self.height)
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        let v = min(height - 1, max(0, Int(down(Double(y) / Double(height)) * Double(height))))
        for x in 0..<width {
          let u = min(width - 1, max(0, Int(across(Double(x) / Double(width)) * Double(width))))
          pixels[y * width + x] = self[u, v]
        }
      }
    }
  }

  /// The picture as a camera sees it that is tilted: its corners come to lie elsewhere.
  func seen(as corners: Quadrilateral, width: Int, height: Int) -> GrayImage {
    let (w, h) = (Double(self.width), Double(self.height))
    let frame = Quadrilateral(topLeft: [0, 0], topRight: [w, 0], bottomRight: [w, h], bottomLeft: [0, h])
    let back = Homography(from: corners, to: frame) ?? .identity
    return GrayImage(width: width, height: height) { pixels in
      withView { view in
        for y in 0..<height {
          for x in 0..<width {
            pixels[y * width + x] = UInt8(view.sample(back.apply([Double(x), Double(y)])))
          }
        }
      }
    }
  }
}

/// A turn of a picture about its centre into a frame that holds all of it.
struct ImageRotation {
  private let cosine: Double
  private let sine: Double
  /// The size of the turned picture.
  private let width: Int
  private let height: Int
  private let center: Point2
  private let sourceCenter: Point2

  init(degrees: Double, of source: GrayImage) {
    let (w, h) = (Double(source.width), Double(source.height))
    let angle = degrees * .pi / 180
    (cosine, sine) = (cos(angle), sin(angle))
    width = Int((abs(w * cosine) + abs(h * sine)).rounded(.up))
    height = Int((abs(w * sine) + abs(h * cosine)).rounded(.up))
    center = Point2(Double(width - 1), Double(height - 1)) / 2
    sourceCenter = Point2(w - 1, h - 1) / 2
  }

  /// The place in the source of a pixel of the turned picture.
  func toSource(_ p: Point2) -> Point2 {
    let d = p - center
    return sourceCenter + Point2(cosine * d.x + sine * d.y, cosine * d.y - sine * d.x)
  }

  /// The turned picture, linear between pixels, white around.
  func apply(_ source: GrayImage) -> GrayImage {
    source.withView { view in
      GrayImage(width: width, height: height) { pixels in
        for y in 0..<height {
          for x in 0..<width {
            let p = toSource([Double(x), Double(y)])
            let isInside = p.x >= 0 && p.y >= 0 && p.x < Double(view.width - 1) && p.y < Double(view.height - 1)
            pixels[y * width + x] = isInside ? UInt8(view.sample(p)) : 255
          }
        }
      }
    }
  }
}

extension GrayImage {
  /// The codes in the picture.
  func read(_ configuration: ScanConfiguration = .still) throws -> ScanReading {
    var scanner = try BarcodeScanner(configuration)
    return withView { scanner.scan($0) }
  }
}
