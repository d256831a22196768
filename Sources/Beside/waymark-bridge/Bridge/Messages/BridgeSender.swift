package import WaymarkSystem

/// Decides when the bridge connects and which events it sends. A value without clock, network and disk.
///
/// Events are sent in the order of their numbers, at most `window` of them without acknowledgement. When a connection ends, events
/// without acknowledgement are sent again over the next connection, the oldest first. For a receiver, new numbers therefore
/// increase by one, and a number that is not above all earlier numbers is a repetition.
package struct BridgeSender: Sendable {
  /// An action for the caller of `step`.
  package enum Step: Hashable, Sendable {
    /// Connect to the broker.
    case connect
    /// Wait for this number of seconds, then call `step` again.
    case rest(Double)
    /// Send at most `count` events, whose numbers follow `after`.
    case send(after: UInt64, count: Int)
    /// Wait for the broker: the window is full, or the broker has not accepted the connection yet.
    case listen
  }

  private enum Phase {
    case disconnected(until: Double)
    case connecting
    case connected
  }

  private struct Flight {
    let message: Int32
    let sequence: UInt64
    var hasArrived = false
  }

  private let window: Int
  private var backoff: Backoff
  private var phase: Phase
  /// The number up to which the broker has acknowledged all events.
  package private(set) var acknowledged: UInt64
  private var sent: UInt64
  private var flights: [Flight] = []

  /// Creates a sender whose events up to `acknowledged` are acknowledged.
  package init(acknowledged: UInt64, window: Int, backoff: Backoff = Backoff(first: 1, longest: 60)) {
    self.acknowledged = acknowledged
    self.window = window
    self.backoff = backoff
    sent = acknowledged
    phase = .disconnected(until: -.infinity)
  }

  /// True if the broker has accepted the connection.
  package var isConnected: Bool { if case .connected = phase { true } else { false } }

  /// The number of sent events that are not acknowledged, or follow an event that is not acknowledged.
  package var inFlight: Int { flights.count }

  /// Returns the action at the time `now`, in seconds of a monotonic clock.
  package mutating func step(now: Double) -> Step {
    switch phase {
    case .disconnected(let until) where until > now: return .rest(until - now)
    case .disconnected:
      phase = .connecting
      return .connect
    case .connecting: return .listen
    case .connected: return flights.count < window ? .send(after: sent, count: window - flights.count) : .listen
    }
  }

  /// Notes that the broker has accepted the connection.
  package mutating func connected() {
    phase = .connected
    backoff.reset()
  }

  /// Notes that the connection has ended, or that connecting has failed.
  ///
  /// - Parameter chance: a random number from 0 to 1. Devices that lost their broker at the same time then connect again at
  ///   different times.
  package mutating func disconnected(now: Double, chance: Double = .random(in: 0...1)) {
    if case .disconnected = phase { return }
    phase = .disconnected(until: now + backoff.next(chance: chance))
    flights = []
    sent = acknowledged
  }

  /// Notes that an event, or the message about a gap up to it, was sent.
  ///
  /// - Parameter message: the library's identifier of the message.
  package mutating func sent(_ sequence: UInt64, message: Int32) {
    sent = sequence
    flights.append(Flight(message: message, sequence: sequence))
  }

  /// Skips a number without a message, such as the number of an invalid record.
  ///
  /// - Returns: the number up to which everything has arrived, if it has changed.
  package mutating func skip(_ sequence: UInt64) -> UInt64? {
    sent = sequence
    guard flights.isEmpty else {
      flights.append(Flight(message: -1, sequence: sequence, hasArrived: true))
      return nil
    }
    acknowledged = sequence
    return sequence
  }

  /// Notes that the broker has acknowledged a message.
  ///
  /// - Returns: the number up to which everything has arrived, if it has changed.
  package mutating func arrived(message: Int32) -> UInt64? {
    guard let index = flights.firstIndex(where: { $0.message == message && !$0.hasArrived }) else { return nil }
    flights[index].hasArrived = true
    let whole = flights.prefix { $0.hasArrived }
    guard let last = whole.last else { return nil }
    acknowledged = last.sequence
    flights.removeFirst(whole.count)
    return acknowledged
  }
}
