import CCrypto

/// A key as libcrypto holds it, which wipes private numbers when it is freed.
///
/// Sendable, since nothing changes it once it is made: libcrypto counts its holders with atomic operations and guards what it
/// computes of a key on first use with locks of its own (openssl-threads(7)).
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// A new key; nil where there is no memory or no chance.
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

  /// A number of the key, at its length or, with leading zeros, at that of `size`; nil where it has none, or a longer one.
  func number(_ name: String, size: Int? = nil) -> [UInt8]? {
    var number: OpaquePointer?
    guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else { return nil }
    defer { BN_clear_free(number) }
    let size = size ?? (Int(BN_num_bits(number)) + 7) / 8
    var bytes = [UInt8](repeating: 0, count: size)
    return BN_bn2binpad(number, &bytes, Int32(size)) == Int32(size) ? bytes : nil
  }

  /// The key in PEM, in lines of 64 characters.
  func pem(isPrivate: Bool) -> String {
    LibCrypto.certain("write a key") {
      // No key of 8192 bits takes more.
      var text = [CChar](repeating: 0, count: 16 << 10)
      defer { OPENSSL_cleanse(&text, text.count) }
      let size = wm_key_pem(pointer, isPrivate ? 1 : 0, &text, text.count)
      guard size > 0, size <= text.count else { return nil }
      return String(decoding: text[..<size].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// Signs as libcrypto encodes it. `hash` is nil for Ed25519, which has its own.
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

  /// Returns whether a signature, as libcrypto encodes it, is this key's.
  func verify(_ signature: [UInt8], of message: [UInt8], _ hash: HashFunction?) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, hash?.method, nil, pointer) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}
