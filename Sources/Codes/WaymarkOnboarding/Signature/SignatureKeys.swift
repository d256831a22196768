public import FoundationEssentials
import WaymarkCrypto
public import WaymarkSystem

/// A public key of the policy, with the algorithms that it verifies. The file also has the algorithms
/// (`SignatureAlgorithm`), the private key (`SigningKey`) with which `TokenSigner` makes tokens, and the blocks of PEM
/// (`PEMBlock`).
public struct VerificationKey: Sendable {
  /// The key's identifier (`kid`), if it has one.
  public let id: String?
  /// The algorithms that the key verifies.
  public let algorithms: Set<SignatureAlgorithm>
  private let material: PublicKey

  /// - Parameter algorithm: the only algorithm of the key; nil for all algorithms of its type.
  /// - Throws: `badKey` if keys of this type do not support `algorithm`, and for an Ed25519 point of low order.
  init(_ material: PublicKey, id: String?, algorithm: SignatureAlgorithm? = nil) throws(OnboardingError) {
    let served = Set(SignatureAlgorithm.allCases.filter { $0.keyKind == material.kind })
    if let algorithm, !served.contains(algorithm) {
      throw OnboardingError(
        .badKey, "The key \(Self.name(id)) says that it is for \(algorithm.rawValue), which its type cannot do.",
        hint: "Correct its \"alg\", or leave it out.")
    }
    if case .encoded(let bytes) = material.numbers, Self.isLowOrder(bytes) {
      throw OnboardingError(
        .badKey, "The key \(Self.name(id)) is a point of low order, under which signatures can be made up.",
        hint: "Ask its issuer for a proper key.")
    }
    self.id = id
    self.material = material
    self.algorithms = algorithm.map { [$0] } ?? served
  }

  /// Returns whether an Ed25519 key is one of the points of order 1, 2, 4 or 8, in any of their encodings (RFC 8032, 5.1.3;
  /// "Taming the many EdDSAs", table 1). The sign bit does not matter.
  private static func isLowOrder(_ key: [UInt8]) -> Bool {
    guard key.count == 32 else { return false }
    let eight: [UInt8] = [
      0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF, 0xAC,
      0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
    ]
    let otherEight: [UInt8] = [
      0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A, 0x20, 0x53,
      0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
    ]
    let y = key.dropLast() + [key[31] & 0x7F]
    let middle = y.dropFirst().dropLast()
    if middle.allSatisfy({ $0 == 0 }), y[31] == 0 { return y[0] <= 1 }
    // p - 1, p and p + 1 for p = 2^255 - 19.
    if middle.allSatisfy({ $0 == 0xFF }), y[31] == 0x7F { return (0xEC...0xEE).contains(y[0]) }
    return Array(y) == eight || Array(y) == otherEight
  }

  /// Returns the identifier of a key in quotation marks, for explanations; `without an identifier` for nil.
  package static func name(_ id: String?) -> String {
    id.map { "\"\(DisplayText.escaped($0, limit: 80))\"" } ?? "without an identifier"
  }

  /// Returns the warning about a private key in a file of public keys.
  static func privateWarning(_ id: String?) -> String {
    "the key \(name(id)) includes its private key, so everyone who can read this file can sign"
  }

  /// Returns whether `signature` is a signature of `message` by this key with `algorithm`.
  package func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
    algorithms.contains(algorithm) && material.isSignature(signature, of: message, hash: algorithm.hash)
  }
}

/// The signature algorithms that a policy may accept (RFC 7518, RFC 8037). `none` and algorithms with a shared secret are excluded.
public enum SignatureAlgorithm: String, Sendable, Hashable, Codable, CaseIterable {
  /// ECDSA on P-256 with SHA-256.
  case es256 = "ES256"
  /// ECDSA on P-384 with SHA-384.
  case es384 = "ES384"
  /// ECDSA on P-521 with SHA-512.
  case es512 = "ES512"
  /// RSA with PKCS #1 v1.5 padding and SHA-256.
  case rs256 = "RS256"
  /// RSA with PKCS #1 v1.5 padding and SHA-384.
  case rs384 = "RS384"
  /// RSA with PKCS #1 v1.5 padding and SHA-512.
  case rs512 = "RS512"
  /// Ed25519.
  case edDSA = "EdDSA"
}

extension SignatureAlgorithm {
  /// The hash function whose digest is signed; nil for Ed25519, which hashes the message itself.
  var hash: HashFunction? {
    switch self {
    case .es256, .rs256: .sha256
    case .es384, .rs384: .sha384
    case .es512, .rs512: .sha512
    case .edDSA: nil
    }
  }

  /// The kind of key that the algorithm requires.
  var keyKind: KeyKind {
    switch self {
    case .es256: .p256
    case .es384: .p384
    case .es512: .p521
    case .rs256, .rs384, .rs512: .rsa
    case .edDSA: .ed25519
    }
  }
}

// MARK: - Signing

/// A private key that signs payloads for printing.
public struct SigningKey: Sendable {
  private let material: PrivateKey
  /// The key's identifier, which is written into the token's header (`kid`), or `nil`.
  public let id: String?

  /// Generates a key for an algorithm.
  ///
  /// - Throws: `badKey` if libcrypto cannot generate a key.
  public init(generating algorithm: SignatureAlgorithm, id: String? = nil) throws(OnboardingError) {
    guard let key = try? PrivateKey(generating: algorithm.keyKind) else {
      throw OnboardingError(.badKey, "No key could be made.", hint: "Free some memory and try again.")
    }
    material = key
    self.id = id
  }

  /// Reads a private key from PEM.
  ///
  /// - Throws: `badKey` if the text has no private key, or a key that is encrypted or of an unsupported type.
  public init(pem text: String, id: String? = nil) throws(OnboardingError) {
    guard let block = PEMBlock.all(in: text).first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
      throw OnboardingError(
        .badKey, "The key file contains no PEM private key.",
        hint: "Make one with: waymark onboarding keygen --key FILE, or openssl genpkey.")
    }
    try self.init(pem: block, id: id)
  }

  /// Reads a private key from a block: PKCS #8, SEC 1 or PKCS #1.
  ///
  /// - Throws: `badKey` for a key that is encrypted or of an unsupported type.
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

  /// The algorithm with which the key signs by default: RS256 for RSA, otherwise the only algorithm of its type.
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
  ///
  /// - Throws: `badKey` if the key does not support the algorithm, or signing fails.
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
    /// The time at which the token expires, `exp`.
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
  ///
  /// - Throws: `badPayload` if `payload` is not a JSON object.
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

  /// Signs a JSON object with the added claims; returns the compact token. An added claim replaces a claim of the same name in the
  /// object.
  ///
  /// - Throws: `badPayload` if `payload` is not a JSON object, `badKey` if signing fails.
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

  /// Returns the blocks of a text whose content is base64. All other blocks and the text around them are skipped.
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
