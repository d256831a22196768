extension Charset {
  /// The text of bytes under an extended channel interpretation (AIM ITS/04-023); where it names none, or one that does
  /// not fit, the first character set that fits.
  package static func decode(_ bytes: [UInt8], eci: Int?) -> (text: String, charset: Charset) {
    if bytes.allSatisfy({ $0 < 0x80 }), eci.map({ !wide.contains($0) }) ?? true { return decode(bytes) }
    switch eci {
    case 1, 3, 899:
      return (String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })), .latin1)
    case let eci?:
      guard let charset = byECI[eci], let text = convert(bytes, from: charset.converterName) else {
        return decode(bytes)
      }
      return (text, charset)
    case nil: return decode(bytes)
    }
  }

  /// Those in which ASCII does not stand for itself.
  private static let wide: Set<Int> = [25, 33, 34, 35]

  private static let byECI: [Int: Charset] = [
    0: .codePage437, 2: .codePage437, 4: .latin2, 5: .latin3, 6: .latin4, 7: .cyrillic, 8: .arabic, 9: .greek,
    10: .hebrew, 11: .latin5, 12: .latin6, 13: .thai, 15: .latin7, 16: .latin8, 17: .latin9, 18: .latin10,
    20: .shiftJIS, 21: .windows1250, 22: .windows1251, 23: .windows1252, 24: .windows1256, 25: .utf16BE, 26: .utf8,
    27: .ascii, 28: .big5, 29: .gb18030, 30: .eucKR, 31: .gb18030, 32: .gb18030, 33: .utf16LE, 34: .utf32BE,
    35: .utf32LE, 170: .ascii,
  ]
}
