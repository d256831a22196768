import NIOCore

/// The newest events, for clients that follow and for clients that come back: bounded in number and bytes.
///
/// A client is a number, the next event that it has not had. So a client that reads slowly costs nothing: it is told of the gap when
/// what it has not had is gone.
struct EventRing: Sendable {
  /// An event.
  struct Entry: Sendable {
    /// Its id; `nil` for what has no number of the service's.
    let id: EventID?
    /// Its name.
    let name: String
    /// The event as it stands in a stream.
    let bytes: ByteBuffer
  }

  /// The events behind a number.
  struct Batch: Sendable {
    var entries: [Entry] = []
    /// How many are gone in between.
    var missed = 0
    /// The number to go on from.
    var next: Int
  }

  private let limit: Int
  private let byteLimit: Int
  private var entries: [Entry] = []
  /// Where the oldest one lies in `entries`.
  private var head = 0
  private var bytes = 0
  /// The number of the oldest one.
  private var first = 0
  /// The last event that is not kept.
  private var floor: EventID?

  init(limit: Int, bytes: Int) {
    self.limit = limit
    byteLimit = bytes
  }

  /// The number of the event that comes next.
  var end: Int { first + entries.count - head }

  /// Nothing before an event is kept, because it was never had.
  mutating func begin(after id: EventID) { if end == first { floor = id } }

  /// Takes an event.
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

  /// The events from a number on, at most so many bytes of them (one at least).
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

  /// Where a client goes on that has had everything up to an event.
  ///
  /// - Returns: the number, and whether nothing is missing in between.
  func position(after id: EventID) -> (number: Int, isComplete: Bool) {
    if let index = entries[head...].lastIndex(where: { $0.id?.instance == id.instance && ($0.id?.seq ?? 0) <= id.seq })
    {
      return (first + index - head + 1, true)
    }
    let isComplete = floor.map { $0.instance == id.instance && $0.seq <= id.seq } ?? false
    return (first, isComplete)
  }
}
