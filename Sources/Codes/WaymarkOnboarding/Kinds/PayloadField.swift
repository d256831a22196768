/// One thing that a payload says, by name; what must not reach logs or other people's eyes is marked.
public struct PayloadField: Hashable, Sendable {
  /// The field's stable name, such as `appID` or `ssid`.
  public let name: String
  /// The content as the code spells it: data of a stranger, and perhaps a secret. Asking for it is the only way to it: a field
  /// that is printed, described, dumped or mirrored shows its value only where that is known to be harmless.
  public var value: String { content }
  private let content: String
  /// True if the value is a password, a token, or the like.
  public let isSecret: Bool
  /// True if the value is known to be no secret, so that observers may see it. What nobody vouches for is not.
  public internal(set) var isHarmless: Bool

  /// A field; `isSecret` marks what is shown only to those who ask for it, `isHarmless` what observers may see.
  public init(_ name: String, _ value: String, isSecret: Bool = false, isHarmless: Bool = false) {
    self.name = name
    content = value
    self.isSecret = isSecret
    self.isHarmless = isHarmless && !isSecret
  }

  /// The placeholder for a secret.
  public static let redaction = "[redacted]"

  /// The field without a secret.
  public var redacted: Self { isSecret ? Self(name, Self.redaction, isSecret: true) : self }

  /// The field as an observer may see it.
  public var forObservers: Self { isHarmless ? self : Self(name, Self.redaction, isSecret: isSecret) }
}

extension PayloadField {
  /// Returns whether a key that some vendor chose sounds like a secret; errs towards yes, because the cost of a hidden
  /// harmless value is small.
  static func looksSecret(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." && $0 != " " }
    // Where a token is fetched is not a secret.
    if ["endpoint", "url", "uri"].contains(where: plain.hasSuffix) { return false }
    if ["pin", "otp", "code", "sig", "signature", "pwd", "psk", "key", "auth", "sid"].contains(plain) { return true }
    return [
      "password", "passwd", "passphrase", "passcode", "kennwort", "passwort", "secret", "token", "apikey", "credential",
      "privatekey", "accesskey", "sharedkey", "symmetrickey", "bearer", "authorization", "cookie", "sessionid", "saml",
      "assertion",
    ].contains { plain.contains($0) }
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
      return PayloadField(
        "\(field.name).\(count)", field.value, isSecret: field.isSecret, isHarmless: field.isHarmless)
    }
  }
}

extension PayloadField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `name: value`, or `name: [redacted]` where the value is not known to be harmless.
  public var description: String { "\(name): \(isHarmless ? content : Self.redaction)" }
  /// As `description`.
  public var debugDescription: String { description }
  /// The name, and the value as `description` shows it.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "value": isHarmless ? content : Self.redaction], displayStyle: .struct)
  }
}
