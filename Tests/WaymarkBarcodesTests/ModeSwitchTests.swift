import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Symbols that switch between the modes of their symbology at random, as zint encodes them, and sequences of modes that no
/// encoder of today writes.
@Suite struct ModeSwitchTests {
  /// The bytes that the decoder, or the reader where it has no separate one, makes of a symbol.
  private func bytes(of fixture: MatrixFixture) throws -> [UInt8]? {
    let modules = fixture.modules
    switch fixture.symbology {
    case .dataMatrix:
      let size = try #require(DataMatrixSize.all.first { $0.columns == modules.columns && $0.rows == modules.rows })
      return DataMatrixDecoder.decode(size, modules)?.bytes
    case .maxiCode: return MaxiCodeDecoder.decode(modules)?.bytes
    case .dotCode: return DotCodeDecoder.decode(modules)?.bytes
    case .microQR: return MicroQRDecoder.decode(modules)?.bytes
    case .qr:
      var decoder = QRDecoder()
      return decoder.decode(modules, try #require(QRLayout(version: (modules.columns - 17) / 4)))?.bytes
    case .rMQR:
      let size = try #require(
        (0..<32).map(RMQRSize.init).first { $0.columns == modules.columns && $0.rows == modules.rows })
      var word: UInt32 = 0
      for (i, place) in RMQRSize.formatPlaces.enumerated() where modules[place.x, place.y] { word |= 1 << UInt32(i) }
      return RMQRDecoder.decode(modules, size, isHigh: RMQRSize.format(word).isHigh)?.bytes
    case .aztec, .pdf417, .microPDF417:
      return fixture.draw(scale: 3).withView { view in
        MatrixSearch(view: view, levels: BlockMean(view), wanted: [fixture.symbology], effort: .still).read()
          .symbols.first?.bytes
      }
    default:
      let plain = ScanConfiguration(symbologies: [fixture.symbology], effort: .plain)
      return try fixture.drawBars(scale: 2).read(plain).symbols.first?.bytes
    }
  }

  private static let symbologies: [Symbology] = [
    .dataMatrix, .aztec, .qr, .maxiCode, .pdf417, .microPDF417, .microQR, .rMQR, .code128, .code39, .code93, .codabar,
    .itf, .dotCode,
  ]

  @Test("every mode after every other, of every symbology", arguments: symbologies)
  func switches(_ symbology: Symbology) throws {
    let fixtures = try MatrixFixture.load("switches.txt").filter { $0.symbology == symbology }
    #expect(fixtures.count >= 40)
    for fixture in fixtures {
      let wanted = stride(from: 0, to: fixture.text.count, by: 2).compactMap { i -> UInt8? in
        let digits = fixture.text.dropFirst(i).prefix(2)
        return UInt8(digits, radix: 16)
      }
      #expect(try bytes(of: fixture) == wanted, "\(fixture.testDescription)")
    }
  }

  // MARK: Aztec Code

  private func aztec(_ bits: String) -> String {
    var text = AztecText(bits.filter { $0 != " " }.map { $0 == "1" })
    return String(decoding: text.message().bytes, as: UTF8.self)
  }

  @Test("an Aztec Code goes on in the mode that bytes were shifted from")
  func shiftedBytes() {
    // Digits; a shift to upper case, five bytes behind it; then upper case.
    let head = "11110 0101 0101 0101 0101 1111 11111 00101 01101000 00110011 01101001 00110011 01101010"
    #expect(aztec(head + " 01010 10101 01010 10101") == "3333h3i3jITIT")
    // Bytes from upper case itself, and a shift for one letter only.
    #expect(aztec("00010 11111 00001 01111000 00011") == "AxB")
    #expect(aztec("11110 0011 1111 00010 0100") == "1A2")
    // A shift to lower case's capitals, then punctuation for one character: back where the inner shift began.
    #expect(aztec("11100 00010 11100 00000 00110 00011") == "a!B")
    // A latch behind a shift stays.
    #expect(aztec("11110 0011 1111 11100 00010 00011") == "1ab")
    #expect(aztec("11110 0011 0000 11111 00010 00011") == "1AB")
  }

  // MARK: Rectangular Micro QR Code

  private func bits(_ fields: [(value: Int, width: Int)]) -> [Bool] {
    fields.flatMap { field in (0..<field.width).map { field.value >> (field.width - 1 - $0) & 1 == 1 } }
  }

  @Test("FNC1 in second position names an application, and a character set outlasts kanji")
  func rectangular() {
    let widths = QRText.Widths(mode: 3, counts: [5, 5, 5, 5], isRectangular: true)
    let industry = bits([(6, 3), (37, 8), (1, 3), (2, 5), (42, 7), (0, 3)])
    let message = QRText.message(industry, widths)
    #expect(message?.bytes == Array("3742".utf8))
    #expect(message?.isGS1 == false)
    let letter = bits([(6, 3), (165, 8), (2, 3), (2, 5), (10 * 45 + 38, 11), (0, 3)])
    #expect(QRText.message(letter, widths)?.bytes == Array("AA\u{1D}".utf8))
    // Greek alpha, a kanji, alpha again.
    let greek = bits([
      (7, 3), (9, 8), (3, 3), (1, 5), (0xE1, 8), (4, 3), (1, 5), (0xD9F, 13), (3, 3), (1, 5), (0xE1, 8), (0, 3),
    ])
    #expect(QRText.message(greek, widths)?.decoded.text == "α点α")
  }

  // MARK: Character sets

  @Test(
    "no guess holds private or unassigned characters",
    arguments: [
      ([0xFC, 0xFC, 0xFC, 0xFC], "üüüü"), ([0xE9, 0xE9, 0xE9, 0xE9], "éééé"), ([0xAB, 0xF9, 0xBC, 0xFD], "«ù¼ý"),
    ] as [([UInt8], String)])
  func guesses(_ bytes: [UInt8], _ text: String) {
    let decoded = Charset.decode(bytes)
    #expect(decoded.text == text)
    #expect(decoded.charset == .latin1)
  }

  @Test func guessesOfRandomBytesAreAssigned() {
    var random = RandomSource(seed: 3)
    for _ in 0..<2000 {
      let bytes = (0..<Int(1 + random.next() % 12)).map { _ in UInt8(0xA0 + random.next() % 0x60) }
      let decoded = Charset.decode(bytes)
      let isDoubtful = decoded.text.unicodeScalars.contains {
        [.privateUse, .unassigned].contains($0.properties.generalCategory)
      }
      #expect(!isDoubtful || decoded.charset == .utf8, "\(bytes)")
    }
  }
}
