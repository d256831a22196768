/// One thing that a payload says, by name; what must not reach observers or logs is marked.
public struct PayloadField: Hashable, Sendable {
  /// The field's stable name, such as `appID` or `ssid`.
  public let name: String
  /// What the code says, as the code spells it: data of a stranger.
  public let value: String
  /// Whether the value is a password, a token, or the like.
  public let isSecret: Bool

  /// A field; `isSecret` marks what observers must not see.
  public init(_ name: String, _ value: String, isSecret: Bool = false) {
    self.name = name
    self.value = value
    self.isSecret = isSecret
  }

  /// What stands in place of a secret.
  public static let redaction = "[redacted]"

  /// The field as an observer may see it.
  public var redacted: Self { isSecret ? Self(name, Self.redaction, isSecret: true) : self }
}

extension PayloadField {
  /// Whether a key that some vendor chose sounds like a secret; errs towards yes, because the cost of a hidden
  /// harmless value is small.
  package static func soundsSecret(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." && $0 != " " }
    // Where a token is fetched is no secret.
    if ["endpoint", "url", "uri"].contains(where: plain.hasSuffix) { return false }
    if ["pin", "otp", "code", "sig", "signature", "pwd", "psk", "key"].contains(plain) { return true }
    return ["password", "passwd", "passphrase", "secret", "token", "apikey", "credential", "privatekey", "accesskey"]
      .contains { plain.contains($0) }
  }
}

extension [PayloadField] {
  /// The value of the first field of that name.
  package subscript(name: String) -> String? { first { $0.name == name }?.value }

  /// The fields with every name once, so that they can stand in an object: what comes again is numbered. Two hundred
  /// are more than any honest payload has.
  package var numbered: Self {
    let fields = prefix(200)
    var counts: [String: Int] = [:]
    var taken = Set(fields.map(\.name))
    return fields.map { field in
      counts[field.name, default: 0] += 1
      guard var count = counts[field.name], count > 1 else { return field }
      while !taken.insert("\(field.name).\(count)").inserted { count += 1 }
      return PayloadField("\(field.name).\(count)", field.value, isSecret: field.isSecret)
    }
  }
}
