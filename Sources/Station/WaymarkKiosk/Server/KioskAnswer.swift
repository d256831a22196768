import HTTPTypes
import Hummingbird
import NIOCore

/// The answers of the kiosk's server in JSON: replies of the service, and errors of the kiosk itself.
enum KioskAnswer {
  /// Too many pictures are being processed; the request's body is not read.
  static var busy: Response {
    unread("busy", "Too many pictures are being processed.", "Send it again later.", .serviceUnavailable)
  }

  /// The body is too large or too slow.
  static var tooLarge: Response {
    unread(
      "tooLarge", "The body is too large, or did not arrive in time.",
      "Pictures may have 16 MiB, commands 64 KiB, and 30 seconds to arrive.", .contentTooLarge)
  }

  /// An error after which the connection is closed, because the request's body is not read.
  private static func unread(
    _ code: String, _ message: String, _ hint: String, _ status: HTTPResponse.Status
  ) -> Response {
    var response = refusal(code, message, hint, status)
    response.headers[.connection] = "close"
    return response
  }

  /// An error of the kiosk itself.
  static func refusal(_ code: String, _ message: String, _ hint: String, _ status: HTTPResponse.Status) -> Response {
    reply(.failure(code: code, message: message, hint: hint), status: status)
  }

  /// The answer with a reply. If no status is given, it is 200, or 422 for an error.
  static func reply(_ reply: CommandReply, status: HTTPResponse.Status? = nil) -> Response {
    Response(
      status: status ?? (reply.succeeded ? .ok : .unprocessableContent), headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(bytes: reply.json)))
  }
}
