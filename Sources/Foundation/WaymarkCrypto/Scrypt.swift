import CCrypto

/// The password-based key derivation function scrypt (RFC 7914).
package enum Scrypt {
  /// Derives bytes from a password.
  ///
  /// - Parameters:
  ///   - rounds: the cost parameter N, a power of two from 2 to 2²³; the memory is 128 · `rounds` · `blocks` bytes.
  ///   - blocks: the block size parameter r, below 2¹⁶.
  ///   - lanes: the parallelization parameter p, below 2¹⁶.
  ///   - count: the number of bytes to derive.
  /// - Throws: `failed` for parameters outside of these bounds or not allowed by RFC 7914, or if there is not enough
  ///   memory.
  package static func derive(
    _ password: [UInt8], salt: [UInt8], rounds: Int, blocks: Int, lanes: Int, count: Int
  ) throws(CryptoError) -> [UInt8] {
    try LibCrypto.value(to: "compute scrypt") {
      guard let rounds = UInt64(exactly: rounds), let blocks = UInt64(exactly: blocks), blocks < 1 << 16,
        let lanes = UInt64(exactly: lanes), lanes < 1 << 16, rounds < 1 << 24, count > 0
      else { return nil }
      // The memory limit for libcrypto, in bytes: the large table, the working block, and a block for each lane.
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
