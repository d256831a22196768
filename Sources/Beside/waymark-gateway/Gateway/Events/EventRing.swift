import NIOCore
import WaymarkSpool

/// The newest events, for clients that are connected and for clients that reconnect, limited in number and bytes. `EventID` below
/// identifies an event across reconnections.
///
/// For each client, only the number of its next event is stored. A slow client therefore takes no memory; if its next events have
/// been overwritten, it receives a gap.
struct EventRing: Sendable {
  /// An event as clients receive it.
  struct Entry: Sendable {
    /// The event's id; nil for events that the service does not number.
    let id: EventID?
    let name: String
    /// The event in the format of a stream.
    let bytes: ByteBuffer
  }

  /// The result of reading events from a number on.
  struct Batch: Sendable {
    var entries: [Entry] = []
    /// The number of requested events that are no longer kept.
    var missed = 0
    /// The number of the next event to read.
    var next: Int
  }

  private let limit: Int
  private let byteLimit: Int
  private var entries: [Entry] = []
  /// The index of the oldest event in `entries`.
  private var head = 0
  private var bytes = 0
  /// The number of the oldest event.
  private var first = 0
  /// The id of the last event before the stored events.
  private var floor: EventID?

  init(limit: Int, bytes: Int) {
    self.limit = limit
    byteLimit = bytes
  }

  /// The number of the next event.
  var end: Int { first + entries.count - head }

  /// Sets the id after which an empty ring begins, because earlier events were never received.
  mutating func begin(after id: EventID) { if end == first { floor = id } }

  /// Adds an event, and removes the oldest events beyond the limits.
  mutating func append(_ entry: Entry) {
    entries.append(entry)
    bytes += entry.bytes.readableBytes
    while entries.count - head > limit || (bytes > byteLimit && entries.count - head > 1) { dropFirst() }
  }

  private mutating func dropFirst() {
    bytes -= entries[head].bytes.readableBytes
    floor = entries[head].id ?? floor
    head += 1
    first += 1
    guard head > 1024, head > entries.count / 2 else { return }
    entries.removeFirst(head)
    head = 0
  }

  /// Returns the events from a number on, at most `bytes` bytes of them, but at least one event.
  func read(from number: Int, bytes: Int) -> Batch {
    let start = min(max(number, first), end)
    var batch = Batch(missed: max(0, start - number), next: start)
    var taken = 0
    for entry in entries[(head + start - first)...] {
      guard taken == 0 || taken + entry.bytes.readableBytes <= bytes else { break }
      taken += entry.bytes.readableBytes
      batch.entries.append(entry)
      batch.next += 1
    }
    return batch
  }

  /// Finds the next event of a client that has received all events up to `id`.
  ///
  /// - Returns: the event's number, and true if the events in between are complete.
  func position(after id: EventID) -> (number: Int, isComplete: Bool) {
    if let index = entries[head...].lastIndex(where: { $0.id?.instance == id.instance && ($0.id?.seq ?? 0) <= id.seq })
    {
      return (first + index - head + 1, true)
    }
    let isComplete = floor.map { $0.instance == id.instance && $0.seq <= id.seq } ?? false
    return (first, isComplete)
  }
}

/// The id of an event in a stream: its position among the service's events.
typealias EventID = SpoolPosition
