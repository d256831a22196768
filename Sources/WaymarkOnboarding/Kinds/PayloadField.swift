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
    if ["pin", "otp", "code", "sig", "signature", "pwd", "psk", "key"].contains(plain) { return true }
    return ["password", "passwd", "passphrase", "secret", "token", "apikey", "credential", "privatekey", "accesskey"]
      .contains { plain.contains($0) }
  }
}

extension [PayloadField] {
  /// The value of the first field of that name.
  package subscript(name: String) -> String? { first { $0.name == name }?.value }
}
