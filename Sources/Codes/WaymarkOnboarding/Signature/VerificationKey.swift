import WaymarkCrypto
import WaymarkSystem

/// A public key of the policy. It knows which algorithms it serves; a token cannot talk it into another.
public struct VerificationKey: Sendable {
  /// The key's identifier (`kid`), if it has one.
  public let id: String?
  /// The algorithms this key serves.
  public let algorithms: Set<SignatureAlgorithm>
  private let material: PublicKey

  /// A key; `algorithm` narrows down what it serves.
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

  /// How a key is called in explanations.
  package static func name(_ id: String?) -> String {
    id.map { "\"\(DisplayText.escaped($0, limit: 80))\"" } ?? "without an identifier"
  }

  /// Returns the warning that a private key stands where a public one belongs.
  static func privateWarning(_ id: String?) -> String {
    "the key \(name(id)) includes its private key, so everyone who can read this file can sign; keep only the "
      + "public key here"
  }

  /// Returns whether the signature is this key's over these bytes, made with that algorithm.
  package func verify(_ signature: [UInt8], of message: [UInt8], with algorithm: SignatureAlgorithm) -> Bool {
    algorithms.contains(algorithm) && material.isSignature(signature, of: message, hash: algorithm.hash)
  }
}
