import CCrypto

/// A hash function of FIPS 180-4. Below, `PieceHasher` hashes bytes that arrive in pieces, and
/// scrypt derives keys from passcodes.
package enum HashFunction: Sendable, CaseIterable {
  /// SHA-1, for WebSockets, which require it. Keys refuse to sign or verify with SHA-1.
  case sha1
  case sha256
  case sha384
  case sha512

  /// Returns the hash of `bytes`: 20, 32, 48 or 64 bytes.
  package func hash(_ bytes: [UInt8]) -> [UInt8] {
    let hasher = PieceHasher(self)
    hasher.update(bytes)
    return hasher.finish()
  }

  var method: OpaquePointer? {
    switch self {
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    case .sha512: EVP_sha512()
    }
  }
}

/// Computes the hash of bytes that are passed piece by piece.
package final class PieceHasher {
  private let context: OpaquePointer

  package init(_ function: HashFunction) {
    context = LibCrypto.certain("begin a hash") {
      guard let context = EVP_MD_CTX_new() else { return nil }
      guard EVP_DigestInit_ex2(context, function.method, nil) == 1 else {
        EVP_MD_CTX_free(context)
        return nil
      }
      return context
    }
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds the next bytes.
  package func update(_ bytes: [UInt8]) {
    LibCrypto.certain("hash") { EVP_DigestUpdate(context, bytes, bytes.count) == 1 ? () : nil }
  }

  /// Returns the hash of all bytes. The hasher must not be used afterwards.
  package func finish() -> [UInt8] {
    LibCrypto.certain("end a hash") {
      var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
      var size: UInt32 = 0
      guard EVP_DigestFinal_ex(context, &hash, &size) == 1 else { return nil }
      return Array(hash.prefix(Int(size)))
    }
  }
}

// MARK: - Scrypt

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
      // The memory limit for libcrypto, in bytes: a table of `rounds` blocks, two working blocks, and a block for each lane.
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
