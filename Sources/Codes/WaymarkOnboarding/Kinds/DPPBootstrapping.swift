import WaymarkSystem

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

  /// Base64 of a DER sequence: the compressed SubjectPublicKeyInfo of a NIST or Brainpool curve.
  private static func isKey(_ text: String) -> Bool {
    var digits = text.utf8.map {
      $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
    }
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    guard let bytes = Base64URL.decode(digits), bytes.count >= 40 else { return false }
    return bytes[0] == 0x30 && Int(bytes[1]) == bytes.count - 2
  }
}
