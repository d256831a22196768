import HTTPTypes
import Hummingbird
import NIOCore

/// Answers of the page's server that are JSON.
enum KioskAnswer {
  /// Too many pictures are under way; the body of this one is not read.
  static var busy: Response {
    var response = reply(
      .failure(
        code: "busy", message: "Too many pictures are being processed.", hint: "Send it again later."),
      status: .serviceUnavailable)
    response.headers[.connection] = "close"
    return response
  }

  /// The body is too large or too slow.
  static var tooLarge: Response {
    var response = reply(
      .failure(
        code: "tooLarge", message: "The body is too large, or did not arrive in time.",
        hint: "Pictures may have 16 MiB, commands 64 KiB, and 30 seconds to arrive."), status: .contentTooLarge)
    response.headers[.connection] = "close"
    return response
  }

  /// The service's reply.
  static func reply(_ reply: CommandReply, status: HTTPResponse.Status? = nil) -> Response {
    Response(
      status: status ?? (reply.succeeded ? .ok : .unprocessableContent), headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(bytes: reply.json)))
  }
}
