import CCrypto

/// A public key for verifying signatures: ECDSA on NIST curves, Ed25519 or RSA. `PrivateKey` below signs; `DERReader`
/// reads the encoding of keys.
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
  /// The numbers of the key. The numbers of an RSA key have no leading zeros.
  package let numbers: Numbers
  private let handle: KeyHandle

  /// Creates a key from its numbers.
  ///
  /// - Throws: `badKey` for a point that is not on the curve, coordinates that are not of full length, RSA of fewer than 2048 or
  ///   more than 8192 bits or with an exponent that is even, 1 or longer than 33 bits, and numbers that do not belong to this kind.
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
  /// - Throws: `badKey` for any other format, for compressed points, and for the same keys as `init(_:_:)`.
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
    // An RSA key for RSASSA-PSS (RFC 4055) has another identifier, with parameters that concern only PSS.
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

  /// Returns whether a signature of these bytes was made by this key.
  ///
  /// - Parameters:
  ///   - signature: for ECDSA r and s at full length, concatenated (RFC 7518, 3.4); for Ed25519 64 bytes; for RSA as long as the
  ///     modulus, with the padding of PKCS #1 v1.5.
  ///   - hash: `nil` for Ed25519, which hashes the message itself; never SHA-1.
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

// MARK: - The private key

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

  /// Signs bytes. The signature has the form that `PublicKey.isSignature` expects.
  ///
  /// - Parameter hash: `nil` for Ed25519, which hashes the message itself; never SHA-1.
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

// MARK: - DER

/// Reads DER (X.690, 8.1 and 10.1) element by element: tags of one byte, and lengths below 16 MiB in the shortest form.
package struct DERReader: Sendable {
  /// The tags that occur in keys and certificates.
  package enum Tag: UInt8, Sendable {
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case objectIdentifier = 0x06
    case sequence = 0x30
    case context0 = 0xA0
    case context1 = 0xA1
  }

  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// True if everything was read.
  package var isAtEnd: Bool { rest.isEmpty }

  /// Returns whether the next element has the tag.
  package func isNext(_ tag: Tag) -> Bool { rest.first == tag.rawValue }

  /// Reads the next element and returns its content; `nil` if it has another tag or is not valid DER.
  package mutating func next(_ tag: Tag) -> ArraySlice<UInt8>? {
    guard isNext(tag), let content = content() else { return nil }
    rest = rest[content.endIndex...]
    return content
  }

  /// Reads the next element and returns a reader of the elements in it.
  package mutating func elements(_ tag: Tag = .sequence) -> DERReader? { next(tag).map(DERReader.init) }

  /// Reads the next element and returns it with its tag and length; `nil` at the end, and for invalid DER.
  package mutating func whole() -> ArraySlice<UInt8>? {
    guard let content = content() else { return nil }
    defer { rest = rest[content.endIndex...] }
    return rest[..<content.endIndex]
  }

  /// Reads the next integer and returns its magnitude without the sign byte. The magnitude of 0 is empty. Returns `nil` if the
  /// integer is negative or not in the shortest form.
  package mutating func natural() -> [UInt8]? {
    guard let bytes = next(.integer), let first = bytes.first, first < 0x80 else { return nil }
    guard first == 0 else { return Array(bytes) }
    let number = bytes.dropFirst()
    return number.first.map { $0 >= 0x80 } ?? true ? Array(number) : nil
  }

  private func content() -> ArraySlice<UInt8>? {
    guard rest.count >= 2, rest[rest.startIndex] & 0x1F != 0x1F else { return nil }
    var start = rest.startIndex + 2
    var length = Int(rest[start - 1])
    if length >= 0x80 {
      let count = length & 0x7F
      guard (1...3).contains(count), rest.endIndex - start >= count else { return nil }
      length = rest[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
      guard length >= 0x80, length >> (8 * (count - 1)) > 0 else { return nil }
      start += count
    }
    guard rest.endIndex - start >= length else { return nil }
    return rest[start..<start + length]
  }
}
