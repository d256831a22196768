package import NIOCore
import Synchronization

/// The open connections of a server: bounded, given a time to prove themselves, and all closed in the end.
package final class Connections: Sendable {
  private struct State {
    var table: ConnectionTable<ObjectIdentifier>
    /// Also those that were told to close and have not yet.
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isClosing = false
  }

  private let state: Mutex<State>
  private let limits: HTTPLimits

  /// No connections yet.
  package init(_ limits: HTTPLimits) {
    self.limits = limits
    state = Mutex(State(table: ConnectionTable(limit: limits.connections)))
  }

  /// True if new connections are turned away.
  package var isClosing: Bool { state.withLock { $0.isClosing } }

  /// Takes up a connection; closes another one, or this, where there are too many.
  package func opened(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let surplus = state.withLock { state -> (any Channel)? in
      state.channels[id] = channel
      if state.isClosing { return channel }
      return state.table.opened(id).flatMap { state.channels[$0] }
    }
    surplus?.close(promise: nil)
    let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.proof)) { [weak self] in
      guard let self, state.withLock({ $0.table.expired(id) }) else { return }
      channel.close(promise: nil)
    }
    channel.closeFuture.whenComplete { [self] _ in
      deadline.cancel()
      state.withLock { state in
        state.table.closed(id)
        state.channels[id] = nil
      }
    }
  }

  /// A request with the right cookie or token came over this connection.
  package func authenticated(_ channel: any Channel) {
    state.withLock { $0.table.authenticated(ObjectIdentifier(channel)) }
  }

  /// Turns new connections away and ends those that are still open after a time to finish what they are about.
  package func close(after time: Duration) {
    let open = state.withLock { state in
      state.isClosing = true
      return Array(state.channels.values)
    }
    for channel in open { channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) } }
  }
}
