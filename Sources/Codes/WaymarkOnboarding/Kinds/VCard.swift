import WaymarkSystem

extension PayloadKind {
  /// A contact, `BEGIN:VCARD` … `END:VCARD`.
  public static let vcard = Self(rawValue: "vcard")
}

/// A contact (RFC 6350, RFC 2426 and vCard 2.1).
enum VCard: BuiltInKind {
  static let kind = PayloadKind.vcard
  static var form: PayloadForm { .prefix("BEGIN:VCARD", payload: payload) }
  static let allowsOtherEncodings = true

  static func shows(_ field: String) -> Bool {
    ["version", "name", "structuredname", "organization", "title", "role", "phone", "email", "address"].contains(
      field.lowercased())
  }

  static func showsPlace(in field: String, policy: OnboardingPolicy) -> Bool { field.lowercased() == "url" }

  static func isSecret(_ payload: Payload) -> Bool { payload.fields.contains(where: \.isSecret) }

  private static let names = [
    "FN": "name", "N": "structuredName", "ORG": "organization", "TITLE": "title", "ROLE": "role", "TEL": "phone",
    "EMAIL": "email", "URL": "url", "ADR": "address", "NOTE": "note", "BDAY": "birthday", "VERSION": "version",
  ]

  /// The other properties of the standards (RFC 6350, RFC 2426 and vCard 2.1).
  private static let otherNames: Set<String> = [
    "BEGIN", "END", "SOURCE", "KIND", "XML", "NICKNAME", "PHOTO", "ANNIVERSARY", "GENDER", "IMPP", "LANG", "TZ", "GEO",
    "LOGO", "MEMBER", "RELATED", "CATEGORIES", "PRODID", "REV", "SOUND", "UID", "CLIENTPIDMAP", "KEY", "FBURL",
    "CALADRURI", "CALURI", "LABEL", "MAILER", "NAME", "PROFILE", "AGENT", "CLASS", "SORT-STRING",
  ]

  static func payload(of text: String) -> Payload {
    let lines = unfolded(text)
    guard lines.first?.uppercased() == "BEGIN:VCARD",
      let end = lines.firstIndex(where: { $0.uppercased() == "END:VCARD" })
    else { return .malformed(.vcard, "END:VCARD is missing") }
    guard end == lines.count - 1 else { return .malformed(.vcard, "something follows END:VCARD") }
    var fields: [PayloadField] = []
    var content: [JSONValue] = []
    for line in lines[1..<end] {
      guard let property = Property(line) else {
        return .malformed(.vcard, "a line has no colon", fields: fields)
      }
      let value = unescaped(property.text)
      content += [.string(String(property.head)), .string(value)]
      guard let name = names[property.name] else { continue }
      fields.append(PayloadField(name, value))
    }
    guard fields["name"] != nil || fields["structuredName"] != nil else {
      return .malformed(.vcard, "the name is missing", fields: fields, field: "name")
    }
    return Payload(.vcard, fields: fields, content: .array(content))
  }

  /// A property: one line after unfolding.
  private struct Property {
    /// The name in capitals, without a group before it ("item1.").
    var name: String
    /// Group, name and parameters as written.
    var head: Substring
    private var value: Substring

    /// Parses a line; returns nil if it has no colon outside of quotation marks.
    init?(_ line: String) {
      var isQuoted = false
      let colon = line.utf8.firstIndex { byte in
        if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        return byte == UInt8(ascii: ":") && !isQuoted
      }
      guard let colon else { return nil }
      head = line[..<colon]
      value = line[line.utf8.index(after: colon)...]
      let first = head.split(separator: ";").first ?? ""
      name = (first.split(separator: ".").last ?? first).uppercased()
    }

    /// True if a vCard standard defines the name, or if it is an extension (`X-…`).
    var isKnown: Bool {
      VCard.names[name] != nil || VCard.otherNames.contains(name) || name.hasPrefix("X-")
    }

    /// The parameters in capitals.
    private var parameters: [String] { head.split(separator: ";").dropFirst().map { $0.uppercased() } }

    /// True if the value is quoted-printable (RFC 2045, section 6.7). vCard 2.1 allows the parameter without `ENCODING=`.
    var isQuotedPrintable: Bool {
      parameters.contains("ENCODING=QUOTED-PRINTABLE") || parameters.contains("QUOTED-PRINTABLE")
    }

    /// The value, decoded but not unescaped.
    var text: String {
      guard isQuotedPrintable else { return String(value) }
      var bytes: [UInt8] = []
      var rest = Array(value.utf8)[...]
      while let byte = rest.popFirst() {
        let digits = rest.count < 2 ? "" : String(decoding: rest.prefix(2), as: UTF8.self)
        if byte == UInt8(ascii: "="), digits.allSatisfy(\.isHexDigit), let decoded = UInt8(digits, radix: 16) {
          bytes.append(decoded)
          rest = rest.dropFirst(2)
        } else if byte != UInt8(ascii: "=") || !rest.isEmpty {
          bytes.append(byte)
        }
      }
      let charset = parameters.first { $0.hasPrefix("CHARSET=") }?.dropFirst(8)
      let named = charset.flatMap { VCard.charsets[String($0)] }.flatMap { TextConversion.text(bytes, from: $0) }
      return named ?? String(validating: bytes, as: UTF8.self) ?? TextConversion.text(bytes, from: "CP1252")
        ?? String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The supported values of the parameter `CHARSET`, with the C library's names. Converters for other character sets are not
  /// loaded.
  private static let charsets: [String: String] = {
    let same =
      (1...16).filter { $0 != 12 }.map { "ISO-8859-\($0)" }
      + ["KOI8-R", "KOI8-U", "GB2312", "GBK", "GB18030", "BIG5", "EUC-JP", "EUC-KR"]
    let windows = (1250...1258).map { ("WINDOWS-\($0)", "CP\($0)") }
    return Dictionary(uniqueKeysWithValues: same.map { ($0, $0) } + windows + [("SHIFT_JIS", "CP932")])
  }()

  /// Returns the lines of a text. Continuation lines are appended to the line before: lines that start with white space (RFC 6350,
  /// 3.2), lines after a soft line break of quoted-printable, and the further lines of a note or label that some programs break
  /// without folding.
  private static func unfolded(_ text: String) -> [String] {
    // vCard 2.1 folds lines before white space that belongs to the text (section 2.1.3), so the white space is kept.
    let keepsSpace = text.uppercased().contains("VERSION:2.1")
    var lines: [String] = []
    for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
      let previous = lines.last.flatMap(Property.init)
      if let previous, previous.isQuotedPrintable, lines[lines.count - 1].utf8.last == UInt8(ascii: "="),
        line.uppercased() != "END:VCARD"
      {
        lines[lines.count - 1].removeLast()
        lines[lines.count - 1] += line
      } else if let first = line.first, first == " " || first == "\t", !lines.isEmpty {
        lines[lines.count - 1] += keepsSpace ? line : line.dropFirst()
      } else if let previous, ["NOTE", "LABEL"].contains(previous.name), Property(String(line))?.isKnown != true {
        lines[lines.count - 1] += "\\n" + line
      } else {
        lines.append(String(line))
      }
    }
    return lines
  }

  /// Returns a value without its backslash escapes (RFC 6350, 3.4).
  private static func unescaped(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character == "n" || character == "N" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}
