import Logging
package import NIOCore
package import WaymarkProtocol

/// One client's connection: its role, its subscriptions, and what waits to be written to it.
@ServiceActor
package final class Connection {
  /// Its number, unique in this run.
  package let number: Int
  /// Who is at the other end.
  package let peer: Peer
  /// What it may do.
  package let role: Role
  /// The events it wants.
  package var patterns = EventPatterns()
  /// Whether it carries pictures instead of events.
  package var isMedia: Bool { media != nil }
  /// Whether it has been closed, or is about to.
  package private(set) var isClosing = false
  /// Called when a live picture is on its way and there is room for the next.
  package var onMediaSpace: (@ServiceActor () -> Void)?
  /// Called once when it is gone.
  package var onClose: [@ServiceActor (Connection) -> Void] = []

  private let channel: any Channel
  private let limits: ConnectionLimits
  private var outbox: Outbox
  private var framer = LineFramer()
  private var body: RequestBody?
  private var inFlight = 0
  private var inputEnded = false
  private var isProcessing = false
  private var isReadPaused = false
  private var media: MediaOutbox?
  /// Whether a picture was written since there was room for the next.
  private var owesSpace = false
  private var patience: Scheduled<Void>?
  private var patienceIsShort = false
  private weak var hub: Hub?

  init(
    number: Int, peer: Peer, role: Role, channel: any Channel, limits: ConnectionLimits, hub: Hub
  ) {
    self.number = number
    self.peer = peer
    self.role = role
    self.channel = channel
    self.limits = limits
    self.hub = hub
    outbox = Outbox(limit: limits.outbox)
  }

  /// How events name who did something.
  package var actor: Actor { Actor(client: number, user: Int(peer.user)) }

  // MARK: Reading

  /// Takes what a read brought.
  func received(_ bytes: inout ByteBuffer) {
    guard !isClosing else { return }
    framer.append(&bytes)
    process()
  }

  /// The client will send nothing more; what it asked for is still answered.
  func inputClosed() {
    inputEnded = true
    failBody()
    closeWhenDone()
  }

  private func failBody() {
    body?.fail(ServiceError(.badPicture, "The picture did not arrive whole.", hint: "Send as many bytes as announced."))
    body = nil
  }

  /// Whether another request may be worked on. Pictures are large: on a connection that carries them, one at a time.
  private var mayBegin: Bool {
    inFlight < (isMedia ? 1 : limits.inFlight) && (media?.byteCount ?? outbox.byteCount) < limits.outbox / 2
  }

  /// Whether the channel may read on.
  var mayRead: Bool {
    let may = !isClosing && (body != nil || mayBegin) && framer.pending <= framer.limit
    isReadPaused = !may
    return may
  }

  /// Handles the lines that are there, some at a time so that others get their turn.
  private func process() {
    guard !isProcessing else { return }
    isProcessing = true
    defer {
      isProcessing = false
      resumeReading()
    }
    takeBody()
    var budget = 64
    while body == nil, !isClosing, mayBegin, let next = framer.next() {
      switch next {
      case .tooLong:
        let error = ServiceError(
          .lineTooLong, "A line is longer than \(framer.limit) bytes.", hint: "Send one request a line, ended by LF.")
        send(ErrorLine(id: .null, error: error))
        close(.lineTooLong)
        return
      case .line(let line):
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
        hub?.handle(line, from: self)
        takeBody()
      }
      budget -= 1
      if budget == 0 {
        ServiceActor.execute { [weak self] in self?.process() }
        return
      }
    }
  }

  /// What follows now is the body of the request at hand, not lines.
  func expectBody(_ size: Int) -> RequestBody {
    let body = RequestBody(size: size)
    self.body = body
    return body
  }

  private func takeBody() {
    guard let body else { return }
    body.take(from: &framer)
    if body.isComplete { self.body = nil }
  }

  private func resumeReading() {
    if isReadPaused, mayRead { channel.read() }
  }

  /// A request whose answer takes time has begun, or ended.
  func countInFlight(_ change: Int) {
    inFlight += change
    if change < 0 {
      process()
      closeWhenDone()
    }
  }

  // MARK: Writing

  /// Answers a request.
  package func send(_ reply: some Encodable) {
    guard !isClosing else { return }
    guard let bytes = hub?.encode(reply) else { return }
    if media != nil {
      media?.push(reply: bytes)
    } else {
      outbox.push(reply: bytes)
    }
    pump()
  }

  /// Delivers an event, if it is wanted here.
  func deliver(_ event: EncodedEvent) {
    guard !isClosing, media == nil, patterns.match(event.name) else { return }
    deliverAlways(event)
  }

  /// Delivers an event to whoever is connected.
  func deliverAlways(_ event: EncodedEvent) {
    guard !isClosing, media == nil else { return }
    let entry = Outbox.Entry(bytes: event.bytes(for: role), seq: event.seq, key: event.key)
    if outbox.push(event: entry) {
      hub?.log.debug("a client is too slow", metadata: ["client": "\(number)"])
    }
    if outbox.gap != nil { hub?.countDropped() }
    pump()
  }

  /// Sends an event of this connection alone.
  func send(event payload: some EventPayload) {
    send(EventLine(time: WallClock.timestamp, payload: payload))
  }

  /// Writes as much as the channel takes.
  func pump() {
    guard channel.isActive else { return }
    var wrote = false
    while channel.isWritable {
      if media != nil {
        guard let bytes = media?.pop() else { break }
        channel.write(bytes, promise: nil)
        wrote = true
        owesSpace = true
        continue
      }
      if let gap = outbox.closeGap(),
        let line = hub?.encode(
          EventLine(time: WallClock.timestamp, payload: StreamDropped(count: gap.count, sinceSeq: gap.sinceSeq)))
      {
        outbox.push(reply: line)
      }
      guard let entry = outbox.pop() else { break }
      channel.write(entry.bytes, promise: nil)
      wrote = true
    }
    if wrote { channel.flush() }
    watchPatience(progressed: wrote)
    if !isProcessing { resumeReading() }
    // Here or when the channel has room again: a large picture does not leave at once.
    if owesSpace, media?.isIdle == true, channel.isWritable {
      owesSpace = false
      onMediaSpace?()
    }
    closeWhenDone()
  }

  /// Lets a client go that keeps events waiting too long.
  private func watchPatience(progressed: Bool) {
    let waits = media.map { !$0.isIdle || !channel.isWritable } ?? !outbox.isEmpty
    if progressed || !waits {
      patience?.cancel()
      patience = nil
    }
    let isLosing = outbox.gap != nil
    // A gap that opens while the client is merely waited for shortens the wait.
    if isLosing != patienceIsShort {
      patience?.cancel()
      patience = nil
    }
    guard waits, patience == nil else { return }
    patienceIsShort = isLosing
    patience = ServiceActor.schedule(after: isLosing ? limits.slowAfter : limits.stalledAfter) { [weak self] in
      guard let self, !self.isClosing else { return }
      self.patience = nil
      self.close(.slowConsumer)
    }
  }

  // MARK: Media

  /// From now on this connection carries pictures.
  package func becomeMedia() {
    guard media == nil else { return }
    patterns.removeAll()
    media = MediaOutbox()
    // Replies that wait keep their place before the first picture.
    while let entry = outbox.pop() { media?.push(reply: entry.bytes) }
  }

  /// Sends a picture that must arrive.
  package func send(picture: ByteBuffer) {
    media?.push(reply: picture)
    pump()
  }

  /// Sends a live picture: the newest replaces one that has not begun to be written.
  package func send(live picture: ByteBuffer) {
    media?.push(live: picture)
    pump()
  }

  // MARK: The end

  private func closeWhenDone() {
    guard inputEnded, !isClosing, inFlight == 0, framer.pending == 0 || framer.isPartial, outbox.isEmpty,
      media?.isIdle ?? true
    else { return }
    isClosing = true
    channel.close(promise: nil)
  }

  /// Closes it from this side, saying why, if the client still reads.
  package func close(_ reason: CloseReason) {
    guard !isClosing else { return }
    isClosing = true
    patience?.cancel()
    hub?.log.notice("a connection is closed", metadata: ["client": "\(number)", "reason": "\(reason.rawValue)"])
    if reason == .slowConsumer { outbox.clear() }
    while let entry = outbox.pop() { channel.write(entry.bytes, promise: nil) }
    if media == nil,
      let line = hub?.encode(EventLine(time: WallClock.timestamp, payload: ConnectionClosed(reason: reason)))
    {
      channel.writeAndFlush(line, promise: nil)
    }
    // What was written before may still be on its way; it is not waited for long.
    let channel = channel
    channel.write(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
    channel.flush()
    ServiceActor.schedule(after: limits.linger) { channel.close(promise: nil) }
  }

  /// The channel is gone.
  func closed() {
    isClosing = true
    patience?.cancel()
    // Else whoever waits for the rest of a picture waits for ever, and keeps what came of it.
    failBody()
    outbox.clear()
    media = nil
    onMediaSpace = nil
    for action in onClose { action(self) }
    onClose = []
  }
}

/// What one connection may cost.
package struct ConnectionLimits: Hashable, Sendable {
  /// Connections at a time.
  package var clients = 512
  /// Bytes of events that may wait for one.
  package var outbox = 1 << 20
  /// Requests of one that may be worked on at a time.
  package var inFlight = 16
  /// Seconds that a client may keep a gap open.
  package var slowAfter = 5.0
  /// Seconds that a client may read nothing at all while something waits.
  package var stalledAfter = 30.0
  /// Seconds that the last line of a closing connection is waited for.
  package var linger = 0.5

  /// The usual limits.
  package init() {}
}
