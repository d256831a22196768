import WaymarkSystem

// The kinds of Wi-Fi codes: access (`WiFiNetwork`) and Wi-Fi Easy Connect (`DPPBootstrapping`), with the parser of both
// (`SemicolonFields`).

extension PayloadKind {
  /// Wi-Fi access, `WIFI:…;;`.
  public static let wifi = Self(rawValue: "wifi")
}

/// Wi-Fi access: `WIFI:T:WPA;S:name;P:secret;H:true;;`, by the grammar of ZXing or of the WPA3 specification, section 7.1.
enum WiFiNetwork: BuiltInKind {
  static let kind = PayloadKind.wifi
  static var form: PayloadForm { .prefix("WIFI:", payload: payload) }
  static let allowsOtherEncodings = true

  static func shows(_ field: String) -> Bool {
    ["ssid", "security", "hidden", "eapmethod", "phase2", "transitiondisable", "publickey"].contains(field.lowercased())
  }

  static func isHarmless(_ text: String, _ payload: Payload) -> Bool { true }

  private static let names: [String: (field: String, isSecret: Bool)] = [
    "S": ("ssid", false), "T": ("security", false), "P": ("password", true), "H": ("hidden", false),
    "E": ("eapMethod", false), "A": ("anonymousIdentity", false), "PH2": ("phase2", false),
    "R": ("transitionDisable", false), "K": ("publicKey", false),
  ]

  static func payload(of text: String) -> Payload {
    guard let pairs = pairs(of: text.dropFirst(5)) else {
      return .malformed(.wifi, "the fields are not letter:value; each")
    }
    let type = pairs.first { $0.name == "T" }?.value ?? ""
    let isEnterprise = type.uppercased().contains("EAP")
    var fields: [PayloadField] = []
    var problem: String?
    for (name, value) in pairs {
      // `I` is the identifier of the password (WPA3), or with EAP the identity of the person.
      let known = name == "I" ? (isEnterprise ? "identity" : "passwordIdentifier", false) : names[name]
      let field = known?.0 ?? name
      if fields[field] != nil { problem = problem ?? "\"\(name)\" occurs twice" }
      fields.append(PayloadField(field, value, isSecret: known?.1 ?? false))
    }
    guard let network = fields["ssid"], !network.isEmpty else {
      return .malformed(.wifi, "the network's name is missing", fields: fields, field: "ssid")
    }
    let isOpen = ["", "NOPASS"].contains(type.uppercased())
    if !isOpen, !isEnterprise, fields["password"]?.isEmpty ?? true, fields["publicKey"] == nil {
      problem = problem ?? "the network is protected, and its password is missing"
    }
    return Payload(.wifi, fields: fields, problem: problem, content: .array(pairs.map { .string($0.value) }))
  }

  /// Returns the names and decoded values of the fields; nil if the text does not have the form `X:value;Y:value;;`.
  private static func pairs(of text: Substring) -> [(name: String, value: String)]? {
    guard let fields = SemicolonFields.parse(text) else { return nil }
    // Only the grammar of WPA3 has the fields `R` and `K`. Its values are percent-encoded, so a backslash before an ordinary
    // character is kept.
    if fields.contains(where: { $0.name == "R" || $0.name == "K" }),
      let encoded = SemicolonFields.parse(text, unescapesAll: false)
    {
      return encoded.map { field in
        let isText = ["S", "P", "I"].contains(field.name)
        return (field.name, isText ? PercentCoding.decode(field.value.utf8) ?? field.value : field.unquotedHex)
      }
    }
    return fields.map { ($0.name, ["S", "P"].contains($0.name) ? $0.unquotedHex : $0.value) }
  }
}

// MARK: - Fields between semicolons

/// Parses `X:value;Y:value;;`, the form of `WIFI:` and `DPP:` codes, in which `\` escapes `\ ; , " :`.
package enum SemicolonFields {
  /// A field: a name, a colon and a value.
  package struct Field: Hashable {
    /// The name: capital letters and digits.
    package var name: String
    /// The text behind the colon, unescaped.
    package var value: String
    /// True if the text begins and ends with quotation marks that are not escaped.
    var isQuoted = false

    /// The value without its quotation marks if these enclose only hexadecimal digits: the marks mean that the digits are text, not
    /// encoded bytes (ZXing, "Barcode Contents").
    var unquotedHex: String {
      let inner = value.dropFirst().dropLast()
      guard isQuoted, !inner.isEmpty, inner.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return value }
      return String(inner)
    }
  }

  /// Returns the fields in the order of the text; nil if the text does not have the form, or has more than 64 fields.
  ///
  /// - Parameter unescapesAll: false to keep a backslash before a character other than `\ ; , : "`.
  package static func parse(_ text: some StringProtocol, unescapesAll: Bool = true) -> [Field]? {
    var result: [Field] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      if byte == UInt8(ascii: ";") {
        rest = rest.dropFirst()
        // An empty field ends the list; text after it is an error.
        return rest.isEmpty ? result : nil
      }
      guard result.count < 64, let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let name = rest[..<colon]
      guard !name.isEmpty, name.allSatisfy({ $0.isASCIIDigit || (0x41...0x5A).contains($0) }) else {
        return nil
      }
      rest = rest[(colon + 1)...]
      var value: [UInt8] = []
      var isClosed = false
      let isOpenedByQuote = rest.first == UInt8(ascii: "\"")
      var endsWithQuote = false
      while let next = rest.popFirst() {
        if next == UInt8(ascii: ";") {
          isClosed = true
          break
        }
        endsWithQuote = next == UInt8(ascii: "\"")
        if next == UInt8(ascii: "\\") {
          guard let escaped = rest.popFirst() else { return nil }
          if !unescapesAll, !#"\;,":"#.utf8.contains(escaped) { value.append(next) }
          value.append(escaped)
        } else {
          value.append(next)
        }
      }
      guard isClosed, let decoded = String(validating: value, as: UTF8.self) else { return nil }
      result.append(
        Field(
          name: String(decoding: name, as: UTF8.self), value: decoded,
          isQuoted: isOpenedByQuote && endsWithQuote && value.count > 2))
    }
    return result
  }
}

extension PayloadKind {
  /// Wi-Fi Easy Connect, `DPP:…;;`.
  public static let dpp = Self(rawValue: "dpp")
}

/// Wi-Fi Easy Connect: `DPP:C:81/1;M:mac;K:key;;` (specification 2.0, section 5.2.1). `K` is a public key.
enum DPPBootstrapping: BuiltInKind {
  static let kind = PayloadKind.dpp
  static var form: PayloadForm { .prefix("DPP:", payload: payload) }

  static func shows(_ field: String) -> Bool {
    ["channels", "mac", "publickey", "version", "host"].contains(field.lowercased())
  }

  static func isHarmless(_ text: String, _ payload: Payload) -> Bool { true }

  private static let names = [
    "C": "channels", "M": "mac", "I": "information", "K": "publicKey", "V": "version", "H": "host",
  ]

  static func payload(of text: String) -> Payload {
    guard let pairs = SemicolonFields.parse(text.dropFirst(4)) else {
      return .malformed(.dpp, "the fields are not letter:value; each")
    }
    var fields: [PayloadField] = []
    for pair in pairs {
      let name = names[pair.name] ?? pair.name
      if fields[name] != nil {
        return .malformed(.dpp, "\"\(pair.name)\" occurs twice", fields: fields)
      }
      fields.append(PayloadField(name, pair.value))
    }
    guard let key = fields["publicKey"], isKey(key) else {
      return .malformed(.dpp, "the public key is missing or not base64", fields: fields, field: "publicKey")
    }
    if let mac = fields["mac"], mac.utf8.count != 12 || !mac.allSatisfy(\.isHexDigit) {
      return .malformed(.dpp, "the device address is not twelve hexadecimal digits", fields: fields, field: "mac")
    }
    var payload = Payload(.dpp, fields: fields, content: .array(pairs.map { .string($0.value) }))
    if let name = fields["host"] {
      payload.furtherHosts.append(.init(name: "host", scheme: "", authority: name))
    }
    return payload
  }

  /// Returns whether a text is base64 of a DER sequence, the form of a compressed SubjectPublicKeyInfo of a NIST or
  /// Brainpool curve.
  private static func isKey(_ text: String) -> Bool {
    var digits = text.utf8.map {
      $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
    }
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    guard let bytes = Base64URL.decode(digits), bytes.count >= 40 else { return false }
    return bytes[0] == 0x30 && Int(bytes[1]) == bytes.count - 2
  }
}
