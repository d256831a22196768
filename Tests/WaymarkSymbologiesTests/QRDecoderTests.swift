import Foundation
import Testing

@testable import WaymarkBarcodes

/// Modules to text, and how much damage they stand.
@Suite struct QRDecoderTests {
  /// The modules of a fixture: three pixels each, a margin of four.
  private func matrix(_ name: String) throws -> (ModuleMatrix, QRLayout) {
    // A one-bit PBM (P4): a line for the kind, one for the size, rows of whole bytes.
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let data = [UInt8](try Data(contentsOf: folder.appending(path: "Fixtures/Codes/\(name).pbm")))
    let header = String(decoding: data.prefix(32), as: UTF8.self).split(separator: "\n")
    let width = try #require(header[1].split(separator: " ").first.flatMap { Int($0) })
    let (start, stride) = (header[0].utf8.count + header[1].utf8.count + 2, (width + 7) / 8)
    let side = width / 3 - 8
    let layout = try #require(QRLayout(version: (side - 17) / 4))
    var dark: [Bool] = []
    for y in 0..<side {
      for x in 0..<side {
        let (u, v) = ((x + 4) * 3 + 1, (y + 4) * 3 + 1)
        dark.append(data[start + v * stride + u / 8] >> (7 - UInt8(u % 8)) & 1 == 1)
      }
    }
    return (ModuleMatrix(side: side, dark: dark), layout)
  }

  /// Inverts the first bit of some codewords of the first block.
  private func spoil(_ matrix: ModuleMatrix, _ layout: QRLayout, level: Int, codewords: Int) -> ModuleMatrix {
    var spoilt = matrix
    let places = layout.placement
    let capacity = QRCapacity(layout, level: level)
    let (blocks, checks) = (capacity.blocks, capacity.parity)
    let first = QRDecoder.indices(of: 0, of: blocks, data: capacity.codewords - blocks * checks, checks: checks)
    for index in first.prefix(codewords) {
      spoilt.dark[Int(places[index * 8])].toggle()
    }
    return spoilt
  }

  @Test(arguments: [("qr-ascii", 0), ("qr-utf8", 0), ("qr-v7", 1)])
  func correctsWhatTheStandardPromisesAndNotOneMore(name: String, level: Int) throws {
    let (clean, layout) = try matrix(name)
    let capacity = QRCapacity(layout, level: level)
    let limit = (capacity.parity - QRCapacity.detectionOnly(layout, level: level)) / 2
    var decoder = QRDecoder()
    let whole = decoder.decode(clean, layout)
    #expect(whole != nil)
    #expect(clean.formats.first?.level == level)
    let worst = decoder.decode(spoil(clean, layout, level: level, codewords: limit), layout)
    #expect(worst == whole)
    let beyond = decoder.decode(spoil(clean, layout, level: level, codewords: limit + 1), layout)
    #expect(beyond == nil)
  }

  @Test func doubtfulModulesCountHalf() throws {
    let (clean, layout) = try matrix("qr-v7")
    let capacity = QRCapacity(layout, level: 1)
    // More errors than can be found, but none that does not say that it may be one.
    let count = capacity.parity - 6
    let spoilt = spoil(clean, layout, level: 1, codewords: count)
    var doubted = spoilt
    doubted.margins = zip(spoilt.dark, clean.dark).map { $0 == $1 ? 1 : 0.1 }
    var decoder = QRDecoder()
    let blind = decoder.decode(spoilt, layout)
    #expect(blind == nil)
    let (reported, whole) = (decoder.decode(doubted, layout), decoder.decode(clean, layout))
    #expect(reported != nil && reported == whole)
  }

  @Test func readsEveryModeOfItsBits() {
    // 8.2 of the standard: 01234567 in numbers, AC-42 in letters; and kanji, a declared character set, FNC1, a header.
    func read(_ bits: String, version: Int = 1) -> CodeMessage? {
      let digits = bits.filter { $0 != " " }
      let padded = digits + String(repeating: "0", count: (8 - digits.count % 8) % 8)
      let bytes = stride(from: 0, to: padded.count, by: 8).map { at in
        Int(padded.dropFirst(at).prefix(8), radix: 2) ?? 0
      }
      return QRContent.message(bytes, version: version)
    }
    #expect(read("0001 0000001000 0000001100 0101011001 1000011 0000")?.decoded.text == "01234567")
    #expect(read("0010 000000101 00111001110 11100111001 000010 0000")?.decoded.text == "AC-42")
    #expect(read("1000 00000010 0110110011111 1101010101010 0000")?.decoded.text == "点茗")
    #expect(read("0111 00000111 0100 00000010 10110110 11010000 0000")?.decoded.text == "Жа")
    #expect(read("0101 0010 000000011 00111001110 100110 0000")?.bytes == [0x41, 0x43, 0x1D])
    #expect(read("0011 0001 0010 10101010 0100 00000001 01000001 0000")?.part?.index == 1)
    #expect(read("0011 0001 0010 10101010 0100 00000001 01000001 0000")?.part?.count == 3)
    #expect(read("0100 11111111 01000001") == nil, "more bytes than there are")
    #expect(read("0001 0000000011 1111111111") == nil, "no number of three digits")
  }
}

@Suite struct QRLayoutTests {
  @Test(arguments: [
    (2, [6, 18]), (7, [6, 22, 38]), (14, [6, 26, 46, 66]), (32, [6, 34, 60, 86, 112, 138]),
    (40, [6, 30, 58, 86, 114, 142, 170]),
  ])
  func alignmentLinesAreThoseOfTheStandard(version: Int, lines: [Int]) {
    #expect(QRLayout(version: version)?.alignmentLines == lines)
  }

  @Test func formatAndVersionWordsAreThoseOfTheStandard() {
    // ISO/IEC 18004 annexes C and D: level M, mask 5 and version 7.
    #expect(QRFormat.format(0b100_0000_1100_1110).data == 0b00101)
    #expect(QRFormat.format(0b100_0000_1100_1110).errors == 0)
    #expect(QRFormat.format(0b100_0000_1100_1010).data == 0b00101)
    #expect(QRFormat.golay(7) == 0b00_0111_1100_1001_0100)
  }

  @Test func nearestLayoutOfAMeasuredSide() {
    #expect(QRLayout(nearestSide: 22.4)?.version == 1)
    #expect(QRLayout(nearestSide: 46)?.version == 7)
    #expect(QRLayout(nearestSide: .nan) == nil)
    #expect(QRLayout(nearestSide: 400) == nil)
  }
}
