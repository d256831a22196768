import WaymarkSystem

/// A contact (RFC 6350 and its forerunners).
package enum VCard {
  private static let names = [
    "FN": "name", "N": "structuredName", "ORG": "organization", "TITLE": "title", "ROLE": "role", "TEL": "phone",
    "EMAIL": "email", "URL": "url", "ADR": "address", "NOTE": "note", "BDAY": "birthday", "VERSION": "version",
  ]

  /// Takes the text apart.
  package static func payload(of text: String) -> Payload {
    let lines = unfolded(text)
    guard lines.first?.uppercased() == "BEGIN:VCARD",
      let end = lines.firstIndex(where: { $0.uppercased() == "END:VCARD" })
    else { return .malformed(.vcard, "END:VCARD is missing") }
    guard end == lines.count - 1 else { return .malformed(.vcard, "something follows END:VCARD") }
    var fields: [PayloadField] = []
    var content: [JSONValue] = []
    for line in lines[1..<end] where !line.isEmpty {
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
        return .malformed(.vcard, "a line has no colon", fields: fields)
      }
      // Groups ("item1.") stand before the property's name, parameters behind a semicolon.
      let head = line[..<colon].split(separator: ";").first ?? ""
      let property = (head.split(separator: ".").last ?? head).uppercased()
      let value = unescaped(line[line.utf8.index(after: colon)...])
      content += [.string(String(line[..<colon])), .string(value)]
      guard let name = names[property] else { continue }
      fields.append(PayloadField(name, value))
    }
    guard fields["name"] != nil || fields["structuredName"] != nil else {
      return .malformed(.vcard, "the name is missing", fields: fields)
    }
    return Payload(.vcard, fields: fields, content: .array(content))
  }

  /// Lines that start with white space belong to the one before (RFC 6350, 3.2).
  private static func unfolded(_ text: String) -> [String] {
    var lines: [String] = []
    for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
      if let first = line.first, first == " " || first == "\t", !lines.isEmpty {
        lines[lines.count - 1] += line.dropFirst()
      } else {
        lines.append(String(line))
      }
    }
    return lines
  }

  /// RFC 6350, 3.4.
  private static func unescaped(_ text: Substring) -> String {
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
