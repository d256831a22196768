import Crypto
import CryptoExtras
import FoundationEssentials
import WaymarkJSON

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
