import CCrypto

/// Signatures of ECDSA: JWS puts two numbers of full length side by side, libcrypto wants a sequence in DER.
enum ECDSAEncoding {
  /// The sequence of two numbers of `size` bytes; nil for signatures of another length.
  static func der(_ raw: [UInt8], size: Int) -> [UInt8]? {
    guard raw.count == 2 * size, let signature = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(signature) }
    let r = BN_bin2bn(Array(raw.prefix(size)), Int32(size), nil)
    let s = BN_bin2bn(Array(raw.suffix(size)), Int32(size), nil)
    // Takes both numbers, unless one is missing.
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

  /// The two numbers of a sequence, of `size` bytes each.
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
