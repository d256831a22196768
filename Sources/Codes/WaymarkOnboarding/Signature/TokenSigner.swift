public import FoundationEssentials
public import WaymarkSystem

/// Makes signed tokens for printing: the payload as it is, with claims added where wished.
public struct TokenSigner: Sendable {
  /// The claims to add to the payload.
  public struct Claims: Sendable, Hashable {
    /// `iss`.
    public var issuer: String?
    /// `aud`.
    public var audience: String?
    /// `exp`.
    public var expires: Date?
    /// `nbf`.
    public var notBefore: Date?
    /// `iat`.
    public var issuedAt: Date?
    /// `jti`.
    public var identifier: String?

    /// No claims.
    public init() {}
  }

  private let key: SigningKey
  private let algorithm: SignatureAlgorithm

  /// A signer with a key, and with an algorithm if the key's usual one will not do.
  public init(key: SigningKey, algorithm: SignatureAlgorithm? = nil) {
    self.key = key
    self.algorithm = algorithm ?? key.defaultAlgorithm
  }

  /// The claims of a payload that those given would replace, as `"exp"`.
  public static func claims(of payload: String, replacedBy claims: Claims) throws(OnboardingError) -> [String] {
    let members = try members(of: payload)
    return additions(claims).filter { addition in members.contains { $0.name == addition.name } }.map {
      "\"\($0.name)\""
    }
  }

  private static func members(of payload: String) throws(OnboardingError) -> [JSONValue.Member] {
    let value: JSONValue
    do {
      value = try JSONParser.parse(payload)
    } catch {
      throw OnboardingError(
        .badPayload, "The payload is not JSON: \(error.problem) (byte \(error.offset)).", hint: "Use one JSON object.")
    }
    guard let members = value.members else {
      throw OnboardingError(.badPayload, "The payload is not a JSON object.", hint: "Use one JSON object.")
    }
    return members
  }

  private static func additions(_ claims: Claims) -> [JSONValue.Member] {
    // A moment outside of all calendars would not fit into a whole number.
    let seconds = { (date: Date?) in
      date.map { JSONValue.number(String(Int(min(max(0, $0.timeIntervalSince1970.rounded(.down)), 253_402_300_799)))) }
    }
    let values: [(String, JSONValue?)] = [
      ("iss", claims.issuer.map(JSONValue.string)), ("aud", claims.audience.map(JSONValue.string)),
      ("nbf", seconds(claims.notBefore)), ("iat", seconds(claims.issuedAt)), ("exp", seconds(claims.expires)),
      ("jti", claims.identifier.map(JSONValue.string)),
    ]
    return values.compactMap { name, value in value.map { .init(name, $0) } }
  }

  /// The compact token for a JSON object. A claim that the object already has is replaced.
  public func token(for payload: String, claims: Claims = Claims()) throws(OnboardingError) -> String {
    let additions = Self.additions(claims)
    var members = try Self.members(of: payload)
    members.removeAll { member in additions.contains { $0.name == member.name } }
    members += additions
    var header: [JSONValue.Member] = [.init("alg", .string(algorithm.rawValue)), .init("typ", .string("JWT"))]
    if let id = key.id { header.append(.init("kid", .string(id))) }
    let signed =
      Base64URL.encode(JSONValue.object(header).compactText.utf8) + "."
      + Base64URL.encode(JSONValue.object(members).compactText.utf8)
    return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8), with: algorithm))
  }
}
