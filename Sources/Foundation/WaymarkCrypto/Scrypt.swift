import CCrypto

/// A password made costly to guess (RFC 7914).
package enum Scrypt {
  /// The bytes that belong to a password.
  ///
  /// - Parameters:
  ///   - rounds: N, a power of two from 2 on; memory is 128 · `rounds` · `blocks` bytes.
  ///   - blocks: r.
  ///   - lanes: p.
  ///   - count: the number of bytes wanted.
  /// - Throws: `failed` for a cost that RFC 7914 does not allow, and when there is not enough memory.
  package static func derive(
    _ password: [UInt8], salt: [UInt8], rounds: Int, blocks: Int, lanes: Int, count: Int
  ) throws(CryptoError) -> [UInt8] {
    try LibCrypto.value(to: "compute scrypt") {
      guard let rounds = UInt64(exactly: rounds), let blocks = UInt64(exactly: blocks), blocks < 1 << 16,
        let lanes = UInt64(exactly: lanes), lanes < 1 << 16, rounds < 1 << 24, count > 0
      else { return nil }
      // All that it takes: the large table, what is worked on, and a block for each lane.
      let memory = 128 * blocks * (rounds + lanes + 2)
      var hash = [UInt8](repeating: 0, count: count)
      let status = password.withUnsafeBytes { password in
        EVP_PBE_scrypt(
          password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count, salt, salt.count, rounds, blocks,
          lanes, memory, &hash, count)
      }
      return status == 1 ? hash : nil
    }
  }
}
