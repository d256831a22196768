import CCrypto

/// A public key for verifying signatures: ECDSA on NIST curves, Ed25519 or RSA.
package struct PublicKey: Sendable {
  /// The numbers of the key, as in a JWK.
  package enum Numbers: Hashable, Sendable {
    /// The coordinates of a point on the curve of the kind, each at full length.
    case point(x: [UInt8], y: [UInt8])
    /// The 32 bytes of an Ed25519 key (RFC 8032). They are not checked to be a point until a signature is verified.
    case encoded([UInt8])
    case rsa(modulus: [UInt8], exponent: [UInt8])
  }

  package let kind: KeyKind
  /// The numbers of the key; those of RSA without leading zeros.
  package let numbers: Numbers
  private let handle: KeyHandle

  /// Creates a key from its numbers.
  ///
  /// - Throws: `badKey` for a point that is not on the curve, coordinates that are not of full length, RSA of fewer than 2048 or
  ///   more than 8192 bits or with an exponent that is even or longer than 33 bits, and numbers of another kind.
  package init(_ kind: KeyKind, _ numbers: Numbers) throws(CryptoError) {
    let handle = LibCrypto.optional { () -> KeyHandle? in
      switch (kind, numbers) {
      case (.p256, .point(let x, let y)), (.p384, .point(let x, let y)), (.p521, .point(let x, let y)):
        guard let curve = kind.curve, x.count == curve.size, y.count == curve.size else { return nil }
        let point = [4] + x + y
        return wm_ec_public_key(curve.name, point, point.count).map(KeyHandle.init)
      case (.ed25519, .encoded(let bytes)):
        guard bytes.count == 32 else { return nil }
        return EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count).map(KeyHandle.init)
      case (.rsa, .rsa(let modulus, let exponent)): return RSANumbers([modulus, exponent]).key()
      default: return nil
      }
    }
    guard let handle else { throw .badKey }
    self.kind = kind
    self.handle = handle
    self.numbers =
      if case .rsa(let modulus, let exponent) = numbers {
        .rsa(modulus: Array(modulus.drop { $0 == 0 }), exponent: Array(exponent.drop { $0 == 0 }))
      } else {
        numbers
      }
  }

  /// Reads a SubjectPublicKeyInfo (RFC 5280, 4.1) or a key of PKCS #1.
  ///
  /// - Throws: `badKey` for any other format, for compressed points, and as `init(_:_:)`.
  package init(der: [UInt8]) throws(CryptoError) {
    guard let (kind, numbers) = Self.parsed(der) else { throw .badKey }
    try self.init(kind, numbers)
  }

  private static func parsed(_ der: [UInt8]) -> (KeyKind, Numbers)? {
    var file = DERReader(der[...])
    guard var key = file.elements(), file.isAtEnd else { return nil }
    if key.isNext(.integer) { return rsa(&key) }
    guard let algorithm = key.next(.sequence), let bits = key.next(.bitString), bits.first == 0, key.isAtEnd else {
      return nil
    }
    let content = bits.dropFirst()
    // An RSA key for RSASSA-PSS (RFC 4055) has another identifier, whose parameters concern only PSS.
    let pss: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
    guard let kind = KeyKind(algorithm: algorithm) ?? (algorithm.starts(with: pss) ? .rsa : nil) else { return nil }
    if let curve = kind.curve {
      guard content.first == 4, content.count == 1 + 2 * curve.size else { return nil }
      return (kind, .point(x: Array(content.dropFirst().prefix(curve.size)), y: Array(content.suffix(curve.size))))
    }
    guard kind == .rsa else { return (kind, .encoded(Array(content))) }
    var inner = DERReader(content)
    guard var numbers = inner.elements(), inner.isAtEnd else { return nil }
    return rsa(&numbers)
  }

  private static func rsa(_ numbers: inout DERReader) -> (KeyKind, Numbers)? {
    guard let modulus = numbers.natural(), let exponent = numbers.natural(), numbers.isAtEnd else { return nil }
    return (.rsa, .rsa(modulus: modulus, exponent: exponent))
  }

  /// Creates the public key of a private key.
  init(of key: KeyHandle, _ kind: KeyKind) throws(CryptoError) {
    let numbers = try LibCrypto.value(to: "export a public key") { () -> Numbers? in
      if let curve = kind.curve {
        guard let x = key.number(OSSL_PKEY_PARAM_EC_PUB_X, size: curve.size),
          let y = key.number(OSSL_PKEY_PARAM_EC_PUB_Y, size: curve.size)
        else { return nil }
        return .point(x: x, y: y)
      }
      if kind == .rsa {
        guard let modulus = key.number(OSSL_PKEY_PARAM_RSA_N), let exponent = key.number(OSSL_PKEY_PARAM_RSA_E) else {
          return nil
        }
        return .rsa(modulus: modulus, exponent: exponent)
      }
      var (bytes, size) = ([UInt8](repeating: 0, count: 32), 32)
      return EVP_PKEY_get_raw_public_key(key.pointer, &bytes, &size) == 1 && size == 32 ? .encoded(bytes) : nil
    }
    try self.init(kind, numbers)
  }

  /// The key in PEM (SubjectPublicKeyInfo).
  package var pem: String { handle.pem(isPrivate: false) }

  /// True if a signature of these bytes was made by this key.
  ///
  /// - Parameters:
  ///   - signature: for ECDSA r and s at full length, concatenated (RFC 7518, 3.4); for Ed25519 64 bytes; for RSA as long as the
  ///     modulus, with the padding of PKCS #1 v1.5.
  ///   - hash: `nil` for Ed25519, which includes its own; never SHA-1.
  package func isSignature(_ signature: [UInt8], of message: [UInt8], hash: HashFunction?) -> Bool {
    guard (hash == nil) == (kind == .ed25519), hash != .sha1 else { return false }
    return LibCrypto.optional {
      switch numbers {
      case .point(let x, _):
        guard let encoded = ECDSAEncoding.der(signature, size: x.count) else { return false }
        return handle.verify(encoded, of: message, hash)
      case .encoded(let bytes):
        return signature.count == 2 * bytes.count && handle.verify(signature, of: message, nil)
      case .rsa(let modulus, _):
        return signature.count == modulus.count && handle.verify(signature, of: message, hash)
      }
    } ?? false
  }
}
