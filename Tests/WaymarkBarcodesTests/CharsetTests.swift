import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// The character set of codes that name none, or name it in an unusual way.
struct CharsetTests {
  private static let windows1252: [Character: UInt8] = [
    "€": 0x80, "‚": 0x82, "„": 0x84, "…": 0x85, "Š": 0x8A, "‹": 0x8B, "Ž": 0x8E, "‘": 0x91, "’": 0x92, "“": 0x93,
    "”": 0x94, "•": 0x95, "–": 0x96, "—": 0x97, "™": 0x99, "š": 0x9A, "œ": 0x9C, "ž": 0x9E, "Ÿ": 0x9F,
  ]

  /// The text in Windows-1252.
  private static func western(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { windows1252[Character($0)] ?? UInt8(truncatingIfNeeded: $0.value) }
  }

  @Test(
    "Western text with characters beyond Latin-1 is Windows-1252",
    arguments: [
      "5 € Grüße", "12,50€", "€5", "It’s", "O’Neil’s Pub", "l’hôtel", "d’été", "Mo–Fr 9–17 Uhr", "Berlin–Paris",
      "„Zitat“", "“Hallo” (1)", "naïve – test", "Košice", "Žižkov", "cœur", "Škoda", "Warte…", "Müller’s Café™",
      "prix: 10 €\r\nTVA 5,5 %", "[ARG…]", "ID’s",
    ])
  func windows(_ text: String) {
    let decoded = Charset.decode(Self.western(text))
    #expect(decoded.text == text)
    #expect(decoded.charset == .windows1252)
    #expect(Charset.decode(Self.western(text), eci: 3).text == text, "under the interpretation of Latin-1")
  }

  @Test("Latin-1 and bytes that are no text stay as they were")
  func latin() {
    #expect(Charset.decode([0x5A, 0xFC, 0x72, 0x69, 0x63, 0x68]).charset == .latin1)
    let all = Charset.decode((0...255).map { UInt8($0) })
    #expect(all.charset == .latin1)
    #expect(all.text.unicodeScalars.map(\.value) == Array(0...255))
    // Five bytes of Windows-1252 have no character.
    #expect(Charset.decode([0x41, 0x81, 0x20]).charset == .latin1)
    #expect(Charset.decode([0x35, 0x80, 0x41], eci: 899).charset == .latin1)
  }

  @Test(
    "Japanese and Chinese texts stay so",
    arguments: [
      // 日本語, 都市, 品番A-12, アイテム, aあb, A地区, 司会
      ([0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA], "日本語"), ([0x93, 0x73, 0x8E, 0x73], "都市"),
      ([0x95, 0x69, 0x94, 0xD4, 0x41, 0x2D, 0x31, 0x32], "品番A-12"),
      ([0x83, 0x41, 0x83, 0x43, 0x83, 0x65, 0x83, 0x80], "アイテム"), ([0x61, 0x82, 0xA0, 0x62], "aあb"),
      ([0x41, 0x92, 0x6E, 0x8B, 0xE6], "A地区"), ([0x8E, 0x69, 0x89, 0xEF], "司会"),
      ([0x4E, 0x6F, 0x92, 0x6E, 0x90, 0x7D], "No地図"),
    ] as [([UInt8], String)])
  func eastern(_ bytes: [UInt8], _ text: String) {
    let decoded = Charset.decode(bytes)
    #expect(decoded.text == text)
    #expect(decoded.charset == .shiftJIS)
  }

  @Test("A Russian payment code names its character set")
  func payment() {
    let name: [UInt8] = [0xCE, 0xCE, 0xCE, 0x20, 0x22, 0xC3, 0xE0, 0xE7, 0xEF, 0xF0, 0xEE, 0xEC, 0x22]
    let windows = Charset.decode(Array("ST00011|Name=".utf8) + name + Array("|PersonalAcc=4070".utf8))
    #expect(windows.text == "ST00011|Name=ООО \"Газпром\"|PersonalAcc=4070")
    #expect(windows.charset == .windows1251)
    let other: [UInt8] = [0xEF, 0xEF, 0xEF, 0x20, 0xE7, 0xC1, 0xDA]
    let koi8 = Charset.decode(Array("ST00013|Name=".utf8) + other)
    #expect(koi8.text == "ST00013|Name=ООО Газ")
    #expect(koi8.charset == .koi8R)
    // One that names another than it has.
    let utf8 = Charset.decode(Array("ST00011|Name=ООО".utf8))
    #expect(utf8.text == "ST00011|Name=ООО" && utf8.charset == .utf8)
    #expect(Charset.decode(Array("ST00012|Name=ООО".utf8)).charset == .utf8)
    #expect(Charset.decode(Array("ST00011|Name=A".utf8)).charset == .ascii)
  }

  // MARK: QR codes

  /// Codewords of a version below 10.
  private func codewords(_ fields: [(value: Int, width: Int)]) -> [Int] {
    var bits = fields.flatMap { field in (0..<field.width).map { field.value >> (field.width - 1 - $0) & 1 } }
    bits += [0, 0, 0, 0]
    bits += [Int](repeating: 0, count: (8 - bits.count % 8) % 8)
    return stride(from: 0, to: bits.count, by: 8).map { bits[$0..<($0 + 8)].reduce(0) { $0 << 1 | $1 } }
  }

  private func byteMode(_ bytes: [UInt8]) -> [(value: Int, width: Int)] {
    [(4, 4), (bytes.count, 8)] + bytes.map { (Int($0), 8) }
  }

  private func kanjiMode(_ words: [Int]) -> [(value: Int, width: Int)] {
    [(8, 4), (words.count, 8)]
      + words.map { word in
        let offset = word - (word < 0xE040 ? 0x8140 : 0xC140)
        return ((offset >> 8) * 0xC0 + (offset & 0xFF), 13)
      }
  }

  /// Bytes with as many as possible in kanji mode.
  private func mixed(_ bytes: [UInt8]) -> [(value: Int, width: Int)] {
    var fields: [(value: Int, width: Int)] = []
    var plain: [UInt8] = []
    var words: [Int] = []
    func flush() {
      if !plain.isEmpty { fields += byteMode(plain) }
      if !words.isEmpty { fields += kanjiMode(words) }
      (plain, words) = ([], [])
    }
    var index = 0
    while index < bytes.count {
      let word = index + 1 < bytes.count ? Int(bytes[index]) << 8 | Int(bytes[index + 1]) : 0
      if (0x8140...0x9FFC).contains(word) || (0xE040...0xEBBF).contains(word), word & 0xFF >= 0x40 {
        if !plain.isEmpty { flush() }
        words.append(word)
        index += 2
      } else {
        if !words.isEmpty { flush() }
        plain.append(bytes[index])
        index += 1
      }
    }
    flush()
    return fields
  }

  @Test(
    "UTF-8 is one text where an encoder put parts of it into kanji mode",
    arguments: [
      "麻杏石甘口服液，兽药字", "口服液，兽药字2024", "处方A: 甘草 3 克", "ありがとうございます", "日本語とEnglish",
    ])
  func kanji(_ text: String) throws {
    let message = try #require(QRContent.message(codewords(mixed(Array(text.utf8))), version: 5))
    #expect(message.segments.count > 1 || message.segments.first?.eci == CodeMessage.shiftJIS)
    #expect(message.bytes == Array(text.utf8))
    #expect(message.decoded.text == text)
    #expect(message.decoded.charset == .utf8)
  }

  @Test("Kanji between other text are kanji")
  func trueKanji() throws {
    let japan = kanjiMode([0x93FA, 0x967B])
    let plain = try #require(QRContent.message(codewords(byteMode(Array("A ".utf8)) + japan), version: 5))
    #expect(plain.decoded.text == "A 日本")
    #expect(plain.decoded.charset == .shiftJIS)
    // A half-width katakana letter before a kanji: these bytes are also UTF-8.
    let halfWidth = try #require(QRContent.message(codewords(byteMode([0xC4]) + kanjiMode([0x8A77])), version: 5))
    #expect(halfWidth.decoded.text == "ﾄ学" || halfWidth.decoded.text == "Ä学")
    // Where a code names Shift_JIS, it is Shift_JIS.
    let named = try #require(
      QRContent.message(codewords([(7, 4), (20, 8)] + mixed(Array("ああああ".utf8))), version: 5))
    #expect(named.decoded.charset == .shiftJIS)
  }

  @Test("A part beyond the count of its message is a part of an unknown number")
  func beyond() throws {
    let fields: [(value: Int, width: Int)] = [(3, 4), (3, 4), (2, 4), (0x41, 8)]
    let message = try #require(QRContent.message(codewords(fields + byteMode(Array("part".utf8))), version: 5))
    #expect(message.part == CodeMessage.Fragment(index: 3, count: nil, identifier: "65"))
    #expect(message.decoded.text == "part")
    var append = StructuredAppend()
    let corners = Quadrilateral(topLeft: [0, 0], topRight: [9, 0], bottomRight: [9, 9], bottomLeft: [0, 9])
    append.add([StructuredAppend.Code(symbology: .qr, message: message, corners: corners)])
    #expect(append.outcome.parts.map(\.text) == ["part"])
    #expect(append.outcome.parts.map(\.part) == [SymbolPart(index: 4, count: nil, id: "65")])
    #expect(append.outcome.whole.isEmpty)
  }
}
