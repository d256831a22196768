import CCrypto

/// Numbers of libcrypto, wiped when they are freed.
struct RSANumbers: ~Copyable {
  private var numbers: [OpaquePointer?] = []

  /// n and e, or n, e, d, p, q, d mod p-1, d mod q-1 and 1/q mod p.
  init(_ values: [[UInt8]]) {
    for bytes in values { numbers.append(BN_bin2bn(bytes, Int32(bytes.count), BN_secure_new())) }
  }

  deinit { for number in numbers { BN_clear_free(number) } }

  /// The key of them; nil for a modulus that is even, too small or too large, an exponent that is even, 1, or longer than 33 bits,
  /// and private numbers that do not belong together.
  func key() -> KeyHandle? {
    guard !numbers.contains(nil), KeyKind.modulusBits.contains(Int(BN_num_bits(numbers[0]))),
      BN_is_odd(numbers[0]) == 1,
      (2...33).contains(BN_num_bits(numbers[1])), BN_is_odd(numbers[1]) == 1,
      // libcrypto does not look at this one. It bounds the time that a signature takes.
      numbers.count == 2 || BN_cmp(numbers[2], numbers[0]) < 0
    else { return nil }
    return wm_rsa_key(numbers, Int32(numbers.count)).map(KeyHandle.init)
  }
}
