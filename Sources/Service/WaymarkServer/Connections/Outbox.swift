package import NIOCore

/// The lines waiting to be written to one connection: bounded, and fair to what must not be lost.
///
/// A value without a clock: it says when it began to drop, and its owner decides how long that may last.
package struct Outbox {
  /// Something to be written.
  package struct Entry {
    /// The bytes, shared by all connections that the event goes to.
    package let bytes: ByteBuffer
    /// The event's counter; `nil` for replies.
    package let seq: Int?
    /// Newer entries of the same key replace it; `nil` keeps it.
    package let key: String?

    /// An entry from its parts.
    package init(bytes: ByteBuffer, seq: Int? = nil, key: String? = nil) {
      self.bytes = bytes
      self.seq = seq
      self.key = key
    }
  }

  /// Events that a slow connection lost.
  package struct Gap: Hashable, Sendable {
    /// How many.
    package var count: Int
    /// The last event before them; 0 when there was none.
    package var sinceSeq: Int
  }

  /// How many bytes of events may wait.
  package let limit: Int
  /// The gap that is open: from now on nothing that counts fits, until half of the room is free again.
  package private(set) var gap: Gap?
  /// Bytes that wait.
  package private(set) var byteCount = 0
  private var entries: [Entry?] = []
  private var head = 0
  private var live = 0
  private var places: [String: Int] = [:]
  private var lastSeq = 0

  /// An empty outbox.
  package init(limit: Int) { self.limit = limit }

  /// True if nothing waits.
  package var isEmpty: Bool { live == 0 }

  /// Adds a reply: never dropped; its owner stops reading requests when too many wait.
  package mutating func push(reply bytes: ByteBuffer) { append(Entry(bytes: bytes)) }

  /// Adds an event, replaces an older one of its key, or drops it.
  ///
  /// - Returns: whether this event opened a gap.
  package mutating func push(event entry: Entry) -> Bool {
    if let key = entry.key, let place = places.removeValue(forKey: key), let old = entries[place] {
      // The newest takes the place at the end, so that counters keep rising.
      byteCount -= old.bytes.readableBytes
      entries[place] = nil
      live -= 1
    }
    if gap == nil, byteCount + entry.bytes.readableBytes <= limit || live == 0 {
      lastSeq = entry.seq ?? lastSeq
      append(entry)
      return false
    }
    // A coalescing event may be dropped silently: the next one carries the same state.
    guard entry.key == nil else { return false }
    if gap != nil {
      gap?.count += 1
      return false
    }
    gap = Gap(count: 1, sinceSeq: lastSeq)
    return true
  }

  /// The next entry to write.
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

  /// Closes the gap once half of the room is free; the caller tells the client.
  mutating func closeGap() -> Gap? {
    guard let closed = gap, byteCount <= limit / 2 else { return nil }
    gap = nil
    return closed
  }

  /// Throws everything away.
  package mutating func clear() { self = Outbox(limit: limit) }

  private mutating func append(_ entry: Entry) {
    // Replaced entries leave holes, which grow while a stalled client's only event is replaced again and again.
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
