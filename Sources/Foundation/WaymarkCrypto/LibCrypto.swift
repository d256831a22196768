import CCrypto
package import WaymarkSystem

/// The error of a cryptographic operation: signing, reading a key, sealing or opening. `LibCrypto` below calls the
/// library.
package typealias CryptoError = Problem<CryptoErrorCode>

/// The codes of `CryptoError`.
package enum CryptoErrorCode: String, ProblemCode {
  /// The bytes are not a key, or the key is refused because it is too small, not on its curve, or of an unsupported kind.
  case badKey
  /// The bytes were sealed with another key or context, or were changed.
  case notAuthentic
  /// libcrypto failed, usually because of missing memory.
  case failed
}

extension CryptoError {
  /// The error for every key that is not accepted.
  static var badKey: CryptoError {
    CryptoError(
      .badKey, "The key cannot be used",
      hint: "Keys are EC on P-256, P-384 or P-521, Ed25519, or RSA of 2048 to 8192 bits.")
  }
}

/// Calls libcrypto: initialises it once, clears its error queue after each call, and returns nil if a step failed.
enum LibCrypto {
  /// True after initialisation. libcrypto does not read the system's configuration file, which could change the accepted keys, and
  /// does not clean up when the process ends, because other threads may still use it.
  private static let isReady =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT), nil) == 1

  /// Returns the value of `body`; `nil` also if libcrypto cannot be initialised.
  static func optional<Value>(_ body: () -> Value?) -> Value? {
    guard isReady else { return nil }
    defer { ERR_clear_error() }
    return body()
  }

  /// Returns the value of `body`.
  ///
  /// - Throws: `failed`, with libcrypto's message as the cause, if `body` returns `nil`.
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

  /// Returns the value of `body`, which can fail only for lack of memory. In this case the process ends, as it does when Swift
  /// cannot allocate memory.
  static func certain<Value>(_ purpose: String, _ body: () -> Value?) -> Value {
    guard let value = optional(body) else { preconditionFailure("libcrypto could not \(purpose)") }
    return value
  }
}
