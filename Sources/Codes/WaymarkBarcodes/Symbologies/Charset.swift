import Glibc

/// The character set by which the bytes of a code became text.
public enum Charset: String, Hashable, Sendable, Codable, CaseIterable {
  /// Seven-bit ASCII.
  case ascii = "US-ASCII"
  /// UTF-8.
  case utf8 = "UTF-8"
  /// Shift_JIS, with the extensions everybody uses (code page 932).
  case shiftJIS = "Shift_JIS"
  /// GB 18030.
  case gb18030 = "GB18030"
  /// Latin-1: what is left when nothing else fits; also said of bytes that are not text at all.
  case latin1 = "ISO-8859-1"
  // The sets below are only used where a code names them by an extended channel interpretation.
  /// The character set of the first PCs.
  case codePage437 = "IBM437"
  /// Central European.
  case latin2 = "ISO-8859-2"
  /// South European.
  case latin3 = "ISO-8859-3"
  /// North European.
  case latin4 = "ISO-8859-4"
  /// Latin and Cyrillic.
  case cyrillic = "ISO-8859-5"
  /// Latin and Arabic.
  case arabic = "ISO-8859-6"
  /// Latin and Greek.
  case greek = "ISO-8859-7"
  /// Latin and Hebrew.
  case hebrew = "ISO-8859-8"
  /// Turkish.
  case latin5 = "ISO-8859-9"
  /// Nordic.
  case latin6 = "ISO-8859-10"
  /// Latin and Thai.
  case thai = "ISO-8859-11"
  /// Baltic.
  case latin7 = "ISO-8859-13"
  /// Celtic.
  case latin8 = "ISO-8859-14"
  /// Western with the euro sign.
  case latin9 = "ISO-8859-15"
  /// South-Eastern European.
  case latin10 = "ISO-8859-16"
  /// Windows, Central European.
  case windows1250 = "windows-1250"
  /// Windows, Cyrillic.
  case windows1251 = "windows-1251"
  /// Windows, Western.
  case windows1252 = "windows-1252"
  /// Windows, Arabic.
  case windows1256 = "windows-1256"
  /// Two bytes, the higher one first.
  case utf16BE = "UTF-16BE"
  /// Two bytes, the lower one first.
  case utf16LE = "UTF-16LE"
  /// Four bytes, the highest first.
  case utf32BE = "UTF-32BE"
  /// Four bytes, the lowest first.
  case utf32LE = "UTF-32LE"
  /// Traditional Chinese.
  case big5 = "Big5"
  /// Korean.
  case eucKR = "EUC-KR"

  /// Turns the bytes of a code into text by the first character set that fits: UTF-8, Shift_JIS, GB 18030, Latin-1.
  ///
  /// The two East Asian sets accept nearly anything, Western text in Latin-1 included (`Zürich` is also a Chinese word
  /// in GB 18030). So they are trusted only where the bytes above 127 come as such text does: in runs. In Western text
  /// they stand alone between ASCII letters. A reading with private-use or unassigned characters is a wrong guess.
  public static func decode(_ bytes: [UInt8]) -> (text: String, charset: Charset) {
    if bytes.allSatisfy({ $0 < 0x80 }) { return (String(decoding: bytes, as: UTF8.self), .ascii) }
    if let text = String(validating: bytes, as: UTF8.self) {
      return (text.first == "\u{FEFF}" ? String(text.dropFirst()) : text, .utf8)
    }
    if !looksWestern(bytes) {
      for charset in looksChinese(bytes) ? [gb18030, shiftJIS] : [shiftJIS, gb18030] {
        if let text = convert(bytes, from: charset.converterName), isAssigned(text) { return (text, charset) }
      }
    }
    return (String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })), .latin1)
  }

  /// Opens what converts character sets and keeps it open for the rest of the process, so that text can be made where no
  /// file can be opened any more.
  package static func keepConverters() {
    for charset in allCases { _ = iconv_open("UTF-8", charset.converterName) }
    // The modules are loaded by the first conversion.
    for charset in allCases { _ = convert([0x41], from: charset.converterName) }
  }

  /// The name by which the C library knows it.
  var converterName: String {
    switch self {
    case .shiftJIS: "CP932"
    case .windows1250: "CP1250"
    case .windows1251: "CP1251"
    case .windows1252: "CP1252"
    case .windows1256: "CP1256"
    default: rawValue
    }
  }

  /// Returns whether most runs of bytes above 127 look Western: one or two of them, printable in Latin-1, beside a small ASCII
  /// letter or alone between ASCII.
  private static func looksWestern(_ bytes: [UInt8]) -> Bool {
    var western = 0
    var eastern = 0
    for run in bytes.indices.split(whereSeparator: { bytes[$0] < 0x80 }) {
      guard run.allSatisfy({ bytes[$0] >= 0xA0 }), let first = run.first, let last = run.last else { return false }
      let beside = [first - 1, last + 1].filter(bytes.indices.contains).map { bytes[$0] }
      let smallLetter = beside.contains { (0x61...0x7A).contains($0) }
      // No ideograph has two equal bytes and stands beside itself.
      let isOneLetter = run.count >= 4 && bytes[first] >= 0xE0 && run.allSatisfy { bytes[$0] == bytes[first] }
      let isWestern = run.count == 1 || (run.count == 2 && smallLetter) || isOneLetter
      if isWestern { western += 1 } else { eastern += 1 }
    }
    return western > eastern
  }

  /// Returns whether every character is one that Unicode assigns a meaning.
  private static func isAssigned(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { ![.privateUse, .unassigned].contains($0.properties.generalCategory) }
  }

  /// Returns whether all is in the two-byte area of GB 2312, which Shift_JIS would take for half-width katakana between rare
  /// kanji; some byte must lie beyond the katakana. Common Japanese text has lead bytes below 0xA0.
  private static func looksChinese(_ bytes: [UInt8]) -> Bool {
    let runs = bytes.indices.split { bytes[$0] < 0x80 }
    return runs.allSatisfy { run in run.count.isMultiple(of: 2) && run.allSatisfy { bytes[$0] >= 0xA1 } }
      && bytes.contains { $0 > 0xDF }
  }

  /// `nil` where the bytes are not valid in `charset`, or the system does not know it.
  static func convert(_ bytes: [UInt8], from charset: String) -> String? {
    let converter = iconv_open("UTF-8", charset)
    guard converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var input = bytes.map { CChar(truncatingIfNeeded: $0) }
    var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
    let written: Int? = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        var from = source.baseAddress
        var to = target.baseAddress
        var left = source.count
        var room = target.count
        guard iconv(converter, &from, &left, &to, &room) != Int(bitPattern: UInt.max), left == 0 else { return nil }
        return target.count - room
      }
    }
    return written.flatMap {
      String(validating: output.prefix($0).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
  }
}
