import Logging
import WaymarkAccounts
import WaymarkJSON
import WaymarkOnboarding
import WaymarkProtocol
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
        .busy, "Another program verifies already.", hint: "End it first: there is one at a time.", holder: holder.actor)
    }
    guard self.connection == nil else { return }
    self.connection = connection
    log.notice("a program that verifies is there", metadata: ["name": "\(Self.shown(name))"])
  }

  /// A connection is gone.
  ///
  /// - Returns: whether it was this one.
  func left(_ connection: Connection) -> Bool {
    guard self.connection === connection else { return false }
    self.connection = nil
    log.warning("the program that verifies is gone")
    return true
  }

  /// Asks, if somebody is there.
  func ask(_ question: ProviderQuestion, timeout: Double) {
    let fields = question.fields.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value.text)) }
    connection?.send(
      EventLine(
        time: WallClock.timestamp,
        payload: AuthenticationRequested(
          request: question.ticket, kind: question.kind.rawValue, timeout: timeout, code: question.code?.text,
          fields: fields.isEmpty ? nil : .object(fields), subject: question.subject, host: question.host)))
  }

  /// Says that a question needs no answer any more.
  func withdraw(_ ticket: Int) {
    connection?.send(EventLine(time: WallClock.timestamp, payload: AuthenticationWithdrawn(request: ticket)))
  }

  /// Only the program that was asked may answer.
  func check(_ connection: Connection) throws {
    guard self.connection === connection else {
      throw ServiceError(
        .notPermitted, "Only the program that verifies answers.", hint: "Register with authentication.provide first.")
    }
  }

  /// Takes the provider's answer.
  static func answer(_ request: AuthenticationAnswerRequest) throws -> ProviderAnswer {
    for (name, text, limit) in [
      ("subject", request.subject, 1000), ("title", request.title, 1000), ("subtitle", request.subtitle, 1000),
      ("host", request.host, 2000), ("text", request.text, 2000),
    ] where text?.utf8.count ?? 0 > limit {
      throw ServiceError(.badParams, "\(name) has more than \(limit) bytes.", hint: "Make it shorter.")
    }
    for (name, text) in [("title", request.title), ("subtitle", request.subtitle), ("subject", request.subject)] {
      guard let text, !DisplayText.isPlain(text) else { continue }
      throw ServiceError(
        .badParams, "\(name) holds a control or invisible character.", hint: "Send plain text of one line.")
    }
    // Users are told apart by it: an empty one would make everybody who has none the same person.
    if let subject = request.subject, subject.allSatisfy(\.isWhitespace) {
      throw ServiceError(
        .badParams, "subject is empty.", hint: "Send the user's permanent id, or leave subject out where there is none."
      )
    }
    if let host = request.host, !HostName.isAuthority(host) {
      throw ServiceError(
        .badParams, "host is not a host name.", hint: "Send a host, or host:port, without scheme and path.")
    }
    let person = ProviderPerson(
      subject: request.subject, title: request.title, subtitle: request.subtitle, host: request.host)
    switch request.outcome {
    case "accepted": return .accepted(person)
    case "refused": return .refused(text: request.text)
    case "offline": return .offline(text: request.text)
    case "conflict": return .conflict(person, text: request.text)
    default:
      throw ServiceError(
        .badParams, "The outcome is none of accepted, refused, offline, conflict.",
        hint: "docs/accounts.md says when which.")
    }
  }

  /// A stranger's name for the log.
  private static func shown(_ name: String?) -> String {
    String((name ?? "").unicodeScalars.prefix(64).map { $0.isASCII && $0.value >= 32 ? Character($0) : "?" })
  }
}
