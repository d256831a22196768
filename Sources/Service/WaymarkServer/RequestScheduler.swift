import WaymarkSystem

/// Gives connections that sent requests their turns: users one after the other, and the connections of each.
///
/// However many requests wait, what else the loop has to do (events, new connections, bytes that come and go) is done every few
/// milliseconds.
@ServiceActor
final class RequestScheduler {
  /// How long requests are worked on before the loop looks after everything else, in seconds.
  private static let slice = 0.002
  /// How long that has at least. Without a pause the loop would work on its own tasks only, and never look at its sockets.
  private static let pause = 0.0001

  private var waiting = FairQueue<UInt32, Connection>()
  /// Numbers of the connections that wait.
  private var numbers: Set<Int> = []
  private var isRunning = false

  /// A connection has requests that can be worked on.
  func add(_ connection: Connection) {
    guard numbers.insert(connection.number).inserted else { return }
    waiting.append(connection, of: connection.peer.user)
    guard !isRunning else { return }
    isRunning = true
    ServiceActor.execute { self.run() }
  }

  private func run() {
    let end = MonotonicClock.now + Self.slice
    while let connection = waiting.next() {
      numbers.remove(connection.number)
      if connection.takeTurn(), numbers.insert(connection.number).inserted {
        waiting.append(connection, of: connection.peer.user)
      }
      guard MonotonicClock.now < end else { break }
    }
    guard waiting.count > 0 else {
      isRunning = false
      return
    }
    ServiceActor.schedule(after: Self.pause) { self.run() }
  }
}
