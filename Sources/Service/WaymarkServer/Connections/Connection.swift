import Logging
import NIOCore
package import WaymarkProtocol
import WaymarkSystem

/// The calls of a `Connection`, which is below, to the hub that owns it.
@ServiceActor
protocol ConnectionOwner: AnyObject {
  nonisolated var log: Logger { get }
  func handle(_ line: ByteBufferView, from connection: Connection)
  /// Called when the connection has requests: the owner then calls `takeTurn` when it is the connection's turn.
  func wantsTurn(_ connection: Connection)
  /// Encodes a value as a line of JSON; `nil` if that fails.
  func encode(_ value: some Encodable) -> ByteBuffer?
  func countDropped()
}

/// The connection of a client: its role and subscriptions, its requests, and the lines or pictures to write.
@ServiceActor
package final class Connection {
  /// The largest number of requests that are processed before other connections get their turn.
  private static let turn = 4

  /// The number of the connection, unique in this run.
  package let number: Int
  let peer: Peer
  /// The role of the connection's user.
  let admittedRole: Role
  /// The role of the connection: the role of its user, or observer after `becomeObserver()`.
  package private(set) var role: Role
  package var patterns = EventPatterns()
  /// True if the connection is closed or being closed.
  package private(set) var isClosing = false

  private let channel: any Channel
  private let limits: ConnectionLimits
  private var outlet: any Outlet
  private var framer = LineFramer()
  private var body: RequestBody?
  private var bodyTimer: Scheduled<Void>?
  private var inFlight = 0
  private var inputEnded = false
  private var isInTurn = false
  private var isReadPaused = false
  private var stallTimer: Scheduled<Void>?
  private var lossTimer: Scheduled<Void>?
  private var wasLosing = false
  private weak var owner: (any ConnectionOwner)?

  init(
    number: Int, peer: Peer, role: Role, channel: any Channel, limits: ConnectionLimits, owner: any ConnectionOwner
  ) {
    self.number = number
    self.peer = peer
    self.role = role
    admittedRole = role
    self.channel = channel
    self.limits = limits
    self.owner = owner
    outlet = EventOutlet(limit: limits.outbox) { [weak owner] dropped in
      owner?.encode(EventLine(time: WallClock.timestamp, payload: dropped))
    }
  }

  /// The identity of this client in events.
  package var actor: Actor { Actor(client: number, user: Int(peer.user)) }

  /// Changes the role to observer, permanently.
  package func becomeObserver() { role = .observer }

  // MARK: Reading

  /// Takes bytes that the client sent: the rest of a body, then lines.
  func received(_ bytes: inout ByteBuffer) {
    guard !isClosing else { return }
    framer.append(&bytes)
    takeBody()
    askForTurn()
    resumeReading()
  }

  /// Called when the client has closed its side; requests received before are still answered.
  func inputClosed() {
    inputEnded = true
    // A body that waits for memory may already be received completely.
    if let body, !body.isCovered(by: framer.pending) {
      failBody("The picture did not arrive completely.", hint: "Send as many bytes as announced.")
    }
    askForTurn()
    closeWhenDone()
  }

  /// True if another request may be processed: no body is being received, few enough requests are in progress, and the client reads
  /// its replies.
  private var mayBegin: Bool {
    body == nil && !isClosing && channel.isWritable && inFlight < outlet.inFlightLimit
  }

  /// True if the channel may read more bytes; if not, it pauses until `resumeReading()`.
  var mayRead: Bool {
    let may = !isClosing && (body.map(\.isWanted) ?? (mayBegin && !framer.mayHoldLine))
    isReadPaused = !may
    return may
  }

  private func askForTurn() {
    if mayBegin, framer.mayHoldLine { owner?.wantsTurn(self) }
  }

  /// Processes up to `turn` received requests, so that other connections get their turn.
  ///
  /// - Returns: whether more requests can be processed.
  func takeTurn() -> Bool {
    isInTurn = true
    defer { isInTurn = false }
    for _ in 0..<Self.turn {
      guard mayBegin, let next = framer.next() else { break }
      switch next {
      case .tooLong:
        let error = ServiceError(
          .lineTooLong, "A line is longer than \(framer.limit) bytes.", hint: "Send one request a line, ended by LF.")
        send(ErrorLine(id: .null, error: error))
        close(.lineTooLong)
        return false
      case .line(let line):
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        owner?.handle(line, from: self)
        takeBody()
      }
    }
    closeWhenDone()
    resumeReading()
    return mayBegin && framer.mayHoldLine
  }

  /// Expects the body of the current request instead of lines. Reading pauses until the body is kept or skipped.
  func expectBody(_ size: Int) -> RequestBody {
    let body = RequestBody(size: size) { [weak self] in self?.beginBody() }
    self.body = body
    return body
  }

  private func beginBody() {
    guard body != nil else { return }
    bodyTimer = ServiceActor.schedule(after: limits.body) { [weak self] in
      guard let self, let body = self.body else { return }
      body.fail(
        ServiceError(
          .badPicture, "The picture did not arrive within \(Int(self.limits.body.rounded(.up))) seconds.",
          hint: "Send as many bytes as announced, at once."))
      // The waiting request is answered before the connection closes. Further bytes still belong to its body and are not requests.
      self.bodyTimer = ServiceActor.schedule(after: ConnectionLimits.linger) { [weak self] in self?.close(.bodyTimeout)
      }
    }
    takeBody()
    if !isInTurn { askForTurn() }
    resumeReading()
  }

  private func takeBody() {
    guard let body else { return }
    body.take(from: &framer)
    if body.isComplete { endBody() }
  }

  private func endBody() {
    body = nil
    bodyTimer?.cancel()
    bodyTimer = nil
  }

  private func failBody(_ message: String, hint: String) {
    let body = body
    endBody()
    body?.fail(ServiceError(.badPicture, message, hint: hint))
  }

  private func resumeReading() {
    if isReadPaused, mayRead { channel.read() }
  }

  /// Changes the number of requests with an asynchronous reply, by 1 or -1.
  package func countInFlight(_ change: Int) {
    inFlight += change
    guard change < 0 else { return }
    askForTurn()
    resumeReading()
    closeWhenDone()
  }

  // MARK: Writing

  package func send(_ reply: some Encodable) {
    guard !isClosing, let bytes = owner?.encode(reply) else { return }
    outlet.push(reply: bytes)
    pump()
  }

  /// Delivers an event if the client subscribes to it.
  package func deliver(_ event: EncodedEvent) {
    if patterns.match(event.name) { deliverAlways(event) }
  }

  /// Delivers an event regardless of subscriptions.
  func deliverAlways(_ event: EncodedEvent) {
    guard !isClosing else { return }
    if outlet.push(event: event, for: role) { owner?.countDropped() }
    pump()
  }

  /// True if the connection carries replies and events, false if it carries pictures.
  package var carriesEvents: Bool { outlet.carriesEvents }

  /// Makes this a connection for pictures, without events.
  package func carryPictures() -> MediaOutlet {
    if let media = outlet as? MediaOutlet { return media }
    patterns.removeAll()
    // A large send buffer, so that a picture is written in few pieces.
    channel.setOption(.socketOption(.so_sndbuf), value: Self.pictureBuffer).whenComplete { _ in }
    let media = MediaOutlet(after: outlet) { [weak self] in self?.pump() }
    outlet = media
    return media
  }

  /// The size of the kernel's send buffer for pictures, in bytes.
  private static let pictureBuffer: SocketOptionValue = 128 << 10

  /// Writes waiting data until the channel is full.
  func pump() {
    guard channel.isActive, !isClosing else { return }
    var wrote = false
    while channel.isWritable, let (bytes, room) = outlet.next() {
      if let room {
        channel.write(bytes).whenComplete { _ in withExtendedLifetime(room) {} }
      } else {
        channel.write(bytes, promise: nil)
      }
      wrote = true
    }
    if wrote { channel.flush() }
    watchPatience(progressed: wrote)
    if !isInTurn {
      askForTurn()
      resumeReading()
    }
    if outlet.isIdle, channel.isWritable { outlet.drained() }
    closeWhenDone()
  }

  /// Starts and stops the timers that close the connection of a client that reads too slowly or not at all.
  private func watchPatience(progressed: Bool) {
    let waits = !outlet.isIdle || !channel.isWritable
    let isLosing = outlet.isLosing
    // The timer restarts when events begin to be lost, since the limit is then shorter.
    if progressed || !waits || isLosing != wasLosing {
      stallTimer?.cancel()
      stallTimer = nil
    }
    if isLosing != wasLosing {
      lossTimer?.cancel()
      lossTimer = isLosing ? ServiceActor.schedule(after: limits.stalledAfter) { [weak self] in self?.giveUp() } : nil
      wasLosing = isLosing
    }
    guard waits, stallTimer == nil else { return }
    stallTimer = ServiceActor.schedule(after: isLosing ? limits.slowAfter : limits.stalledAfter) { [weak self] in
      self?.giveUp()
    }
  }

  private func giveUp() { close(.slowConsumer) }

  // MARK: Closing

  private func closeWhenDone() {
    guard inputEnded, !isClosing, inFlight == 0, !framer.mayHoldLine, outlet.isIdle else { return }
    isClosing = true
    stopTimers()
    channel.close(promise: nil)
  }

  private func stopTimers() {
    for timer in [stallTimer, lossTimer, bodyTimer] { timer?.cancel() }
  }

  /// Closes the connection, after sending the reason if the client still reads.
  package func close(_ reason: CloseReason) {
    guard !isClosing else { return }
    isClosing = true
    stopTimers()
    owner?.log.notice(
      "a connection is closed",
      metadata: ["client": "\(number)", "uid": "\(peer.user)", "reason": "\(reason.rawValue)"])
    if reason == .slowConsumer { outlet.clear() }
    while let (bytes, _) = outlet.next() { channel.write(bytes, promise: nil) }
    if carriesEvents,
      let line = owner?.encode(EventLine(time: WallClock.timestamp, payload: ConnectionClosed(reason: reason)))
    {
      channel.write(line, promise: nil)
    }
    // Earlier lines may not have been sent yet; the channel closes at the latest after a short delay.
    let channel = channel
    channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
    let closeDelay = reason == .slowConsumer ? ConnectionLimits.slowConsumerLinger : ConnectionLimits.linger
    ServiceActor.schedule(after: closeDelay) { channel.close(promise: nil) }
  }

  func closed() {
    isClosing = true
    stopTimers()
    // Fails the body: the task that waits for the rest of a picture would otherwise wait for ever and keep the received part.
    failBody("The picture did not arrive completely.", hint: "Send as many bytes as announced.")
    outlet.clear()
  }
}
