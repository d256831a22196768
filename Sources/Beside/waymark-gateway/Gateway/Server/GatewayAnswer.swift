import HTTPTypes
import Hummingbird
import NIOCore
import WaymarkClient
import WaymarkProtocol
package import WaymarkSystem

/// The answers of the gateway: results as the service sent them, and errors as at the socket but with an HTTP status. The file also
/// has the context of a request (`GatewayContext`) and the errors with which the gateway ends (`GatewayError`).
enum GatewayAnswer {
  /// The error codes that only the gateway has, with the HTTP status and the meaning of each.
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

  /// Returns the HTTP status of an error code.
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

  /// Returns a result as JSON, with status 200.
  static func result(_ value: JSONValue) -> Response {
    guard let json = try? JSONLineEncoder.encode(value) else {
      return error(.init(.internalError, "The result cannot be written.", hint: "See the log of the service."))
    }
    return Response(
      status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: json)))
  }

  /// Returns an error as JSON, with the HTTP status of its code.
  static func error(_ error: ServiceError) -> Response {
    let status = status(of: error.code.rawValue)
    let json = (try? JSONLineEncoder.encode(["error": error])) ?? Array("{}".utf8)
    var response = Response(
      status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(bytes: json)))
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    if status == .contentTooLarge { response.headers[.connection] = "close" }
    return response
  }

  /// An error that contains its answer.
  struct Refusal: Error { let response: Response }

  /// Returns the answer to a request that failed: the answer of a `Refusal`, the error of the service, or `offline` for any other
  /// error.
  static func failure(_ problem: any Error) -> Response {
    if let refusal = problem as? Refusal { return refusal.response }
    if let refused = problem as? ServiceError { return error(refused) }
    let message = (problem as? ClientError)?.message ?? "The service does not answer."
    return error(.init(.init(rawValue: "offline"), message, hint: "Wait, or start it: systemctl start waymark."))
  }

  /// Returns the answer with an error whose code is one of `ownCodes`.
  static func own(_ code: String, _ message: String, hint: String) -> Response {
    error(ServiceError(.init(rawValue: code), message, hint: hint))
  }

  /// The answer to a body that is too large or too slow.
  static var tooLarge: Response {
    own(
      "tooLarge", "The body is too large, or did not arrive in time.",
      hint: "Pictures may have 16 MiB, other bodies 60 KiB, and 30 seconds to arrive, with 16 KiB a second at least.")
  }

  /// The answer if too many requests of a kind are in progress. The connection is closed after it.
  static func busy(_ what: String) -> Response {
    last(error(ServiceError(.busy, "Too many \(what) are under way.", hint: "Try again later.")))
  }

  /// The answer to an observer who may not use `what`, such as a method. The body of the request is not read.
  static func notPermitted(_ what: String) -> Response {
    last(
      error(
        ServiceError(.notPermitted, "An observer may not use \(what).", hint: "Use the token of an operator.")))
  }

  /// Adds `Connection: close`, so that the connection is closed after the answer.
  static func last(_ response: Response) -> Response {
    var response = response
    response.headers[.connection] = "close"
    return response
  }
}

// MARK: - Context and errors

/// The context of a request, with its connection and its sender.
struct GatewayContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel
  /// The sender. The guard sets it before any route runs.
  var caller = Caller(name: "unauthenticated", role: .observer)

  init(source: Source) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

/// An error with which the gateway ends.
package typealias GatewayError = Problem<GatewayErrorCode>

/// The codes of `GatewayError`; the exit status is 65 for `badConfiguration`, otherwise 66.
package enum GatewayErrorCode: String, ProblemCode {
  /// The configuration file has an unknown key or a wrong value.
  case badConfiguration
  /// A file that the configuration names cannot be read, or may be read by others.
  case cannotOpen
  /// An address cannot be listened on.
  case listen
  /// The folder in which events for webhooks wait cannot be used.
  case store
}
