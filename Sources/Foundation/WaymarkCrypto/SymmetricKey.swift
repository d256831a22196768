import CCrypto
import WaymarkSystem

/// A shared secret. Its bytes are wiped from memory with the last reference.
///
/// Sendable because the bytes are written only in `init`.
package final class SymmetricKey: @unchecked Sendable {
  private static let nonceSize = 12
  private static let tagSize = 16

  private let secret: UnsafeMutableRawBufferPointer
  private let count: Int

  /// Creates a key of any length; `seal` and `open` require 32 bytes.
  package init(_ bytes: [UInt8]) {
    count = bytes.count
    // An empty key needs an address as well: for libcrypto, NULL is an error.
    secret = .allocate(byteCount: max(1, count), alignment: 1)
    secret.copyBytes(from: bytes)
  }

  deinit {
    OPENSSL_cleanse(secret.baseAddress, secret.count)
    secret.deallocate()
  }

  /// Returns the HMAC-SHA256 of a message (RFC 2104), 32 bytes.
  package func authenticationCode(for message: [UInt8]) -> [UInt8] {
    LibCrypto.certain("authenticate") {
      var code = [UInt8](repeating: 0, count: 32)
      var size: UInt32 = 0
      guard HMAC(EVP_sha256(), secret.baseAddress, Int32(count), message, message.count, &code, &size) != nil,
        size == 32
      else { return nil }
      return code
    }
  }

  /// Encrypts and authenticates bytes with AES-256-GCM (RFC 5116) and a random nonce.
  ///
  /// - Parameter context: bytes that are authenticated but not part of the result. `open` needs the same bytes.
  /// - Returns: the nonce of 12 bytes, the ciphertext, the tag of 16 bytes.
  /// - Throws: `badKey` for a key that is not 32 bytes long; `failed` if memory or randomness is missing.
  package func seal(_ bytes: [UInt8], authenticating context: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard count == 32 else {
      throw CryptoError(.badKey, "A key of \(count) bytes cannot seal", hint: "Use a key of 32 bytes.")
    }
    return try LibCrypto.value(to: "seal") {
      var nonce = [UInt8](repeating: 0, count: Self.nonceSize)
      var tag = [UInt8](repeating: 0, count: Self.tagSize)
      guard RAND_bytes(&nonce, Int32(nonce.count)) == 1,
        let text = crypt(bytes[...], nonce: nonce, tag: &tag, context, isSealing: true)
      else { return nil }
      return nonce + text + tag
    }
  }

  /// Decrypts the result of `seal`.
  ///
  /// - Throws: `notAuthentic` if the bytes were sealed with another key or context or were changed, and for a key that is not 32
  ///   bytes long.
  package func open(_ sealed: [UInt8], authenticating context: [UInt8]) throws(CryptoError) -> [UInt8] {
    let bytes = LibCrypto.optional { () -> [UInt8]? in
      guard count == 32, sealed.count >= Self.nonceSize + Self.tagSize else { return nil }
      var tag = Array(sealed.suffix(Self.tagSize))
      return crypt(
        sealed.dropFirst(Self.nonceSize).dropLast(Self.tagSize), nonce: Array(sealed.prefix(Self.nonceSize)), tag: &tag,
        context, isSealing: false)
    }
    guard let bytes else {
      throw CryptoError(
        .notAuthentic, "This was sealed with another key, or changed since",
        hint: "Look for the copy before, or its key.")
    }
    return bytes
  }

  /// Runs AES-256-GCM in either direction; `nil` if the tag does not match or libcrypto fails.
  private func crypt(
    _ text: ArraySlice<UInt8>, nonce: [UInt8], tag: inout [UInt8], _ authenticated: [UInt8], isSealing: Bool
  ) -> [UInt8]? {
    guard let size = Int32(exactly: text.count), let extra = Int32(exactly: authenticated.count),
      let context = EVP_CIPHER_CTX_new()
    else { return nil }
    // Wipes the expanded key.
    defer { EVP_CIPHER_CTX_free(context) }
    var written: Int32 = 0
    guard
      EVP_CipherInit_ex2(
        context, EVP_aes_256_gcm(), secret.baseAddress?.assumingMemoryBound(to: UInt8.self), nonce, isSealing ? 1 : 0,
        nil) == 1, EVP_CipherUpdate(context, nil, &written, authenticated, extra) == 1
    else { return nil }
    // The buffer has at least one byte, because an empty buffer would have no address.
    var result = [UInt8](repeating: 0, count: text.count + 1)
    let isDone = text.withUnsafeBufferPointer {
      size == 0 || EVP_CipherUpdate(context, &result, &written, $0.baseAddress, size) == 1 && written == size
    }
    guard isDone else { return nil }
    if !isSealing {
      guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else { return nil }
    }
    // When opening, this compares the tag.
    var rest = [UInt8](repeating: 0, count: Self.tagSize)
    guard EVP_CipherFinal_ex(context, &rest, &written) == 1, written == 0 else { return nil }
    if isSealing {
      guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 else { return nil }
    }
    result.removeLast()
    return result
  }
}
