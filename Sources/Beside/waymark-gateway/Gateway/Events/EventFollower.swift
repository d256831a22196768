import NIOCore
import WaymarkProtocol
import WaymarkSystem

/// The part of a feed that one client sees, as the bytes of its stream.
struct EventFollower: AsyncSequence, Sendable {
  let feed: EventFeed
  let patterns: EventPatterns
  /// The last event that the client has had.
  let last: EventID?
  /// Bytes that are handed over at a time, about.
  static let piece = 64 << 10
  /// Seconds after which a stream says that it is there.
  static let pulse = 15.0

  func makeAsyncIterator() -> Iterator { Iterator(follower: self) }

  struct Iterator: AsyncIteratorProtocol {
    private let follower: EventFollower
    private var number: Int?
    private var lastSent = MonotonicClock.now

    init(follower: EventFollower) { self.follower = follower }

    /// The next bytes; `nil` when the feed is over.
    mutating func next() async -> ByteBuffer? {
      guard let number else { return start() }
      var position = number
      while !Task.isCancelled {
        guard let batch = await follower.feed.next(from: position, bytes: EventFollower.piece) else { return nil }
        position = batch.next
        self.number = position
        var piece = ByteBuffer()
        if batch.missed > 0 { piece.writeImmutableBuffer(EventFollower.gap(count: batch.missed)) }
        for entry in batch.entries where follower.wants(entry.name) { piece.writeImmutableBuffer(entry.bytes) }
        if piece.readableBytes == 0 {
          guard MonotonicClock.now - lastSent >= EventFollower.pulse else { continue }
          // Only by writing does it show that a client is gone.
          piece.writeString(":\n\n")
        }
        lastSent = MonotonicClock.now
        return piece
      }
      return nil
    }

    /// The beginning: where the stream stands, so that a client that leaves at once can go on from there.
    private mutating func start() -> ByteBuffer {
      var piece = ByteBuffer(string: ": waymark\n\n")
      if let last = follower.last {
        let (position, isComplete) = follower.feed.position(after: last)
        number = position
        if !isComplete { piece.writeImmutableBuffer(EventFollower.gap(count: nil)) }
      } else {
        let (position, id) = follower.feed.start
        number = position
        if let id { piece.writeString("id: \(id.text)\n\n") }
      }
      return piece
    }
  }

  private func wants(_ event: String) -> Bool { event == EventFeed.missedEvent || patterns.match(event) }

  private static func gap(count: Int?) -> ByteBuffer { EventFeed.message(EventFeed.missedLine(count: count), id: nil) }
}
