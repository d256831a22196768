package import NIOCore
import WaymarkProtocol

/// The data waiting to be written to one connection, and its order: lines, or pictures.
@ServiceActor
protocol Outlet: AnyObject {
  /// True if nothing waits.
  var isIdle: Bool { get }
  /// True if events are lost until the client has caught up.
  var isLosing: Bool { get }
  /// True if events may be sent through it.
  var carriesEvents: Bool { get }
  /// Requests that may be worked on at a time.
  func inFlightLimit(_ limits: ConnectionLimits) -> Int
  /// Adds an answer, which is never dropped.
  func push(reply bytes: ByteBuffer)
  /// Adds an event, replaces an older one that coalesces with it, or drops it.
  ///
  /// - Returns: whether it was dropped.
  func push(event: EncodedEvent, for role: Role) -> Bool
  /// Returns the next bytes to write, and the room to be let go once they have been.
  func next() -> (bytes: ByteBuffer, holding: PictureScheduler.Reservation?)?
  /// All that waits has been written, and there is room for more.
  func drained()
  /// Throws everything away.
  func clear()
}

/// Lines: answers, and events in their order.
@ServiceActor
final class EventOutlet: Outlet {
  private var outbox: Outbox
  private let encodeGap: @ServiceActor (StreamDropped) -> ByteBuffer?

  /// - Parameters:
  ///   - limit: bytes of events that may wait.
  ///   - encodeGap: makes the line that tells of lost events.
  init(limit: Int, encodeGap: @escaping @ServiceActor (StreamDropped) -> ByteBuffer?) {
    outbox = Outbox(limit: limit)
    self.encodeGap = encodeGap
  }

  var isIdle: Bool { outbox.isEmpty }
  var isLosing: Bool { outbox.gap != nil }
  var carriesEvents: Bool { true }

  func inFlightLimit(_ limits: ConnectionLimits) -> Int { limits.inFlight }

  func push(reply bytes: ByteBuffer) { outbox.push(reply: bytes) }

  func push(event: EncodedEvent, for role: Role) -> Bool {
    _ = outbox.push(event: Outbox.Entry(bytes: event.bytes(for: role), seq: event.seq, key: event.key))
    return outbox.gap != nil
  }

  func next() -> (bytes: ByteBuffer, holding: PictureScheduler.Reservation?)? {
    if let gap = outbox.closeGap(), let line = encodeGap(StreamDropped(count: gap.count, sinceSeq: gap.sinceSeq)) {
      outbox.push(reply: line)
    }
    return outbox.pop().map { ($0.bytes, nil) }
  }

  func drained() {}

  func clear() { outbox.clear() }
}

/// Pictures: answers in order, and at most one live picture. No events.
@ServiceActor
package final class MediaOutlet: Outlet {
  private var replies: [(bytes: ByteBuffer, holding: PictureScheduler.Reservation?)] = []
  private var live: ByteBuffer?
  /// True if a picture was written since there was room for the next.
  private var owesSpace = false
  private let onPush: @ServiceActor () -> Void
  /// Called when a live picture is on its way and there is room for the next.
  package var onSpace: (@ServiceActor () -> Void)?

  /// - Parameters:
  ///   - outlet: what waits there keeps its place before the first picture.
  ///   - onPush: called when there is something to be written.
  init(after outlet: any Outlet, onPush: @escaping @ServiceActor () -> Void) {
    self.onPush = onPush
    while let waiting = outlet.next() { replies.append(waiting) }
  }

  var isIdle: Bool { replies.isEmpty && live == nil }
  var isLosing: Bool { false }
  var carriesEvents: Bool { false }

  /// Pictures are large.
  func inFlightLimit(_ limits: ConnectionLimits) -> Int { 1 }

  func push(reply bytes: ByteBuffer) { replies.append((bytes, nil)) }

  func push(event: EncodedEvent, for role: Role) -> Bool { false }

  /// Sends a picture that must arrive.
  ///
  /// - Parameter room: what it takes of the budget, until it is written.
  package func send(picture: ByteBuffer, holding room: PictureScheduler.Reservation? = nil) {
    replies.append((picture, room))
    onPush()
  }

  /// Sends a live picture: the newest replaces one that has not begun to be written.
  package func send(live picture: ByteBuffer) {
    live = picture
    onPush()
  }

  func next() -> (bytes: ByteBuffer, holding: PictureScheduler.Reservation?)? {
    if !replies.isEmpty {
      owesSpace = true
      return replies.removeFirst()
    }
    guard let picture = live else { return nil }
    live = nil
    owesSpace = true
    return (picture, nil)
  }

  /// Here or when the channel has room again: a large picture does not leave at once.
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
