import WaymarkSystem

extension PayloadKind {
  /// A one-time password set-up, `otpauth://`.
  public static let otpauth = Self(rawValue: "otpauth")
}

/// One-time password set-up: `otpauth://totp/Label?secret=BASE32&issuer=…` (Google's key URI format).
enum OTPAuth: BuiltInKind {
  static let kind = PayloadKind.otpauth
  static var form: PayloadForm { .prefix("OTPAUTH://", payload: payload) }

  static func shows(_ field: String) -> Bool {
    ["type", "issuer", "algorithm", "digits", "period"].contains(field.lowercased())
  }

  static func payload(of text: String) -> Payload {
    guard let parts = URLParts(text), let items = PercentCoding.items(parts.query ?? ""),
      let label = PercentCoding.decode(parts.path.utf8.dropFirst())
    else { return .malformed(.otpauth, "this is not a valid URL") }
    var fields = [PayloadField("type", parts.authority.lowercased()), PayloadField("label", label)]
    for item in items {
      let name = item.name.lowercased()
      if fields[name] != nil {
        return .malformed(.otpauth, "a parameter occurs twice", fields: fields)
      }
      fields.append(PayloadField(vendor: name, item.value))
    }
    let content = JSONValue.array(
      (fields.map(\.value) + items.map(\.name) + [parts.fragment ?? ""]).map { .string($0) })
    return Payload(.otpauth, fields: fields, problem: problem(fields), content: content)
  }

  private static func problem(_ fields: [PayloadField]) -> String? {
    let type = fields["type"]
    guard type == "totp" || type == "hotp" else { return "the type is neither totp nor hotp" }
    guard let secret = fields["secret"], isBase32(secret) else { return "the secret is missing or not base32" }
    if let name = fields["algorithm"], !["SHA1", "SHA256", "SHA512", "MD5"].contains(name.uppercased()) {
      return "the algorithm is not known"
    }
    if let digits = fields["digits"], !["6", "7", "8", "9", "10"].contains(digits) {
      return "the number of digits is not 6 to 10"
    }
    if let period = fields["period"], (Int(period) ?? 0) < 1 { return "the period is not a positive number of seconds" }
    if type == "hotp", (fields["counter"].flatMap { Int($0) } ?? -1) < 0 { return "the counter is missing" }
    return nil
  }

  /// Returns whether a text is base32 (RFC 4648, section 6) in letters of either case, with or without padding, spaces
  /// and hyphens.
  private static func isBase32(_ text: String) -> Bool {
    var digits = text.uppercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
    while digits.last == UInt8(ascii: "=") { digits.removeLast() }
    return !digits.isEmpty && digits.allSatisfy { (0x41...0x5A).contains($0) || (0x32...0x37).contains($0) }
  }
}
