package import NIOCore
package import WaymarkProtocol

/// The lines waiting to be written to one connection. The bytes of events are limited; replies are never dropped. The outbox uses
/// no clock: it reports that events are being lost, and its owner limits the time.
///
/// The file also has the outlets of data for a connection (`EventOutlet`, and `MediaOutlet` with pictures), and `EventHistory`, the
/// last events for clients that reconnect.
package struct Outbox {
  package struct Entry {
    /// The bytes, shared by all connections that receive the event.
    package let bytes: ByteBuffer
    /// The event's number; `nil` for replies.
    package var seq: Int?
    /// The key of the entry. A newer entry with the same key replaces it; `nil` if it is never replaced.
    package var key: String?
  }

  /// A gap of events that a slow connection lost.
  package struct Gap: Hashable, Sendable {
    package var count: Int
    /// The number of the last event before the gap; 0 if there was none.
    package var sinceSeq: Int
  }

  /// The maximum bytes of waiting events.
  package let limit: Int
  /// The open gap: all events are dropped until at most half of `limit` is in use. Nil without a gap. The count of a gap excludes
  /// events with a key.
  package private(set) var gap: Gap?
  package private(set) var byteCount = 0
  private var entries: [Entry?] = []
  private var head = 0
  private var live = 0
  private var places: [String: Int] = [:]
  private var lastSeq = 0

  package init(limit: Int) { self.limit = limit }

  package var isEmpty: Bool { live == 0 }

  /// Adds a reply, which is never dropped; the owner stops reading requests if too many replies wait.
  package mutating func push(reply bytes: ByteBuffer) { append(Entry(bytes: bytes)) }

  /// Adds an event. The event replaces an older event with its key; if there is no room, it is dropped.
  ///
  /// - Returns: whether this event opened a gap.
  package mutating func push(event entry: Entry) -> Bool {
    if let key = entry.key, let place = places.removeValue(forKey: key), let old = entries[place] {
      // The newer event is appended at the end, so that numbers stay in ascending order.
      byteCount -= old.bytes.readableBytes
      entries[place] = nil
      live -= 1
    }
    if gap == nil, byteCount + entry.bytes.readableBytes <= limit || live == 0 {
      lastSeq = entry.seq ?? lastSeq
      append(entry)
      return false
    }
    // An event with a key may be dropped without a gap, because the next event contains the current state.
    guard entry.key == nil else { return false }
    if gap != nil {
      gap?.count += 1
      return false
    }
    gap = Gap(count: 1, sinceSeq: lastSeq)
    return true
  }

  /// Removes and returns the next entry to write; nil if none is waiting.
  package mutating func pop() -> Entry? {
    while head < entries.count {
      defer { head += 1 }
      guard let entry = entries[head] else { continue }
      entries[head] = nil
      live -= 1
      byteCount -= entry.bytes.readableBytes
      if let key = entry.key { places[key] = nil }
      return entry
    }
    entries.removeAll(keepingCapacity: entries.capacity <= 64)
    head = 0
    return nil
  }

  /// Closes and returns the gap if at most half of `limit` is used, otherwise nil; the caller reports the gap to the
  /// client.
  mutating func closeGap() -> Gap? {
    guard let closed = gap, byteCount <= limit / 2 else { return nil }
    gap = nil
    return closed
  }

  package mutating func clear() { self = Outbox(limit: limit) }

  private mutating func append(_ entry: Entry) {
    // Replaced entries leave nil entries, whose number grows while a stalled client's only event is replaced
    // repeatedly.
    if entries.count > 256, entries.count > 2 * live { compact() }
    if let key = entry.key { places[key] = entries.count }
    entries.append(entry)
    live += 1
    byteCount += entry.bytes.readableBytes
  }

  private mutating func compact() {
    entries = entries[head...].filter { $0 != nil }
    head = 0
    places.removeAll(keepingCapacity: true)
    for (place, entry) in entries.enumerated() {
      if let key = entry?.key { places[key] = place }
    }
  }
}

// MARK: - Outlets

/// An object that keeps memory reserved for a picture until the object is released.
package typealias Room = AnyObject & Sendable

/// The data waiting to be written to one connection: lines or pictures.
@ServiceActor
protocol Outlet: AnyObject {
  var isIdle: Bool { get }
  /// True while events are lost because the client reads too slowly.
  var isLosing: Bool { get }
  /// True for an outlet of replies and events, false for an outlet of pictures.
  var carriesEvents: Bool { get }
  /// The maximum number of requests that are processed at the same time.
  var inFlightLimit: Int { get }
  /// Adds a reply, which is never dropped.
  func push(reply bytes: ByteBuffer)
  /// Adds an event. The event replaces an older event with its key; if there is no room, it is dropped.
  ///
  /// - Returns: whether events are being lost, this one included.
  func push(event: EncodedEvent, for role: Role) -> Bool
  /// Returns the next bytes to write, and the memory to release once they are written.
  func next() -> (bytes: ByteBuffer, holding: (any Room)?)?
  /// Called when all waiting data has been written and the channel accepts more.
  func drained()
  func clear()
}

/// An outlet for replies and events, in order.
@ServiceActor
final class EventOutlet: Outlet {
  private var outbox: Outbox
  private let encodeGap: @ServiceActor (StreamDropped) -> ByteBuffer?

  init(limit: Int, encodeGap: @escaping @ServiceActor (StreamDropped) -> ByteBuffer?) {
    outbox = Outbox(limit: limit)
    self.encodeGap = encodeGap
  }

  var isIdle: Bool { outbox.isEmpty }
  var isLosing: Bool { outbox.gap != nil }
  var carriesEvents: Bool { true }

  var inFlightLimit: Int { ConnectionLimits.inFlight }

  func push(reply bytes: ByteBuffer) { outbox.push(reply: bytes) }

  func push(event: EncodedEvent, for role: Role) -> Bool {
    _ = outbox.push(event: Outbox.Entry(bytes: event.bytes(for: role), seq: event.seq, key: event.key))
    return outbox.gap != nil
  }

  func next() -> (bytes: ByteBuffer, holding: (any Room)?)? {
    if let gap = outbox.closeGap(), let line = encodeGap(StreamDropped(count: gap.count, sinceSeq: gap.sinceSeq)) {
      outbox.push(reply: line)
    }
    return outbox.pop().map { ($0.bytes, nil) }
  }

  func drained() {}

  func clear() { outbox.clear() }
}

/// An outlet for pictures: replies in order, and at most one live picture. It carries no events.
@ServiceActor
package final class MediaOutlet: Outlet {
  private var replies: [(bytes: ByteBuffer, holding: (any Room)?)] = []
  private var live: ByteBuffer?
  /// True if a picture was written since `onSpace` was last called.
  private var owesSpace = false
  private let onPush: @ServiceActor () -> Void
  /// Called when all pictures have been written and the channel accepts more.
  package var onSpace: (@ServiceActor () -> Void)?

  /// Creates an outlet in place of the outlet that carried lines.
  ///
  /// - Parameters:
  ///   - outlet: the previous outlet, whose waiting lines are written before the first picture.
  ///   - onPush: called when a picture was added.
  init(after outlet: any Outlet, onPush: @escaping @ServiceActor () -> Void) {
    self.onPush = onPush
    while let waiting = outlet.next() { replies.append(waiting) }
  }

  var isIdle: Bool { replies.isEmpty && live == nil }
  var isLosing: Bool { false }
  var carriesEvents: Bool { false }

  /// Pictures are large, so only one request is processed at a time.
  var inFlightLimit: Int { 1 }

  func push(reply bytes: ByteBuffer) { replies.append((bytes, nil)) }

  func push(event: EncodedEvent, for role: Role) -> Bool { false }

  /// Sends a picture as a reply, which is never dropped.
  ///
  /// - Parameter room: the memory reserved for the picture, which is released after it was written.
  package func send(picture: ByteBuffer, holding room: (any Room)? = nil) {
    replies.append((picture, room))
    onPush()
  }

  /// Sends a live picture, which replaces a live picture that still waits to be written.
  package func send(live picture: ByteBuffer) {
    live = picture
    onPush()
  }

  func next() -> (bytes: ByteBuffer, holding: (any Room)?)? {
    if !replies.isEmpty {
      owesSpace = true
      return replies.removeFirst()
    }
    guard let picture = live else { return nil }
    live = nil
    owesSpace = true
    return (picture, nil)
  }

  /// Reports that the channel accepts more. For a large picture, this may be only after the kernel has sent a part of it.
  func drained() {
    guard owesSpace else { return }
    owesSpace = false
    onSpace?()
  }

  func clear() {
    replies = []
    live = nil
    onSpace = nil
  }
}

// MARK: - History

/// The last events, for clients that reconnect. Events that newer events replace are not stored.
struct EventHistory {
  /// The maximum number of stored events; 0 for none.
  var limit = 0 {
    didSet { trim() }
  }
  /// The number of the newest event that is not stored any more or was never stored.
  private(set) var forgotten = 0
  private var events = CircularBuffer<EncodedEvent>()
  private var bytes = 0

  /// The largest number of bytes of all stored events. Older events beyond it are removed, even if there are fewer than `limit`.
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

// MARK: - Encoded events

/// An encoded event, and its encoding for observers if this differs.
package struct EncodedEvent {
  /// The name of the event, for subscriptions.
  let name: String
  let seq: Int
  /// The key of the event. In an outbox, a newer event with the same key replaces it; nil if it is never replaced.
  let key: String?
  let full: ByteBuffer
  let redacted: ByteBuffer?

  var size: Int { full.readableBytes + (redacted?.readableBytes ?? 0) }

  /// Returns the line for a role: for observers `redacted`, if there is one.
  func bytes(for role: Role) -> ByteBuffer { role == .operator ? full : redacted ?? full }
}

/// An event type whose newer events replace older ones that have not been sent yet.
package protocol CoalescingEvent: EventPayload {
  /// The key of the event. A newer event with the same key replaces it; nil if it neither replaces nor is replaced.
  var coalescingKey: String? { get }
}
