import Logging
import NIOCore
package import WaymarkProtocol
import WaymarkSystem

/// The owner of a connection.
@ServiceActor
protocol ConnectionOwner: AnyObject {
  nonisolated var log: Logger { get }
  /// Works on one request.
  func handle(_ line: ByteBufferView, from connection: Connection)
  /// Requests can be worked on: `takeTurn` is to be called when it is this connection's turn.
  func wantsTurn(_ connection: Connection)
  /// A line of JSON; `nil` when it cannot be written.
  func encode(_ value: some Encodable) -> ByteBuffer?
  /// An event was lost.
  func countDropped()
}

/// One client's connection: its role, its subscriptions, the requests that come in, and what is written to it.
@ServiceActor
package final class Connection {
  /// Requests that are worked on in one turn.
  private static let turn = 4

  /// Its number, unique in this run.
  package let number: Int
  /// The peer at the other end.
  let peer: Peer
  /// The role that its user has.
  let admittedRole: Role
  /// The role of the connection: that of its user, until it gave up rights.
  package private(set) var role: Role
  /// The events it wants.
  package var patterns = EventPatterns()
  /// True if it has been closed, or is about to.
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

  /// How events name who did something.
  package var actor: Actor { Actor(client: number, user: Int(peer.user)) }

  /// Gives up what an observer may not do. There is no way back.
  package func becomeObserver() { role = .observer }

  // MARK: Reading

  /// Takes what a read brought.
  func received(_ bytes: inout ByteBuffer) {
    guard !isClosing else { return }
    framer.append(&bytes)
    takeBody()
    askForTurn()
    resumeReading()
  }

  /// The client will send nothing more; what it asked for is still answered.
  func inputClosed() {
    inputEnded = true
    // One that waits for room may be here whole already.
    if let body, !body.isCovered(by: framer.pending) {
      failBody("The picture did not arrive completely.", hint: "Send as many bytes as announced.")
    }
    askForTurn()
    closeWhenDone()
  }

  /// True if another request may be worked on: not where bodies are to come first, not where many are in work, and not of a client
  /// that does not read what it is answered.
  private var mayBegin: Bool {
    body == nil && !isClosing && channel.isWritable && inFlight < outlet.inFlightLimit(limits)
  }

  /// True if the channel may read on.
  var mayRead: Bool {
    let may = !isClosing && (body.map(\.isWanted) ?? (mayBegin && !framer.mayHoldLine))
    isReadPaused = !may
    return may
  }

  private func askForTurn() {
    if mayBegin, framer.mayHoldLine { owner?.wantsTurn(self) }
  }

  /// Works on requests that are there, a few, so that others get their turn.
  ///
  /// - Returns: whether there are more.
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

  /// Expects the body of the request at hand, not lines: nothing is read until somebody says what becomes of it.
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
      // The waiting request is answered first; what still comes belongs to it, and not to a request.
      self.bodyTimer = ServiceActor.schedule(after: self.limits.linger) { [weak self] in self?.close(.bodyTimeout) }
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

  /// A request whose answer takes time has begun, or ended.
  package func countInFlight(_ change: Int) {
    inFlight += change
    guard change < 0 else { return }
    askForTurn()
    resumeReading()
    closeWhenDone()
  }

  // MARK: Writing

  /// Answers a request.
  package func send(_ reply: some Encodable) {
    guard !isClosing, let bytes = owner?.encode(reply) else { return }
    outlet.push(reply: bytes)
    pump()
  }

  /// Delivers an event, if it is wanted here.
  package func deliver(_ event: EncodedEvent) {
    if patterns.match(event.name) { deliverAlways(event) }
  }

  /// Delivers an event to whoever is connected.
  func deliverAlways(_ event: EncodedEvent) {
    guard !isClosing else { return }
    if outlet.push(event: event, for: role) { owner?.countDropped() }
    pump()
  }

  /// True if it carries lines, events among them, and no pictures.
  package var carriesEvents: Bool { outlet.carriesEvents }

  /// From now on this connection carries pictures, and no events.
  package func carryPictures() -> MediaOutlet {
    if let media = outlet as? MediaOutlet { return media }
    patterns.removeAll()
    // Lines want little; a picture should leave in few pieces.
    channel.setOption(.socketOption(.so_sndbuf), value: Self.pictureBuffer).whenComplete { _ in }
    let media = MediaOutlet(after: outlet) { [weak self] in self?.pump() }
    outlet = media
    return media
  }

  /// The buffer of the kernel for pictures that are on their way, in bytes.
  private static let pictureBuffer: SocketOptionValue = 128 << 10

  /// Writes as much as the channel takes.
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

  /// Lets a client go that keeps what is for it waiting too long.
  private func watchPatience(progressed: Bool) {
    let waits = !outlet.isIdle || !channel.isWritable
    let isLosing = outlet.isLosing
    // A client that is merely waited for is waited for less once it loses something.
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

  // MARK: The end

  private func closeWhenDone() {
    guard inputEnded, !isClosing, inFlight == 0, !framer.mayHoldLine, outlet.isIdle else { return }
    isClosing = true
    stopTimers()
    channel.close(promise: nil)
  }

  private func stopTimers() {
    for timer in [stallTimer, lossTimer, bodyTimer] { timer?.cancel() }
  }

  /// Closes it from this side, saying why, if the client still reads.
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
    // Lines written before may still be on their way; they are not waited for long.
    let channel = channel
    channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
    let closeDelay = reason == .slowConsumer ? limits.slowConsumerLinger : limits.linger
    ServiceActor.schedule(after: closeDelay) { channel.close(promise: nil) }
  }

  /// The channel is gone.
  func closed() {
    isClosing = true
    stopTimers()
    // Else whoever waits for the rest of a picture waits for ever, and keeps what came of it.
    failBody("The picture did not arrive completely.", hint: "Send as many bytes as announced.")
    outlet.clear()
  }
}
