import FoundationEssentials
import WaymarkCrypto
public import WaymarkSystem

/// A private key that signs payloads for printing.
public struct SigningKey: Sendable {
  private let material: PrivateKey
  /// The key's identifier, which goes into the token's header.
  public let id: String?

  /// A new key for that algorithm.
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

  /// Takes a private key out of a block: PKCS #8, SEC 1 or PKCS #1.
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

  /// The algorithm that signs where a caller names none.
  public var defaultAlgorithm: SignatureAlgorithm {
    switch material.kind {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    case .rsa: .rs256
    case .ed25519: .edDSA
    }
  }

  /// The public half, as a policy takes it.
  public var publicKey: VerificationKey {
    get throws(OnboardingError) { try VerificationKey(material.publicKey, id: id) }
  }

  /// The private key in PEM (PKCS #8).
  public var pem: String { material.pem }

  /// The public half in PEM (SubjectPublicKeyInfo).
  public var publicPEM: String { material.publicKey.pem }

  /// The signature over these bytes as a JWS carries it (RFC 7518, section 3: r and s side by side).
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
  /// The public half as a JWK set (RFC 7517), as a policy's key file has it.
  public var publicJWKSet: String {
    var members: [JSONValue.Member] = publicMembers.map { .init($0.0, .string($0.1)) }
    members.append(.init("use", .string("sig")))
    if let id { members.append(.init("kid", .string(id))) }
    return JSONValue.object([.init("keys", .array([.object(members)]))]).compactText
  }

  /// RFC 7518, section 6, and RFC 8037, section 2.
  private var publicMembers: [(String, String)] {
    switch (material.kind, material.publicKey.numbers) {
    case (.p384, .point(let x, let y)): Self.point("P-384", .es384, x, y)
    case (.p521, .point(let x, let y)): Self.point("P-521", .es512, x, y)
    case (_, .point(let x, let y)): Self.point("P-256", .es256, x, y)
    case (_, .encoded(let bytes)):
      [
        ("kty", "OKP"), ("crv", "Ed25519"), ("x", Base64URL.encode(bytes)), ("alg", SignatureAlgorithm.edDSA.rawValue),
      ]
    // No "alg": the same key serves RS256, RS384 and RS512.
    case (_, .rsa(let modulus, let exponent)):
      [("kty", "RSA"), ("n", Base64URL.encode(modulus)), ("e", Base64URL.encode(exponent))]
    }
  }

  private static func point(
    _ curve: String, _ algorithm: SignatureAlgorithm, _ x: [UInt8], _ y: [UInt8]
  ) -> [(String, String)] {
    [
      ("kty", "EC"), ("crv", curve), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y)),
      ("alg", algorithm.rawValue),
    ]
  }
}
