import WaymarkSystem

/// Wi-Fi Easy Connect: `DPP:C:81/1;M:mac;K:key;;` (specification 2.0, section 5.2.1). The key is a public one.
package enum DPPBootstrapping {
  private static let names = [
    "C": "channels", "M": "mac", "I": "information", "K": "publicKey", "V": "version", "H": "host",
  ]

  /// Takes the text apart.
  package static func payload(of text: String) -> Payload {
    guard let pairs = SemicolonFields.parse(text.dropFirst(4)) else {
      return .malformed(.dpp, "the fields are not letter:value; each")
    }
    var fields: [PayloadField] = []
    for (name, value) in pairs {
      if fields[names[name] ?? name] != nil {
        return .malformed(.dpp, "\"\(name)\" occurs twice", fields: fields)
      }
      fields.append(PayloadField(names[name] ?? name, value))
    }
    guard let key = fields["publicKey"], isKey(key) else {
      return .malformed(.dpp, "the public key is missing or not base64", fields: fields)
    }
    if let mac = fields["mac"], mac.utf8.count != 12 || !mac.allSatisfy(\.isHexDigit) {
      return .malformed(.dpp, "the device address is not twelve hexadecimal digits", fields: fields)
    }
    var payload = Payload(.dpp, fields: fields, content: .array(pairs.map { .string($0.value) }))
    if let name = fields["host"] {
      let (host, port) = WebAddress.split(name)
      payload.furtherHosts.append(.init(name: "host", scheme: "", host: host, port: port))
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
