import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// The answers of the gateway: results as they came, errors with the words of the socket and a status of HTTP.
enum GatewayAnswer {
  /// The codes of errors that only the gateway has, with what each means.
  static let ownCodes: [(code: String, status: HTTPResponse.Status, description: String)] = [
    ("noToken", .unauthorized, "No token, or a wrong one."),
    ("foreignHost", .misdirectedRequest, "`Host` is not a name of this gateway."),
    ("foreignOrigin", .forbidden, "A page that is not listed sent the request."),
    ("unknownPath", .notFound, "There is nothing under this path."),
    ("unknownVerb", .methodNotAllowed, "The path knows other verbs of HTTP; `Allow` lists them."),
    ("notJSON", .unsupportedMediaType, "The body is of a type that this path does not take."),
    ("noUpgrade", .init(code: 426, reasonPhrase: "Upgrade Required"), "The path speaks WebSocket alone."),
    ("tooLarge", .contentTooLarge, "The body is too large, or did not arrive in time."),
    ("offline", .serviceUnavailable, "The service does not answer."),
  ]

  /// The status of an error.
  static func status(of code: String) -> HTTPResponse.Status {
    if let own = ownCodes.first(where: { $0.code == code }) { return own.status }
    return switch code {
    case "malformedRequest", "badParams": .badRequest
    case "notPermitted": .forbidden
    case "unknownMethod", "notFound": .notFound
    case "lineTooLong": .contentTooLarge
    case "busy", "full", "noScan", "nothingToConfirm", "noScene", "noSession", "wrongPhase", "replayed",
      "wrongConnection", "notSupported", "notConfigured", "textEngineMissing", "textLanguageMissing":
      .conflict
    case "waiting": .tooManyRequests
    case "noCamera", "stopping": .serviceUnavailable
    case "noSpace": .init(code: 507, reasonPhrase: "Insufficient Storage")
    case "internalError": .internalServerError
    default: .unprocessableContent
    }
  }

  /// A result.
  static func result(_ value: JSONValue) -> Response {
    guard let json = try? JSONLineEncoder.encode(value) else {
      return error(.init(.internalError, "The result cannot be written.", hint: "See the log of the service."))
    }
    return Response(
      status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: json)))
  }

  /// An error of the socket, or of the gateway's own.
  static func error(_ error: ServiceError) -> Response {
    let status = status(of: error.code.rawValue)
    let json = (try? JSONLineEncoder.encode(["error": error])) ?? Array("{}".utf8)
    var response = Response(
      status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: json)))
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    if status == .contentTooLarge { response.headers[.connection] = "close" }
    return response
  }

  /// Any failure on the way to the service.
  static func failure(_ problem: any Error) -> Response {
    if let refused = problem as? ServiceError { return error(refused) }
    let message = (problem as? ClientError)?.message ?? "The service does not answer."
    return error(.init(.init(rawValue: "offline"), message, hint: "Wait, or start it: systemctl start waymark."))
  }

  /// An error with one of the gateway's own codes.
  static func own(_ code: String, _ message: String, hint: String) -> Response {
    error(ServiceError(.init(rawValue: code), message, hint: hint))
  }

  /// The body cannot be taken.
  static var tooLarge: Response {
    own(
      "tooLarge", "The body is too large, or did not arrive in time.",
      hint: "Pictures may have 16 MiB, other bodies 60 KiB, and 30 seconds to arrive.")
  }

  /// Too much is under way.
  static func busy(_ what: String) -> Response {
    var response = error(ServiceError(.busy, "Too many \(what) are under way.", hint: "Try again later."))
    response.headers[.connection] = "close"
    return response
  }
}
