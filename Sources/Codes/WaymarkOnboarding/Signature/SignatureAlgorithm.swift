import WaymarkCrypto

/// The signature algorithms that can be accepted (RFC 7518, RFC 8037). There is no `none` and no shared secret among
/// them, so no policy can allow one by mistake.
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
  /// The hash that is signed; nil for Ed25519, which has its own.
  var hash: HashFunction? {
    switch self {
    case .es256, .rs256: .sha256
    case .es384, .rs384: .sha384
    case .es512, .rs512: .sha512
    case .edDSA: nil
    }
  }

  /// The kind of key that it takes.
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
