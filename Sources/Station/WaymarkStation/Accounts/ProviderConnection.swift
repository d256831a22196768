import Logging
import WaymarkPeople
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem

/// The integrator's program: one connection at a time, the only one that sees what people type.
@ServiceActor
final class ProviderConnection {
  private var connection: Connection?
  private let log: Logger

  init(log: Logger) { self.log = log }

  /// True if it is there.
  var isConnected: Bool { connection != nil }

  /// Takes a connection on.
  func take(_ connection: Connection, name: String?) throws {
    if let holder = self.connection, holder !== connection {
      throw ServiceError(
        .busy, "Another provider is registered.", hint: "Stop it first: only one can be registered at a time.",
        holder: holder.actor)
    }
    guard self.connection == nil else { return }
    self.connection = connection
    log.notice("a provider registered", metadata: ["name": "\(Self.shown(name))"])
  }

  /// A connection is gone.
  ///
  /// - Returns: whether it was this one.
  func left(_ connection: Connection) -> Bool {
    guard self.connection === connection else { return false }
    self.connection = nil
    log.warning("the provider disconnected")
    return true
  }

  /// Asks, if somebody is there.
  func ask(_ request: ProviderRequest, timeout: Double) {
    let fields = request.fields.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value.text)) }
    connection?.send(
      EventLine(
        time: WallClock.timestamp,
        payload: AuthenticationRequested(
          request: request.ticket, kind: ProviderTask(request.kind), timeout: timeout, code: request.code?.text,
          fields: fields.isEmpty ? nil : .object(fields), subject: request.subject, host: request.host)))
  }

  /// Tells the provider that a request needs no reply any more.
  func withdraw(_ ticket: Int) {
    connection?.send(EventLine(time: WallClock.timestamp, payload: AuthenticationWithdrawn(request: ticket)))
  }

  /// Only the program that was asked may answer.
  func check(_ connection: Connection) throws {
    guard self.connection === connection else {
      throw ServiceError(
        .notPermitted, "Only the registered provider may answer.", hint: "Register with authentication.provide first.")
    }
  }

  /// A stranger's name for the log.
  private static func shown(_ name: String?) -> String {
    String((name ?? "").unicodeScalars.prefix(64).map { $0.isASCII && $0.value >= 32 ? Character($0) : "?" })
  }
}
