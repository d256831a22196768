import WaymarkSystem

/// The character set from which the bytes of a code were decoded. The extension of `CodeMessage` below decodes messages.
public enum Charset: String, Hashable, Sendable, Codable, CaseIterable {
  /// Seven-bit ASCII.
  case ascii = "US-ASCII"
  /// UTF-8; a byte order mark at the start is not part of the text.
  case utf8 = "UTF-8"
  /// Shift_JIS with Microsoft's extensions (code page 932).
  case shiftJIS = "Shift_JIS"
  /// GB 18030, the character set of China, which includes GB 2312 and GBK.
  case gb18030 = "GB18030"
  /// Latin-1: the fallback when no other character set fits; also reported for bytes that are not text.
  case latin1 = "ISO-8859-1"
  // The following sets are used if a code names them, by an extended channel interpretation or in its text. Windows-1252 is also
  // used without a name, for Western text with characters that Latin-1 lacks.
  /// Code page 437 of the IBM PC.
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
  /// Russian, KOI8-R (RFC 1489).
  case koi8R = "KOI8-R"
  /// Windows, Arabic.
  case windows1256 = "windows-1256"
  /// UTF-16, most significant byte first.
  case utf16BE = "UTF-16BE"
  /// UTF-16, least significant byte first.
  case utf16LE = "UTF-16LE"
  /// UTF-32, most significant byte first.
  case utf32BE = "UTF-32BE"
  /// UTF-32, least significant byte first.
  case utf32LE = "UTF-32LE"
  /// Traditional Chinese.
  case big5 = "Big5"
  /// Korean.
  case eucKR = "EUC-KR"

  /// Decodes the bytes of a code with the first character set that fits: UTF-8, the character set that the text names, Shift_JIS, GB
  /// 18030, Windows-1252 or Latin-1.
  ///
  /// Shift_JIS and GB 18030 accept nearly all bytes, also Western text in Latin-1 (`Zürich` is also a Chinese word in GB 18030). They are
  /// therefore used only if the bytes above 127 come in runs, as in East Asian text; in Western text such bytes are isolated between
  /// ASCII letters. A result with private-use or unassigned characters is rejected.
  public static func decode(_ bytes: [UInt8]) -> (text: String, charset: Charset) {
    if bytes.allSatisfy({ $0 < 0x80 }) { return (String(decoding: bytes, as: UTF8.self), .ascii) }
    if let text = String(validating: bytes, as: UTF8.self) {
      return (text.first == "\u{FEFF}" ? String(text.dropFirst()) : text, .utf8)
    }
    if let charset = named(by: bytes), let text = convert(bytes, from: charset.converterName) { return (text, charset) }
    if !looksWestern(bytes) {
      for charset in looksChinese(bytes) ? [gb18030, shiftJIS] : [shiftJIS, gb18030] {
        if let text = convert(bytes, from: charset.converterName), isAssigned(text) { return (text, charset) }
      }
    }
    return western(bytes)
  }

  /// Returns the character set that a Russian payment code names after its format and version (GOST R 56042-2014, table 1).
  private static func named(by bytes: [UInt8]) -> Charset? {
    guard bytes.count > 7, bytes.starts(with: "ST0001".utf8) else { return nil }
    return switch bytes[6] {
    case UInt8(ascii: "1"): .windows1251
    case UInt8(ascii: "3"): .koi8R
    default: nil
    }
  }

  /// Decodes bytes as Latin-1, or as Windows-1252 if they are text with bytes from 0x80 to 0x9F, which are control characters in Latin-1
  /// (WHATWG Encoding Standard, 4.2). Bytes with other ASCII controls than tabs, line ends and separators are not text.
  private static func western(_ bytes: [UInt8]) -> (text: String, charset: Charset) {
    let isText = bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || [0x04, 0x09, 0x0A, 0x0D, 0x1D, 0x1E].contains($0) }
    if isText, bytes.contains(where: { (0x80...0x9F).contains($0) }),
      let text = convert(bytes, from: windows1252.converterName)
    {
      return (text, .windows1252)
    }
    return (String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })), .latin1)
  }

  /// Opens the converters of all character sets and keeps them open for the life of the process, so that a sandboxed process, which can
  /// open no files, can still decode text.
  package static func keepConverters() {
    for charset in allCases { TextConversion.keep(charset.converterName) }
  }

  /// The name of the character set in the C library's `iconv`.
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

  /// Returns whether more runs of bytes above 127 look Western than East Asian. A run that is printable in Latin-1 (bytes from 0xA0)
  /// looks Western if it is a single byte, two bytes beside a small ASCII letter, or one letter repeated; any other run must be a
  /// character of Windows-1252.
  private static func looksWestern(_ bytes: [UInt8]) -> Bool {
    var western = 0
    var eastern = 0
    for run in bytes.indices.split(whereSeparator: { bytes[$0] < 0x80 }) {
      guard let first = run.first, let last = run.last else { return false }
      guard run.allSatisfy({ bytes[$0] >= 0xA0 }) else {
        guard isWindows(bytes, run) else { return false }
        western += 1
        continue
      }
      let beside = [first - 1, last + 1].filter(bytes.indices.contains).map { bytes[$0] }
      let smallLetter = beside.contains { (0x61...0x7A).contains($0) }
      // A repeated accented letter: no double-byte ideograph with two equal bytes is written twice in a row.
      let isOneLetter = run.count >= 4 && bytes[first] >= 0xE0 && run.allSatisfy { bytes[$0] == bytes[first] }
      let isWestern = run.count == 1 || (run.count == 2 && smallLetter) || isOneLetter
      if isWestern { western += 1 } else { eastern += 1 }
    }
    return western > eastern
  }

  /// Returns whether a run of bytes above 127 has a character that Windows-1252 adds to Latin-1, at a position where Western text has
  /// such a character and Chinese or Japanese text rarely has a lead byte.
  private static func isWindows(_ bytes: [UInt8], _ run: Range<Int>) -> Bool {
    func at(_ index: Int) -> UInt8 { bytes.indices.contains(index) ? bytes[index] : 0x20 }
    func isSmall(_ index: Int) -> Bool { (0x61...0x7A).contains(at(index)) }
    let (start, end) = (run.lowerBound, run.upperBound)
    let first = bytes[start]
    let isInWord = at(start - 1).isASCIILetter && at(end).isASCIILetter
    if run.count == 2 {
      // An apostrophe before an accented letter, or a punctuation mark after one.
      if first == 0x92 { return isInWord && bytes[start + 1] >= 0xC0 }
      return isSmall(start - 1) && first >= 0xC0
        && [0x80, 0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0x99].contains(at(start + 1))
    }
    guard run.count == 1, ![0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(first) else { return false }
    // No double-byte character begins with the byte of the euro sign, or has an ASCII character outside of 0x40 to 0x7E as second byte.
    if first == 0x80 || !(0x40...0x7E).contains(at(end)) { return true }
    switch first {
    // The ellipsis: as a lead byte it occurs only in rare ideographs.
    case 0x85: return true
    case 0x92: return isInWord && (isSmall(start - 1) || at(end) == UInt8(ascii: "s") || at(end + 1).isASCIILetter)
    case 0x96, 0x97: return isInWord && isSmall(end + 1)
    case 0x84, 0x8B, 0x91, 0x93:
      return [0x20, 0x0A, 0x28, 0x5B].contains(at(start - 1)) && at(end).isASCIILetter && isSmall(end + 1)
    case 0x8A, 0x8C, 0x8E, 0x9A, 0x9C, 0x9E, 0x9F:
      let isInLongWord = isSmall(end + 1) || at(end + 1) >= 0x80 && isSmall(end + 2) && isSmall(end + 3)
      return isSmall(end) && (isInLongWord || isSmall(start - 1) && at(end + 1) < 0x80)
    default: return false
    }
  }

  /// Returns whether Unicode assigns every character a meaning, private use excluded.
  private static func isAssigned(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { ![.privateUse, .unassigned].contains($0.properties.generalCategory) }
  }

  /// Returns whether all bytes above 127 are in the double-byte area of GB 2312, and at least one is above the katakana of
  /// Shift_JIS. As Shift_JIS, such bytes would give half-width katakana between rare kanji; common Japanese text has lead bytes
  /// below 0xA0.
  private static func looksChinese(_ bytes: [UInt8]) -> Bool {
    let runs = bytes.indices.split { bytes[$0] < 0x80 }
    return runs.allSatisfy { run in run.count.isMultiple(of: 2) && run.allSatisfy { bytes[$0] >= 0xA1 } }
      && bytes.contains { $0 > 0xDF }
  }

  /// Decodes bytes; `nil` if they are not valid in `charset`, or the system lacks that character set.
  static func convert(_ bytes: [UInt8], from charset: String) -> String? { TextConversion.text(bytes, from: charset) }
}

extension Charset {
  /// Decodes bytes under an extended channel interpretation (AIM ITS/04-023). If `eci` is `nil` or unknown, or does not fit the
  /// bytes, the first fitting character set is used.
  package static func decode(_ bytes: [UInt8], eci: Int?) -> (text: String, charset: Charset) {
    if bytes.allSatisfy({ $0 < 0x80 }), eci.map({ !wide.contains($0) }) ?? true { return decode(bytes) }
    switch eci {
    case 1, 3: return western(bytes)
    case 899:
      return (String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })), .latin1)
    case let eci?:
      guard let charset = byECI[eci], let text = convert(bytes, from: charset.converterName) else {
        return decode(bytes)
      }
      return (text, charset)
    case nil: return decode(bytes)
    }
  }

  /// The extended channel interpretations in which ASCII characters take more than one byte: UTF-16 and UTF-32.
  private static let wide: Set<Int> = [25, 33, 34, 35]

  private static let byECI: [Int: Charset] = [
    0: .codePage437, 2: .codePage437, 4: .latin2, 5: .latin3, 6: .latin4, 7: .cyrillic, 8: .arabic, 9: .greek,
    10: .hebrew, 11: .latin5, 12: .latin6, 13: .thai, 15: .latin7, 16: .latin8, 17: .latin9, 18: .latin10,
    20: .shiftJIS, 21: .windows1250, 22: .windows1251, 23: .windows1252, 24: .windows1256, 25: .utf16BE, 26: .utf8,
    27: .ascii, 28: .big5, 29: .gb18030, 30: .eucKR, 31: .gb18030, 32: .gb18030, 33: .utf16LE, 34: .utf32BE,
    35: .utf32LE, 170: .ascii,
  ]
}

// MARK: - Messages

extension CodeMessage {
  /// The text if an encoder split UTF-8 between byte and kanji segments, using kanji mode for any two bytes that fit it; `nil` for other
  /// content. A text with fewer than three characters beyond ASCII may be actual kanji.
  private var textAcrossModes: String? {
    guard !namesShiftJIS, segments.contains(where: { $0.eci == Self.shiftJIS }),
      segments.allSatisfy({ $0.eci == nil || $0.eci == 26 || $0.eci == Self.shiftJIS }),
      let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.count(where: { !$0.isASCII }) >= 3
    else { return nil }
    return text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
  }

  /// The content decoded as text, and the character set of its first part that is not plain ASCII.
  package var decoded: (text: String, charset: Charset) {
    if let text = textAcrossModes { return (text, .utf8) }
    var text = ""
    var charset = Charset.ascii
    for segment in segments {
      let (piece, set) = Charset.decode(segment.bytes, eci: segment.eci)
      text += piece
      if charset == .ascii { charset = set }
    }
    return (text, charset)
  }
}
