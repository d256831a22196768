import Crypto
import CryptoExtras
import FoundationEssentials

/// A public key of the policy. It knows which algorithms it serves; a token cannot talk it into another.
public struct VerificationKey: Sendable {
  enum Material: Sendable {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
  }

  /// The key's identifier (`kid`), if it has one.
  public let id: String?
  /// The algorithms this key serves.
  public let algorithms: Set<SignatureAlgorithm>
  private let material: Material

  /// A key; `algorithm` narrows down what it serves.
  init(_ material: Material, id: String?, algorithm: SignatureAlgorithm? = nil) throws(OnboardingError) {
    let served: Set<SignatureAlgorithm> =
      switch material {
      case .p256: [.es256]
      case .p384: [.es384]
      case .p521: [.es512]
      case .rsa: [.rs256, .rs384, .rs512]
      case .ed25519: [.edDSA]
      }
    if let algorithm, !served.contains(algorithm) {
      throw OnboardingError(
        .badKey, "The key \(Self.name(id)) says that it is for \(algorithm.rawValue), which its type cannot do.",
        hint: "Correct its \"alg\", or leave it out.")
    }
    self.id = id
    self.material = material
    self.algorithms = algorithm.map { [$0] } ?? served
  }

  /// How a key is called in explanations.
  package static func name(_ id: String?) -> String {
    id.map { "\"\(DisplayText.escaped($0, limit: 80))\"" } ?? "without an identifier"
  }

  /// Whether the signature is this key's over these bytes, made with that algorithm.
  package func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
    guard algorithms.contains(algorithm) else { return false }
    switch (material, algorithm) {
    case (.p256(let key), .es256):
      guard let value = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(value, for: SHA256.hash(data: message))
    case (.p384(let key), .es384):
      guard let value = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(value, for: SHA384.hash(data: message))
    case (.p521(let key), .es512):
      guard let value = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(value, for: SHA512.hash(data: message))
    case (.ed25519(let key), .edDSA):
      return key.isValidSignature(signature, for: message)
    case (.rsa(let key), .rs256):
      return Self.isValid(signature, SHA256.hash(data: message), key)
    case (.rsa(let key), .rs384):
      return Self.isValid(signature, SHA384.hash(data: message), key)
    case (.rsa(let key), .rs512):
      return Self.isValid(signature, SHA512.hash(data: message), key)
    default:
      return false
    }
  }

  // RFC 7518, 3.3 prescribes PKCS #1 v1.5 for RS256, RS384 and RS512; "insecure" is swift-crypto's word for its age.
  private static func isValid(_ signature: [UInt8], _ digest: some Digest, _ key: _RSA.Signing.PublicKey) -> Bool {
    key.isValidSignature(
      _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
  }
}
