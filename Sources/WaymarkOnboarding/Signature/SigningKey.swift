import Crypto
import CryptoExtras
import FoundationEssentials
import WaymarkJSON
public import WaymarkSystem

/// A private key that signs payloads for printing.
public struct SigningKey: Sendable {
  private enum PrivateMaterial: Sendable {
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case p521(P521.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)
    case ed25519(Curve25519.Signing.PrivateKey)
  }

  private let material: PrivateMaterial
  /// The key's identifier, which goes into the token's header.
  public let id: String?

  private init(_ material: PrivateMaterial, id: String?) {
    self.material = material
    self.id = id
  }

  /// A new key for that algorithm.
  public init(generating algorithm: SignatureAlgorithm, id: String? = nil) throws(OnboardingError) {
    switch algorithm {
    case .es256: self.init(.p256(.init()), id: id)
    case .es384: self.init(.p384(.init()), id: id)
    case .es512: self.init(.p521(.init()), id: id)
    case .edDSA: self.init(.ed25519(.init()), id: id)
    case .rs256, .rs384, .rs512:
      guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
        throw OnboardingError(.badKey, "No RSA key could be made.", hint: "Try again, or use ES256.")
      }
      self.init(.rsa(key), id: id)
    }
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
    // RFC 8410, section 7: the whole structure but the 32 bytes of the seed is fixed.
    let prefix: [UInt8] = [
      0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    if let key = try? P256.Signing.PrivateKey(derRepresentation: der) {
      self.init(.p256(key), id: id)
    } else if let key = try? P384.Signing.PrivateKey(derRepresentation: der) {
      self.init(.p384(key), id: id)
    } else if let key = try? P521.Signing.PrivateKey(derRepresentation: der) {
      self.init(.p521(key), id: id)
    } else if der.count == 48, der.starts(with: prefix),
      let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: der[16...])
    {
      self.init(.ed25519(key), id: id)
    } else if let key = try? _RSA.Signing.PrivateKey(derRepresentation: der) {
      self.init(.rsa(key), id: id)
    } else {
      throw OnboardingError(
        .badKey, "The private key cannot be used.",
        hint: "Keys are EC on P-256, P-384 or P-521, Ed25519, or RSA of at least 2048 bits.")
    }
  }

  /// The algorithm this key signs with unless told otherwise.
  public var defaultAlgorithm: SignatureAlgorithm {
    switch material {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    case .rsa: .rs256
    case .ed25519: .edDSA
    }
  }

  /// The public half, as a policy takes it.
  public var publicKey: VerificationKey {
    get throws(OnboardingError) {
      switch material {
      case .p256(let key): try VerificationKey(.p256(key.publicKey), id: id)
      case .p384(let key): try VerificationKey(.p384(key.publicKey), id: id)
      case .p521(let key): try VerificationKey(.p521(key.publicKey), id: id)
      case .rsa(let key): try VerificationKey(.rsa(key.publicKey), id: id)
      case .ed25519(let key): try VerificationKey(.ed25519(key.publicKey), id: id)
      }
    }
  }

  /// The private key in PEM (PKCS #8).
  public var pem: String {
    switch material {
    case .p256(let key): key.pemRepresentation + "\n"
    case .p384(let key): key.pemRepresentation + "\n"
    case .p521(let key): key.pemRepresentation + "\n"
    case .rsa(let key): key.pkcs8PEMRepresentation + "\n"
    case .ed25519(let key):
      Self.armoured(
        [0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]
          + Array(key.rawRepresentation), "PRIVATE KEY")
    }
  }

  /// The public half in PEM (SubjectPublicKeyInfo).
  public var publicPEM: String {
    switch material {
    case .p256(let key): key.publicKey.pemRepresentation + "\n"
    case .p384(let key): key.publicKey.pemRepresentation + "\n"
    case .p521(let key): key.publicKey.pemRepresentation + "\n"
    case .rsa(let key): key.publicKey.pemRepresentation + "\n"
    case .ed25519(let key):
      Self.armoured(
        [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
          + Array(key.publicKey.rawRepresentation), "PUBLIC KEY")
    }
  }

  private static func armoured(_ der: [UInt8], _ label: String) -> String {
    "-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n"
  }

  /// The signature over these bytes as a JWS carries it (RFC 7518, section 3: r and s side by side).
  package func sign(_ message: [UInt8], with algorithm: SignatureAlgorithm) throws(OnboardingError) -> [UInt8] {
    do {
      switch (material, algorithm) {
      case (.p256(let key), .es256): return Array(try key.signature(for: SHA256.hash(data: message)).rawRepresentation)
      case (.p384(let key), .es384): return Array(try key.signature(for: SHA384.hash(data: message)).rawRepresentation)
      case (.p521(let key), .es512): return Array(try key.signature(for: SHA512.hash(data: message)).rawRepresentation)
      case (.ed25519(let key), .edDSA): return Array(try key.signature(for: message))
      case (.rsa(let key), .rs256):
        return Array(try key.signature(for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
      case (.rsa(let key), .rs384):
        return Array(try key.signature(for: SHA384.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
      case (.rsa(let key), .rs512):
        return Array(try key.signature(for: SHA512.hash(data: message), padding: .insecurePKCS1v1_5).rawRepresentation)
      default: break
      }
    } catch {
      throw OnboardingError(.badKey, "The key refused to sign.", hint: "Check the key with openssl pkey -check.")
    }
    throw OnboardingError(
      .badKey, "The key does not sign with \(algorithm.rawValue).",
      hint: "It signs with \(defaultAlgorithm.rawValue).")
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
    switch material {
    case .p256(let key): Self.point("P-256", .es256, Array(key.publicKey.rawRepresentation))
    case .p384(let key): Self.point("P-384", .es384, Array(key.publicKey.rawRepresentation))
    case .p521(let key): Self.point("P-521", .es512, Array(key.publicKey.rawRepresentation))
    case .ed25519(let key):
      [
        ("kty", "OKP"), ("crv", "Ed25519"), ("x", Base64URL.encode(key.publicKey.rawRepresentation)),
        ("alg", SignatureAlgorithm.edDSA.rawValue),
      ]
    case .rsa(let key):
      // No "alg": the same key serves RS256, RS384 and RS512.
      if let numbers = try? key.publicKey.getKeyPrimitives() {
        [
          ("kty", "RSA"), ("n", Base64URL.encode(numbers.modulus)), ("e", Base64URL.encode(numbers.publicExponent)),
        ]
      } else {
        []
      }
    }
  }

  private static func point(
    _ curve: String, _ algorithm: SignatureAlgorithm, _ bytes: [UInt8]
  ) -> [(String, String)] {
    [
      ("kty", "EC"), ("crv", curve), ("x", Base64URL.encode(bytes.prefix(bytes.count / 2))),
      ("y", Base64URL.encode(bytes.suffix(bytes.count / 2))), ("alg", algorithm.rawValue),
    ]
  }
}
