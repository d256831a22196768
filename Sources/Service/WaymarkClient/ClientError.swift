import WaymarkProtocol
public import WaymarkSystem

/// The error of a connection to the service that failed or ended.
public typealias ClientError = Problem<ClientErrorCode>

/// The codes of `ClientError`, such as `noService`, `notPermitted`, `connectionLost`, `slowConsumer`, `badAnswer` …
public struct ClientErrorCode: OpenProblemCode {
  /// The word.
  public let rawValue: String

  /// Creates a code from its word.
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension Problem where Kind == ClientErrorCode {
  static func noService(_ path: String, _ reason: String) -> ClientError {
    ClientError(
      code: "noService", message: "No service answers on \(path): \(reason).",
      hint: "Start it (waymark serve, or systemctl start waymark), or name its socket: --socket PATH.")
  }

  static func connectRefused(_ path: String, _ reason: String) -> ClientError {
    ClientError(
      code: "notPermitted", message: "The socket \(path) may not be opened: \(reason).",
      hint: "Join the group that owns the socket, and log in again.")
  }

  static func closed(_ reason: CloseReason) -> ClientError {
    let hint =
      switch reason {
      case .roleChanged: "Connect again: the configuration now assigns your user another role."
      case .notPermitted: "Connect as a user or group that the configuration names under roles."
      case .slowConsumer: "Read faster, or subscribe to fewer events."
      case .bodyTimeout: "Send the bytes of a picture directly after its request."
      case .lineTooLong: "Keep requests under 64 KiB."
      case .tooManyClients: "Close other clients, or raise clients.maximum."
      case .stopping: "Wait for the service to come back."
      }
    return ClientError(
      code: ClientErrorCode(rawValue: reason.rawValue),
      message: "The service closed the connection: \(reason.rawValue).", hint: hint)
  }

  static var lost: ClientError {
    ClientError(code: "connectionLost", message: "The connection to the service was lost.", hint: "Connect again.")
  }

  static func badAnswer(_ what: String) -> ClientError {
    ClientError(
      code: "badAnswer", message: "The service sent an invalid reply: \(what).",
      hint: "The versions of service and client may be incompatible.")
  }
}
