import NIOCore

/// The last events, for clients that come back: those that count, each by itself. What only tells the newest state is not kept.
struct EventHistory {
  /// Events that are kept at most; none with 0.
  var limit = 0 {
    didSet { trim() }
  }
  /// The newest event that counts and is not kept (any more).
  private(set) var forgotten = 0
  private var events = CircularBuffer<EncodedEvent>()
  private var bytes = 0

  /// The most bytes of all events together, whatever the limit: events beyond are forgotten earlier.
  private static let largest = 4 << 20

  /// An event that counts has passed, and nobody has it as bytes.
  mutating func pass(_ seq: Int) {
    forgotten = seq
    events.removeAll()
    bytes = 0
  }

  /// Keeps an event, or notes that it has passed.
  mutating func append(_ event: EncodedEvent) {
    guard limit > 0 else { return pass(event.seq) }
    events.append(event)
    bytes += event.size
    trim()
  }

  private mutating func trim() {
    while events.count > limit || bytes > Self.largest, let oldest = events.popFirst() {
      bytes -= oldest.size
      forgotten = oldest.seq
    }
  }

  /// Returns the events kept after a number, and whether all that counted are among them.
  func after(_ seq: Int) -> (events: [EncodedEvent], isComplete: Bool) {
    (events.filter { $0.seq > seq }, forgotten <= seq)
  }
}
