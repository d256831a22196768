import CCrypto
package import WaymarkSystem

/// Why something was not signed, read, sealed or opened.
package typealias CryptoError = Problem<CryptoErrorCode>

/// The codes of `CryptoError`.
package enum CryptoErrorCode: String, ProblemCode {
  /// The bytes are not a key, or a key that is not accepted: too small, off its curve, of another kind.
  case badKey
  /// The bytes were sealed with another key or context, or were changed since.
  case notAuthentic
  /// libcrypto refused, mostly for want of memory.
  case failed
}

extension CryptoError {
  /// For every key that is not accepted.
  static var badKey: CryptoError {
    CryptoError(
      .badKey, "The key cannot be used",
      hint: "Keys are EC on P-256, P-384 or P-521, Ed25519, or RSA of 2048 to 8192 bits.")
  }
}

/// Calls of libcrypto: set up once, its queue of errors empty behind each, and no result where any step failed.
enum LibCrypto {
  /// No configuration file of the system is read, so that none changes what is accepted. Nothing is torn down when the process ends, where
  /// other threads may still be at work.
  private static let isReady =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT), nil) == 1

  /// The value that `body` makes; nil where it makes none, or where libcrypto cannot be used.
  static func optional<Value>(_ body: () -> Value?) -> Value? {
    guard isReady else { return nil }
    defer { ERR_clear_error() }
    return body()
  }

  /// The value that `body` makes.
  ///
  /// - Throws: `failed`, with the words of libcrypto, where it makes none.
  static func value<Value>(to purpose: String, _ body: () -> Value?) throws(CryptoError) -> Value {
    var cause: String?
    let value = optional {
      let value = body()
      if value == nil { cause = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) } }
      return value
    }
    guard let value else {
      throw CryptoError(
        .failed, "libcrypto could not \(purpose)", hint: "Free some memory and try again.", cause: cause)
    }
    return value
  }

  /// The value that `body` makes where nothing but a lack of memory can hinder it, of which Swift itself would end the process, too.
  static func certain<Value>(_ purpose: String, _ body: () -> Value?) -> Value {
    guard let value = optional(body) else { preconditionFailure("libcrypto could not \(purpose)") }
    return value
  }
}
