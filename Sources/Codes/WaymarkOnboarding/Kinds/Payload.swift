import WaymarkSystem

/// The kind of a code's text: a stable word for programs, built in or declared by the integrator. The file also has parsed payloads
/// (`Payload`) and their fields (`PayloadField`).
public struct PayloadKind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The word as policies, replies and events spell it.
  public let rawValue: String

  /// Creates a kind from its word.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The word itself.
  public var description: String { rawValue }
}

// MARK: - Payloads

/// A parsed payload: its kind, its fields, and the hosts that it names. The policy has not been applied yet.
package struct Payload: Sendable, Hashable {
  package var kind: PayloadKind
  /// The fields, in the order of the payload.
  package var fields: [PayloadField]
  /// The deviation from the form of the kind, in words; nil for a well-formed payload.
  package var problem: String?
  /// The name of the field that breaks the form; nil if no single field does.
  var problemField: String?
  /// The host to connect to, which a person is shown; nil if the payload names none.
  var host: Endpoint?
  /// Further hosts without a scheme that the kind names, such as a proxy.
  var furtherHosts: [Endpoint] = []
  /// All member names and strings of the payload, even if they are not in `fields`. Every address in them is judged.
  var content: JSONValue
  /// The exceptions for the search for addresses in `content`.
  var rules = AddressRules()
  /// A remark for the explanation if the policy refuses the kind.
  package var remark: String?
  /// In words, the keys that the payload lacks, or the pattern that it misses, to be of an accepted kind; nil if it resembles none of
  /// them.
  var nearMiss: String?

  init(
    _ kind: PayloadKind, fields: [PayloadField] = [], problem: String? = nil, host: Endpoint? = nil, content: JSONValue
  ) {
    self.kind = kind
    self.fields = fields
    self.problem = problem
    self.host = host
    self.content = content
  }

  /// Returns a payload that carries the marks of its kind but breaks the kind's form.
  static func malformed(
    _ kind: PayloadKind, _ problem: String, fields: [PayloadField] = [], field: String? = nil
  ) -> Self {
    var payload = Self(kind, fields: fields, problem: problem, content: .null)
    payload.problemField = field
    return payload
  }

  /// Returns the end of a sentence about a required string, such as `is missing` or `is empty`; nil if the string is present and
  /// not empty.
  static func problem(of value: JSONValue?) -> String? {
    guard let value else { return "is missing" }
    guard let text = value.string else { return "is not a string" }
    return text.isEmpty ? "is empty" : nil
  }

  /// True if there is a field for every value of the content.
  var hasFieldsForAll: Bool {
    // An empty object or list also counts as one value, because its name occurs in the text of the code.
    func values(_ value: JSONValue) -> Int {
      let inner = value.members?.map(\.value) ?? value.array ?? []
      return inner.isEmpty ? 1 : inner.reduce(0) { $0 + values($1) }
    }
    return values(content) == fields.count
  }

  /// The exceptions that a kind makes from the usual search for addresses.
  struct AddressRules: Hashable, Sendable {
    /// The names, in lower case, of members whose addresses are not judged.
    var skippedNames: Set<String> = []
    /// True if a value without a scheme is an address when its key ends in host, hostname, server, url, uri or endpoint.
    var readsBareHosts = false
  }

  /// An address in a payload, to which a device could connect.
  struct Endpoint: Sendable, Hashable {
    /// The name of the field or member that contains the address, for explanations.
    var name: String
    /// The scheme in lower case; empty if the payload has none.
    var scheme: String
    /// The host, or the error if it is invalid.
    var host: Result<HostName, HostError>
    /// The port; nil if none is written.
    var port: UInt16?

    /// `host`, or `host:port` for a port other than the scheme's default; nil if the host is invalid.
    var authority: String? {
      guard case .success(let host) = host else { return nil }
      guard let port, port != (scheme == "http" ? 80 : 443) else { return host.ascii }
      return "\(host.ascii):\(port)"
    }
  }
}

extension Payload.Endpoint {
  /// Creates an endpoint from a web address.
  init(name: String, _ address: WebAddress) {
    self.init(name: name, scheme: address.scheme, host: address.host, port: address.port)
  }

  /// Creates an endpoint from a host, alone or with a port.
  init(name: String, scheme: String, authority: String) {
    let (host, port) = WebAddress.split(authority)
    self.init(name: name, scheme: scheme, host: host, port: port)
  }

  /// Creates an endpoint from an address, or from a host without a scheme, which means https.
  init(name: String, hostOrAddress text: String) {
    if let address = WebAddress(text) {
      self.init(name: name, address)
    } else {
      self.init(name: name, scheme: "https", authority: text)
    }
  }
}

// MARK: - Fields

/// A named value of a payload, with marks for secret values and for values that observers may see.
public struct PayloadField: Hashable, Sendable {
  /// The field's stable name, such as `appID` or `ssid`.
  public let name: String
  /// The value as it is in the code: untrusted, and perhaps secret. `description` and `customMirror` contain it only if
  /// `isHarmless` is true.
  public var value: String { content }
  private let content: String
  /// True if the value is a password, a token, or the like.
  public let isSecret: Bool
  /// True if observers may see the value. Its kind lists the name as harmless, or lists it as a place and the value is a host or a
  /// plain web address (`WebAddress.isBarePlace`).
  public internal(set) var isHarmless: Bool

  /// Creates a field; a secret one is never harmless.
  public init(_ name: String, _ value: String, isSecret: Bool = false, isHarmless: Bool = false) {
    self.name = name
    content = value
    self.isSecret = isSecret
    self.isHarmless = isHarmless && !isSecret
  }

  /// The placeholder for a secret.
  public static let redaction = "[redacted]"

  /// The field, with `redaction` in place of a secret value.
  public var redacted: Self { isSecret ? Self(name, Self.redaction, isSecret: true) : self }

  /// The field, with `redaction` in place of a value that observers may not see.
  public var forObservers: Self { isHarmless ? self : Self(name, Self.redaction, isSecret: isSecret) }
}

extension PayloadField {
  /// Creates a field with a name that a vendor chose; the field is secret if the name sounds like a secret.
  init(vendor name: String, _ value: String) { self.init(name, value, isSecret: Self.looksSecret(name)) }

  /// Returns whether the name of a vendor's own field sounds like a secret; hiding a harmless value costs little.
  static func looksSecret(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." && $0 != " " }
    // The address of a token endpoint is not a secret.
    if ["endpoint", "url", "uri"].contains(where: plain.hasSuffix) { return false }
    let words: Set<String> = [
      "pin", "puk", "otp", "code", "sig", "signature", "pwd", "psk", "pass", "key", "auth", "sid", "senha", "mdp",
    ]
    if words.contains(plain) { return true }
    return [
      "password", "passwd", "passphrase", "passcode", "kennwort", "passwort", "secret", "token", "apikey", "credential",
      "privatekey", "accesskey", "sharedkey", "symmetrickey", "symkey", "masterkey", "encryptionkey", "bearer",
      "authorization", "cookie", "sessionid", "saml", "assertion", "mnemonic", "seedphrase", "recoveryphrase",
      "recoverycode", "motdepasse", "contrase\u{F1}a", "contrasena", "wachtwoord",
      "\u{43F}\u{430}\u{440}\u{43E}\u{43B}\u{44C}",
    ].contains { plain.contains($0) }
  }
}

extension [PayloadField] {
  /// The value of the first field of that name.
  package subscript(name: String) -> String? { first { $0.name == name }?.value }

  /// The first 200 fields, with unique names, as the members of a JSON object must have: a repeated name gets a number.
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
