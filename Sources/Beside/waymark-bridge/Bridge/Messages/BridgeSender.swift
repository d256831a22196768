package import WaymarkSystem

/// Decides when to connect and which events to send: the sending half of the bridge as a value, without clock, network and disk.
///
/// Events go out in the order of their numbers, `window` of them at a time. What is not acknowledged when a connection ends goes out
/// again over the next one, from the oldest on. So the numbers that a receiver sees for the first time rise by one, and whatever is not
/// higher than the highest it has seen is a repetition.
package struct BridgeSender: Sendable {
  /// The next step.
  package enum Step: Hashable, Sendable {
    /// Connect.
    case connect
    /// Do nothing for so many seconds.
    case rest(Double)
    /// Send what follows a number, at most so many events.
    case send(after: UInt64, count: Int)
    /// Everything that may be in flight is.
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
  /// Up to here everything has arrived.
  package private(set) var acknowledged: UInt64
  private var sent: UInt64
  private var flights: [Flight] = []

  /// A sender that has everything up to `acknowledged` behind it.
  package init(acknowledged: UInt64, window: Int, backoff: Backoff = Backoff(first: 1, longest: 60)) {
    self.acknowledged = acknowledged
    self.window = window
    self.backoff = backoff
    sent = acknowledged
    phase = .disconnected(until: -.infinity)
  }

  /// True if the broker listens.
  package var isConnected: Bool { if case .connected = phase { true } else { false } }

  /// How many events are on their way.
  package var inFlight: Int { flights.count }

  /// Returns the next step at the time `now`, in seconds.
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

  /// The broker has let us in.
  package mutating func connected() {
    phase = .connected
    backoff.reset()
  }

  /// The connection is over, or there was none.
  ///
  /// - Parameter chance: 0 to 1: spreads devices that lost their broker at the same moment.
  package mutating func disconnected(now: Double, chance: Double = .random(in: 0...1)) {
    if case .disconnected = phase { return }
    phase = .disconnected(until: now + backoff.next(chance: chance))
    flights = []
    sent = acknowledged
  }

  /// An event, or the word that all up to it are gone, is on its way.
  package mutating func sent(_ sequence: UInt64, message: Int32) {
    sent = sequence
    flights.append(Flight(message: message, sequence: sequence))
  }

  /// A number that needs no message, such as a record that is none.
  ///
  /// - Returns: the number up to which now everything has arrived, where that is news.
  package mutating func skip(_ sequence: UInt64) -> UInt64? {
    sent = sequence
    guard flights.isEmpty else {
      flights.append(Flight(message: -1, sequence: sequence, hasArrived: true))
      return nil
    }
    acknowledged = sequence
    return sequence
  }

  /// The broker has a message.
  ///
  /// - Returns: the number up to which now everything has arrived, where that is news.
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
