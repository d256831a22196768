import CCrypto

/// A reference to a key of libcrypto, which wipes private numbers when the key is freed.
///
/// The file also has the kinds of keys (`KeyKind`), the numbers of an RSA key (`RSANumbers`), and the forms of ECDSA
/// signatures (`ECDSAEncoding`).
///
/// Sendable because the key does not change after its creation: libcrypto counts references with atomic operations and guards
/// values that it computes on first use with its own locks (openssl-threads(7)).
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// Generates a key; `nil` if memory or randomness is missing.
  static func generate(_ kind: KeyKind) -> KeyHandle? {
    let type = kind == .rsa ? "RSA" : kind == .ed25519 ? "ED25519" : "EC"
    guard let context = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
    if let curve = kind.curve {
      guard EVP_PKEY_CTX_set_group_name(context, curve.name) == 1 else { return nil }
    } else if kind == .rsa {
      guard EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(KeyKind.modulusBits.lowerBound)) == 1 else { return nil }
    }
    var key: OpaquePointer?
    return EVP_PKEY_generate(context, &key) == 1 ? key.map(KeyHandle.init) : nil
  }

  /// Returns a number of the key, padded with leading zeros to `size` bytes if a size is given; `nil` if the key has no such number
  /// or the number is longer than `size`.
  func number(_ name: String, size: Int? = nil) -> [UInt8]? {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else { return nil }
    defer { BN_clear_free(number) }
    let size = size ?? (Int(BN_num_bits(number)) + 7) / 8
    var bytes = [UInt8](repeating: 0, count: size)
    return BN_bn2binpad(number, &bytes, Int32(size)) == Int32(size) ? bytes : nil
  }

  /// Returns the key in PEM, in lines of 64 characters.
  func pem(isPrivate: Bool) -> String {
    LibCrypto.certain("write a key") {
      // Enough for an RSA key of 8192 bits.
      var text = [CChar](repeating: 0, count: 16 << 10)
      defer { OPENSSL_cleanse(&text, text.count) }
      let size = wm_key_pem(pointer, isPrivate ? 1 : 0, &text, text.count)
      guard size > 0, size <= text.count else { return nil }
      return String(decoding: text[..<size].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// Signs a message; returns the signature in libcrypto's encoding, or `nil` if libcrypto fails. `hash` is `nil` for Ed25519,
  /// which hashes the message itself.
  func sign(_ message: [UInt8], _ hash: HashFunction?) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var size = 0
    guard EVP_DigestSignInit(context, nil, hash?.method, nil, pointer) == 1,
      EVP_DigestSign(context, nil, &size, message, message.count) == 1
    else { return nil }
    var signature = [UInt8](repeating: 0, count: size)
    guard EVP_DigestSign(context, &signature, &size, message, message.count) == 1, size <= signature.count else {
      return nil
    }
    return Array(signature.prefix(size))
  }

  /// Returns whether a signature in libcrypto's encoding was made by this key.
  func verify(_ signature: [UInt8], of message: [UInt8], _ hash: HashFunction?) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, hash?.method, nil, pointer) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}

// MARK: - Kinds of keys

/// The kinds of keys that sign.
package enum KeyKind: Sendable, CaseIterable {
  case p256
  case p384
  case p521
  case ed25519
  case rsa

  /// The accepted numbers of bits of an RSA modulus. A shorter modulus can be factored, a longer one takes too much time.
  static let modulusBits = 2048...8192

  /// The NIST name of the curve and the size of a coordinate in bytes; `nil` for keys other than ECDSA.
  package var curve: (name: String, size: Int)? {
    switch self {
    case .p256: ("P-256", 32)
    case .p384: ("P-384", 48)
    case .p521: ("P-521", 66)
    case .ed25519, .rsa: nil
    }
  }

  /// The curve's object identifier (RFC 5480, 2.1.1.1), without its tag.
  var curveIdentifier: [UInt8]? {
    switch self {
    case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
    case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
    case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
    case .ed25519, .rsa: nil
    }
  }

  /// Creates the kind from the content of an AlgorithmIdentifier (RFC 3279, 5480 and 8410); `nil` for any other algorithm, and for
  /// curves given by explicit parameters.
  init?(algorithm content: ArraySlice<UInt8>) {
    let content = Array(content)
    guard let kind = Self.allCases.first(where: { $0.algorithm == content }) else { return nil }
    self = kind
  }

  /// The content of the kind's AlgorithmIdentifier.
  private var algorithm: [UInt8] {
    switch self {
    case .rsa: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
    case .ed25519: [0x06, 0x03, 0x2B, 0x65, 0x70]
    case .p256, .p384, .p521:
      [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, UInt8((curveIdentifier ?? []).count)]
        + (curveIdentifier ?? [])
    }
  }
}

// MARK: - Numbers and signatures

/// The numbers of an RSA key in libcrypto's form, wiped when they are freed.
struct RSANumbers: ~Copyable {
  private var numbers: [OpaquePointer?] = []

  /// Copies the big-endian numbers of a public key (n, e) or of a private key (n, e, d, p, q, d mod p-1, d mod q-1, 1/q
  /// mod p).
  init(_ values: [[UInt8]]) {
    for bytes in values { numbers.append(BN_bin2bn(bytes, Int32(bytes.count), BN_secure_new())) }
  }

  deinit { for number in numbers { BN_clear_free(number) } }

  /// Creates the key; `nil` if the modulus is even, too small or too large, the public exponent is even, 1 or longer than 33 bits,
  /// or the private numbers are inconsistent.
  func key() -> KeyHandle? {
    guard !numbers.contains(nil), KeyKind.modulusBits.contains(Int(BN_num_bits(numbers[0]))),
      BN_is_odd(numbers[0]) == 1,
      (2...33).contains(BN_num_bits(numbers[1])), BN_is_odd(numbers[1]) == 1,
      // The private exponent must be below the modulus, which bounds the time of a signature. libcrypto does not check this.
      numbers.count == 2 || BN_cmp(numbers[2], numbers[0]) < 0
    else { return nil }
    return wm_rsa_key(numbers, Int32(numbers.count)).map(KeyHandle.init)
  }
}

/// Converts ECDSA signatures: JWS concatenates the two numbers at full length, libcrypto requires a sequence in DER.
enum ECDSAEncoding {
  /// Converts two numbers of `size` bytes to a DER sequence; `nil` for signatures of another length.
  static func der(_ raw: [UInt8], size: Int) -> [UInt8]? {
    guard raw.count == 2 * size, let signature = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(signature) }
    let r = BN_bin2bn(Array(raw.prefix(size)), Int32(size), nil)
    let s = BN_bin2bn(Array(raw.suffix(size)), Int32(size), nil)
    // On success, the call takes ownership of both numbers. It fails if one of them is missing.
    guard ECDSA_SIG_set0(signature, r, s) == 1 else {
      BN_free(r)
      BN_free(s)
      return nil
    }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_ECDSA_SIG(signature, &bytes)
    guard count > 0, let bytes else { return nil }
    defer { CRYPTO_free(bytes, nil, 0) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  /// Converts a DER sequence to two numbers of `size` bytes; `nil` if it is invalid.
  static func raw(_ der: [UInt8], size: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 2 * size)
    let isWritten = der.withUnsafeBufferPointer { der in
      var start = der.baseAddress
      guard let signature = d2i_ECDSA_SIG(nil, &start, der.count) else { return false }
      defer { ECDSA_SIG_free(signature) }
      return bytes.withUnsafeMutableBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return false }
        return BN_bn2binpad(ECDSA_SIG_get0_r(signature), base, Int32(size)) == Int32(size)
          && BN_bn2binpad(ECDSA_SIG_get0_s(signature), base + size, Int32(size)) == Int32(size)
      }
    }
    return isWritten ? bytes : nil
  }
}
