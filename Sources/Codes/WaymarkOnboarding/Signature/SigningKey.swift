public import FoundationEssentials
import WaymarkCrypto
public import WaymarkSystem

/// A private key that signs payloads for printing.
public struct SigningKey: Sendable {
  private let material: PrivateKey
  /// The key's identifier, which is written into the token's header (`kid`), or `nil`.
  public let id: String?

  /// Generates a key for an algorithm.
  public init(generating algorithm: SignatureAlgorithm, id: String? = nil) throws(OnboardingError) {
    guard let key = try? PrivateKey(generating: algorithm.keyKind) else {
      throw OnboardingError(.badKey, "No key could be made.", hint: "Free some memory and try again.")
    }
    material = key
    self.id = id
  }

  /// Reads a private key from PEM.
  public init(pem text: String, id: String? = nil) throws(OnboardingError) {
    guard let block = PEMBlock.all(in: text).first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
      throw OnboardingError(
        .badKey, "The key file contains no PEM private key.",
        hint: "Make one with: waymark onboarding keygen --key FILE, or openssl genpkey.")
    }
    try self.init(pem: block, id: id)
  }

  /// Reads a private key from a block: PKCS #8, SEC 1 or PKCS #1.
  package init(pem block: PEMBlock, id: String?) throws(OnboardingError) {
    let der = block.bytes
    if block.label.contains("ENCRYPTED") {
      throw OnboardingError(
        .badKey, "The private key is encrypted.", hint: "Decrypt it first: openssl pkey -in FILE -out PLAIN")
    }
    guard let key = try? PrivateKey(der: der) else {
      throw OnboardingError(
        .badKey, "The private key cannot be used.",
        hint: "Keys are EC on P-256, P-384 or P-521, Ed25519, or RSA of at least 2048 bits.")
    }
    material = key
    self.id = id
  }

  /// The algorithm with which the key signs by default: the only one of its type, RS256 for RSA.
  public var defaultAlgorithm: SignatureAlgorithm {
    switch material.kind {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    case .rsa: .rs256
    case .ed25519: .edDSA
    }
  }

  /// The public half, for the keys of a policy.
  public var publicKey: VerificationKey {
    get throws(OnboardingError) { try VerificationKey(material.publicKey, id: id) }
  }

  /// The private key in PEM (PKCS #8).
  public var pem: String { material.pem }

  /// The public half in PEM (SubjectPublicKeyInfo).
  public var publicPEM: String { material.publicKey.pem }

  /// Signs a message; returns the signature in the form of a JWS (RFC 7518, section 3: for ECDSA, r and s
  /// concatenated).
  package func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(OnboardingError) -> [UInt8] {
    guard algorithm.keyKind == material.kind else {
      throw OnboardingError(
        .badKey, "The key does not sign with \(algorithm.rawValue).",
        hint: "It signs with \(defaultAlgorithm.rawValue).")
    }
    do {
      return try material.sign(message, hash: algorithm.hash)
    } catch {
      throw OnboardingError(.badKey, "The key refused to sign.", hint: "Check the key with openssl pkey -check.")
    }
  }
}

extension SigningKey {
  /// The public half as a JWK set (RFC 7517), for the key file of a policy.
  public var publicJWKSet: String {
    var members: [JSONValue.Member] = publicMembers.map { .init($0.0, .string($0.1)) }
    members.append(.init("use", .string("sig")))
    if let id { members.append(.init("kid", .string(id))) }
    return JSONValue.object([.init("keys", .array([.object(members)]))]).compactText
  }

  /// The members of the public JWK (RFC 7518, section 6; RFC 8037, section 2).
  private var publicMembers: [(String, String)] {
    let algorithm = defaultAlgorithm.rawValue
    return switch material.publicKey.numbers {
    case .point(let x, let y):
      [
        ("kty", "EC"), ("crv", material.kind.curve?.name ?? ""), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y)),
        ("alg", algorithm),
      ]
    case .encoded(let bytes): [("kty", "OKP"), ("crv", "Ed25519"), ("x", Base64URL.encode(bytes)), ("alg", algorithm)]
    // No "alg": the same key serves RS256, RS384 and RS512.
    case .rsa(let modulus, let exponent):
      [("kty", "RSA"), ("n", Base64URL.encode(modulus)), ("e", Base64URL.encode(exponent))]
    }
  }
}

// MARK: - Tokens

/// Makes signed tokens for printing: a payload with added claims.
public struct TokenSigner: Sendable {
  /// The claims to add to the payload.
  public struct Claims: Sendable, Hashable {
    /// The issuer, `iss`.
    public var issuer: String?
    /// The audience, `aud`.
    public var audience: String?
    /// The time from which the token is expired, `exp`.
    public var expires: Date?
    /// The time before which the token is not valid, `nbf`.
    public var notBefore: Date?
    /// The time of issue, `iat`.
    public var issuedAt: Date?
    /// The unique identifier of the token, `jti`.
    public var identifier: String?

    /// Creates a set without claims.
    public init() {}
  }

  private let key: SigningKey
  private let algorithm: SignatureAlgorithm

  /// - Parameters:
  ///   - key: the private key.
  ///   - algorithm: nil for the key's default.
  public init(key: SigningKey, algorithm: SignatureAlgorithm? = nil) {
    self.key = key
    self.algorithm = algorithm ?? key.defaultAlgorithm
  }

  /// Returns the names, in quotation marks, of the claims in `payload` that `claims` would replace.
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
    // Limited to the years 1970 to 9999, so that the conversion to `Int` does not trap.
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

  /// Signs a JSON object with the added claims; returns the compact token. A claim that the object already has is
  /// replaced.
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

// MARK: - PEM

/// One `-----BEGIN …-----` block (RFC 7468).
package struct PEMBlock: Sendable, Hashable {
  package let label: String
  package let bytes: [UInt8]

  /// Returns the blocks of a text whose content is base64; other blocks and the text around them are skipped.
  package static func all(in text: String) -> [PEMBlock] {
    var blocks: [PEMBlock] = []
    var label: String?
    var content = ""
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.filter { !$0.isWhitespace || $0 == " " }
      if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
        label = String(line.dropFirst(11).dropLast(5))
        content = ""
      } else if let open = label, line == "-----END \(open)-----" {
        if let data = Data(base64Encoded: content) { blocks.append(PEMBlock(label: open, bytes: Array(data))) }
        label = nil
      } else if label != nil {
        content += line.filter { $0 != " " }
      }
    }
    return blocks
  }
}
