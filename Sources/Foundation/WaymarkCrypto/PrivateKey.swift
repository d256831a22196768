import CCrypto

/// A private key for signing: ECDSA on NIST curves, Ed25519 or RSA.
package struct PrivateKey: Sendable {
  /// The public key, which contains no private numbers.
  package let publicKey: PublicKey
  private let handle: KeyHandle

  package var kind: KeyKind { publicKey.kind }

  private init(_ handle: KeyHandle, _ kind: KeyKind) throws(CryptoError) {
    publicKey = try PublicKey(of: handle, kind)
    self.handle = handle
  }

  /// Generates a key; an RSA key has 2048 bits.
  ///
  /// - Throws: `failed` if memory or randomness is missing.
  package init(generating kind: KeyKind) throws(CryptoError) {
    try self.init(try LibCrypto.value(to: "make a key") { KeyHandle.generate(kind) }, kind)
  }

  /// Reads a key of PKCS #8 (RFC 5208), SEC 1 (RFC 5915) or PKCS #1 (RFC 8017, A.1.2).
  ///
  /// The public point is computed from the private number; a point in the file is ignored. For a SEC 1 key without a curve, the length of
  /// the number determines the curve.
  /// - Throws: `badKey` for any other format, for a number that is 0 or not below the order of the curve, for RSA of fewer than 2048 or
  ///   more than 8192 bits, and for inconsistent RSA numbers.
  package init(der: [UInt8]) throws(CryptoError) {
    guard let (handle, kind) = LibCrypto.optional({ Self.parsed(der) }) else { throw .badKey }
    try self.init(handle, kind)
  }

  private static func parsed(_ der: [UInt8]) -> (KeyHandle, KeyKind)? {
    var file = DERReader(der[...])
    guard var key = file.elements(), file.isAtEnd, let version = key.natural() else { return nil }
    if version == [1] { return elliptic(&key, nil) }
    guard version.isEmpty else { return nil }
    if key.isNext(.integer) { return rsa(&key) }
    guard let algorithm = key.next(.sequence), let kind = KeyKind(algorithm: algorithm),
      let content = key.next(.octetString)
    else { return nil }
    // Skips the attributes.
    if key.isNext(.context0), kind != .ed25519 { _ = key.next(.context0) }
    guard key.isAtEnd else { return nil }
    var inner = DERReader(content)
    if kind == .ed25519 {
      guard let seed = inner.next(.octetString), inner.isAtEnd, seed.count == 32 else { return nil }
      return EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, Array(seed), seed.count)
        .map { (KeyHandle($0), kind) }
    }
    guard var numbers = inner.elements(), inner.isAtEnd, let version = numbers.natural(),
      version == (kind == .rsa ? [] : [1])
    else { return nil }
    return kind == .rsa ? rsa(&numbers) : elliptic(&numbers, kind)
  }

  /// Parses an ECPrivateKey after its version; `expected` is the curve, or `nil` to determine it from the key.
  private static func elliptic(_ key: inout DERReader, _ expected: KeyKind?) -> (KeyHandle, KeyKind)? {
    guard let number = key.next(.octetString) else { return nil }
    var named: [UInt8]?
    if key.isNext(.context0) {
      guard var parameters = key.elements(.context0), let name = parameters.next(.objectIdentifier), parameters.isAtEnd
      else { return nil }
      named = Array(name)
    }
    if key.isNext(.context1) {
      guard var point = key.elements(.context1), point.next(.bitString)?.first == 0, point.isAtEnd else { return nil }
    }
    guard key.isAtEnd, let kind = KeyKind.allCases.first(where: { $0.curve?.size == number.count }),
      let curve = kind.curve, expected ?? kind == kind, named ?? kind.curveIdentifier == kind.curveIdentifier
    else { return nil }
    return wm_ec_private_key(curve.name, Array(number), number.count).map { (KeyHandle($0), kind) }
  }

  /// Parses an RSAPrivateKey of two primes after its version.
  private static func rsa(_ key: inout DERReader) -> (KeyHandle, KeyKind)? {
    var numbers: [[UInt8]] = []
    while numbers.count < 8, let number = key.natural() { numbers.append(number) }
    guard numbers.count == 8, key.isAtEnd else { return nil }
    return RSANumbers(numbers).key().map { ($0, .rsa) }
  }

  /// The key in PEM (PKCS #8).
  package var pem: String { handle.pem(isPrivate: true) }

  /// Signs bytes; the signature has the form that `PublicKey.isSignature` expects.
  ///
  /// - Parameter hash: `nil` for Ed25519, which includes its own; never SHA-1.
  /// - Throws: `badKey` for a hash with Ed25519, a missing hash with other keys, and SHA-1; `failed` if libcrypto
  ///   cannot sign.
  package func sign(_ message: [UInt8], hash: HashFunction?) throws(CryptoError) -> [UInt8] {
    guard (hash == nil) == (kind == .ed25519), hash != .sha1 else { throw .badKey }
    return try LibCrypto.value(to: "sign") {
      guard let signature = handle.sign(message, hash) else { return nil }
      guard let curve = kind.curve else { return signature }
      return ECDSAEncoding.raw(signature, size: curve.size)
    }
  }
}
