import WaymarkCrypto
import WaymarkSystem

/// A public key of the policy, with the algorithms that it verifies.
public struct VerificationKey: Sendable {
  /// The key's identifier (`kid`), if it has one.
  public let id: String?
  /// The algorithms that the key verifies.
  public let algorithms: Set<SignatureAlgorithm>
  private let material: PublicKey

  /// - Parameter algorithm: the only algorithm of the key; nil for all algorithms of its type.
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
    "the key \(name(id)) includes its private key, so everyone who can read this file can sign; keep only the "
      + "public key here"
  }

  /// Returns whether `signature` is a signature of `message` by this key with `algorithm`.
  package func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
    algorithms.contains(algorithm) && material.isSignature(signature, of: message, hash: algorithm.hash)
  }
}

/// The signature algorithms that a policy may accept (RFC 7518, RFC 8037): neither `none` nor one with a shared secret.
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
