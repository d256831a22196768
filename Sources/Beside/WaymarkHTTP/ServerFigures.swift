package import Hummingbird
import NIOCore
import Synchronization
package import WaymarkSystem

/// The figures of an HTTP server for `/metrics`: its connections, the requests that it refused, and the resources that clients share.
package final class ServerFigures: Sendable {
  private struct State {
    var listeners: [Connections] = []
    /// The refused requests, by reason. Reasons are constants of the program, so their number is limited.
    var refused: [String: Int]
  }

  private let rooms: [Room]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - reasons: the reasons for refusals, which are listed from the start.
  ///   - rooms: the shared resources other than connections.
  package init(reasons: [String], rooms: [Room]) {
    self.rooms = rooms
    state = Mutex(State(refused: Dictionary(reasons.map { ($0, 0) }, uniquingKeysWith: { first, _ in first })))
  }

  /// Adds the connections of a listener.
  package func add(_ connections: Connections) { state.withLock { $0.listeners.append(connections) } }

  /// Counts a refused request by its reason.
  package func countRefusal(_ reason: String) { state.withLock { $0.refused[reason, default: 0] += 1 } }

  /// Adds the figures to a text of metrics.
  package func write(to text: inout MetricsText) {
    let (listeners, refused) = state.withLock { ($0.listeners, $0.refused) }
    let connections = listeners.map(\.figures)
    text.add("connections", "gauge", "Open connections.", connections.reduce(0) { $0 + $1.open })
    let closed = [
      ("crowded", connections.reduce(0) { $0 + $1.crowded }), ("silent", connections.reduce(0) { $0 + $1.expired }),
    ]
    text.add(
      "connections_closed_total", "counter", "Connections that were closed before their first valid request.",
      closed.map { (["reason": $0.0], $0.1) })
    text.add(
      "requests_refused_total", "counter", "Requests that were refused before their route ran.",
      refused.sorted { $0.key < $1.key }.map { (["reason": $0.key], $0.value) })
    // Every listener has the same limits, so their rooms are added.
    let own = listeners.map(\.room.figures).reduce((taken: 0, total: 0, refused: 0)) {
      ($0.taken + $1.taken, $0.total + $1.total, $0.refused + $1.refused)
    }
    let all = [(["of": "connections"], own)] + rooms.map { (["of": $0.name], $0.figures) }
    text.add(
      "room_taken", "gauge", "What clients have taken of a resource that they share.", all.map { ($0.0, $0.1.taken) })
    text.add("room_limit", "gauge", "What there is of the resource.", all.map { ($0.0, $0.1.total) })
    text.add(
      "room_refused_total", "counter", "Requests that got nothing of the resource.", all.map { ($0.0, $0.1.refused) })
  }
}

extension Response {
  /// The answer to a health probe.
  package static var healthy: Response { plain("ok\n", type: "text/plain") }

  /// The answer with figures in the text exposition format of Prometheus.
  package static func metrics(_ text: String) -> Response {
    plain(text, type: "text/plain; version=0.0.4; charset=utf-8")
  }

  private static func plain(_ text: String, type: String) -> Response {
    Response(status: .ok, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
