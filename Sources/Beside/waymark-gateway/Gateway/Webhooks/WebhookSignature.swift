import WaymarkCrypto
import WaymarkSystem

/// The signature of what is sent: proof that it comes from this gateway, and when.
enum WebhookSignature {
  /// HMAC-SHA256 (RFC 2104) over the time, a full stop and the body, in hexadecimal.
  ///
  /// - Parameter timestamp: seconds since 1970. A receiver refuses what is older than some minutes.
  static func of(_ body: [UInt8], timestamp: Int, secret: String) -> String {
    let code = SymmetricKey(Array(secret.utf8)).authenticationCode(for: Array("\(timestamp).".utf8) + body)
    return "v1=" + code.map { $0.digits(2, radix: 16) }.joined()
  }
}
