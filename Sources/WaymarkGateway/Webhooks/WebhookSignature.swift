import Crypto
import Foundation
import WaymarkSystem

/// The signature of what is sent: proof that it comes from this gateway, and when.
enum WebhookSignature {
  /// HMAC-SHA256 (RFC 2104) over the time, a full stop and the body, in hexadecimal.
  ///
  /// - Parameter timestamp: seconds since 1970. A receiver refuses what is older than some minutes.
  static func of(_ body: [UInt8], timestamp: Int, secret: String) -> String {
    var code = HMAC<SHA256>(key: SymmetricKey(data: Data(secret.utf8)))
    code.update(data: Data("\(timestamp).".utf8))
    code.update(data: body)
    return "v1=" + code.finalize().map { $0.digits(2, radix: 16) }.joined()
  }
}
