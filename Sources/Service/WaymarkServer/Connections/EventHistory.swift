import NIOCore
package import WaymarkProtocol

/// The last events, for clients that reconnect. Events that newer ones replace are not stored.
struct EventHistory {
  /// The maximum number of stored events; 0 for none.
  var limit = 0 {
    didSet { trim() }
  }
  /// The number of the newest event that is not stored any more or was never stored.
  private(set) var forgotten = 0
  private var events = CircularBuffer<EncodedEvent>()
  private var bytes = 0

  /// The maximum bytes of all stored events; older events are removed above it, even if there are
  /// fewer than `limit`.
  private static let largest = 4 << 20

  /// Records the number of an event that is not stored, and removes all earlier ones.
  mutating func pass(_ seq: Int) {
    forgotten = seq
    events.removeAll()
    bytes = 0
  }

  /// Stores an event; with a `limit` of 0, only records its number.
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

  /// Returns the stored events after a number, and whether no event is missing between them.
  func after(_ seq: Int) -> (events: [EncodedEvent], isComplete: Bool) {
    (events.filter { $0.seq > seq }, forgotten <= seq)
  }
}

/// An encoded event, and its encoding for observers if that differs.
package struct EncodedEvent {
  /// The name of the event, for subscriptions.
  let name: String
  let seq: Int
  /// The key under which a newer event replaces this one in an outbox; nil if none does.
  let key: String?
  let full: ByteBuffer
  let redacted: ByteBuffer?

  var size: Int { full.readableBytes + (redacted?.readableBytes ?? 0) }

  /// Returns the line for a role.
  func bytes(for role: Role) -> ByteBuffer { role == .operator ? full : redacted ?? full }
}

/// An event type whose newer events replace older ones that have not been sent yet.
package protocol CoalescingEvent: EventPayload {
  /// The key under which a newer event replaces an older one; nil if it replaces none.
  var coalescingKey: String? { get }
}
