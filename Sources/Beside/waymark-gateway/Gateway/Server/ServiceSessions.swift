import NIOCore
import NIOPosix
import WaymarkClient
import WaymarkHTTP
import WaymarkProtocol
import WaymarkSystem

/// The connections to the service over which requests are sent: one for each token, and one for each session that a client names.
/// `ServiceLines` below is the connection to the service for a WebSocket, whose lines are relayed unchanged.
///
/// When the connection of a client ends, the service disarms the client's scan, so connections are kept after a request. The
/// connection of a token stays open; the connection of a named session is closed `stay` seconds after its last request.
actor ServiceSessions {
  /// The seconds for which a named session is kept after its last request.
  static let stay = 300.0

  /// Identifies a session. Different callers never share a session.
  struct Key: Hashable, Sendable {
    let caller: Caller
    /// The name that the client gave the session; nil for the session of the token.
    let name: String?
  }

  private struct Session {
    let client: WaymarkClient
    let place: Room.Place?
    var lastUsed: Double
    var underway = 0
  }

  private let path: String
  private let room: Room
  private var sessions: [Key: Session] = [:]
  private var connecting: [Key: Task<WaymarkClient, any Error>] = [:]

  init(path: String, room: Room) {
    self.path = path
    self.room = room
  }

  /// Runs `body` with the connection of a session. The connection is made for the session's first request.
  ///
  /// - Throws: `ServiceError` with the code `busy` if there are too many named sessions; the errors of connecting and
  ///   of `body`.
  func use<Result: Sendable>(_ key: Key, _ body: @Sendable (WaymarkClient) async throws -> Result) async throws
    -> Result
  {
    let client = try await client(of: key)
    sessions[key]?.underway += 1
    defer {
      sessions[key]?.underway -= 1
      sessions[key]?.lastUsed = MonotonicClock.now
    }
    do {
      return try await body(client)
    } catch let error as ClientError {
      drop(key, client)
      throw error
    }
  }

  private func client(of key: Key) async throws -> WaymarkClient {
    if let session = sessions[key] { return session.client }
    if let task = connecting[key] { return try await task.value }
    expire()
    // The session of a token does not count against the quota.
    let place = key.name == nil ? nil : room.take(for: key.caller.holder)
    guard key.name == nil || place != nil else {
      throw ServiceError(
        .busy, "Too many sessions are open.", hint: "Use fewer names in Waymark-Session, or wait five minutes.")
    }
    let task = Task { [path] in try await WaymarkClient.connect(to: path, role: key.caller.role) }
    connecting[key] = task
    defer { connecting[key] = nil }
    let client = try await task.value
    if sessions[key] == nil {
      sessions[key] = Session(client: client, place: place, lastUsed: MonotonicClock.now)
      Task { await watch(key, client) }
    }
    return client
  }

  /// Discards the events that the service sends without a subscription, until the connection ends.
  private func watch(_ key: Key, _ client: WaymarkClient) async {
    let events = client.events
    while let _ = try? await events.next() {}
    drop(key, client)
  }

  private func drop(_ key: Key, _ client: WaymarkClient) {
    guard let session = sessions[key], session.client === client else { return }
    sessions[key] = nil
    Task { await client.close() }
  }

  /// Ends the named sessions without a request for `stay` seconds.
  func expire() {
    let oldest = MonotonicClock.now - Self.stay
    for (key, session) in sessions where key.name != nil && session.underway == 0 && session.lastUsed < oldest {
      drop(key, session.client)
    }
  }
}

// MARK: - Relaying lines for a WebSocket

/// The client's end of a relay of lines.
protocol LineReceiver: AnyObject {
  /// True if the client accepts data.
  var isWritable: Bool { get }
  /// Receives a line of the service, without its line feed.
  func received(line: ByteBuffer)
  /// Receives a whole picture, whose header was the line before.
  func received(picture: ByteBuffer)
  /// Called when the service accepts lines again.
  func serviceIsWritable()
  /// Called when the service has closed the connection.
  func serviceClosed()
}

/// A connection to the service whose lines are relayed unchanged: the service's end of a WebSocket.
///
/// Before data of the client is sent, the connection's role is lowered to the client's role.
final class ServiceLines: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The most bytes of a line, or of a picture, of the service.
  private static let lineLimit = 32 << 20

  private enum Phase {
    /// Waits for the service's greeting.
    case greeting
    /// Waits for the answer to `role.lower`.
    case lowering(greeting: JSONValue)
    case relaying
  }

  private let role: Role
  private var phase = Phase.greeting
  private var context: ChannelHandlerContext?
  private var ready: EventLoopPromise<Void>?
  private var client: (any LineReceiver)?
  /// The lines that were received before `begin`.
  private var early: [ByteBuffer] = []
  private var buffer = ByteBuffer()
  private var pictureRest = 0
  private var picture = ByteBuffer()

  private init(role: Role, ready: EventLoopPromise<Void>) {
    self.role = role
    self.ready = ready
  }

  /// Connects on the event loop of the client's connection, and waits for the service's greeting.
  static func connect(
    to path: String, role: Role, on loop: any EventLoop
  ) async throws -> NIOLoopBound<ServiceLines> {
    let ready = loop.makePromise(of: Void.self)
    let bound = try await loop.flatSubmit {
      let lines = ServiceLines(role: role, ready: ready)
      let bound = NIOLoopBound(lines, eventLoop: loop)
      return ClientBootstrap(group: loop).connectTimeout(.seconds(5))
        .channelOption(.autoRead, value: false)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
        }
        .connect(unixDomainSocketPath: path)
        .map { channel -> NIOLoopBound<ServiceLines> in
          channel.read()
          return bound
        }
        .always { if case .failure(let error) = $0 { ready.fail(error) } }
    }.get()
    let timeout = loop.scheduleTask(in: .seconds(10)) { ready.fail(ChannelError.connectTimeout(.seconds(10))) }
    defer { timeout.cancel() }
    do {
      try await ready.futureResult.get()
    } catch {
      loop.execute { bound.value.close() }
      throw error
    }
    return bound
  }

  /// Begins to relay lines to a client; first relays the lines received so far.
  func begin(_ client: any LineReceiver) {
    self.client = client
    for line in early { client.received(line: line) }
    early = []
    context?.read()
  }

  /// True if the service accepts data.
  var isWritable: Bool { context?.channel.isWritable ?? true }

  /// Sends bytes of the client.
  func send(_ bytes: ByteBuffer) { context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }

  /// Ends the connection.
  func close() {
    context?.close(promise: nil)
    client = nil
  }

  /// Called when the client accepts data again.
  func clientIsWritable() { context?.read() }

  // MARK: The channel

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    ready?.fail(ChannelError.ioOnClosedChannel)
    ready = nil
    client?.serviceClosed()
    client = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { client?.serviceIsWritable() }
    context.fireChannelWritabilityChanged()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    buffer.writeBuffer(&bytes)
    while step() {}
    buffer.discardReadBytes()
    guard buffer.readableBytes <= Self.lineLimit else { return context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if client.map(\.isWritable) ?? (ready != nil) { context.read() }
    context.fireChannelReadComplete()
  }

  /// Relays one line or picture from the buffer; returns false if more bytes are needed.
  private func step() -> Bool {
    if pictureRest > 0 {
      guard buffer.readableBytes >= pictureRest, let bytes = buffer.readSlice(length: pictureRest) else { return false }
      pictureRest = 0
      client?.received(picture: bytes)
      return true
    }
    let view = buffer.readableBytesView
    guard let end = view.firstIndex(of: UInt8(ascii: "\n")),
      let line = buffer.readSlice(length: end - view.startIndex)
    else { return false }
    buffer.moveReaderIndex(forwardBy: 1)
    take(line)
    return true
  }

  private func take(_ line: ByteBuffer) {
    switch phase {
    case .greeting: greet(line)
    case .lowering(let greeting):
      let answer = try? JSONParser.parse(line.readableBytesView)
      guard answer?["result"]?["role"]?.string == role.rawValue else { return close() }
      let members = (greeting.members ?? []).map {
        $0.name == "role" ? JSONValue.Member("role", .string(role.rawValue)) : $0
      }
      start(with: ByteBuffer(string: JSONValue.object(members).compactText))
    case .relaying:
      // The header of a picture is a short line that is not an event.
      if !line.readableBytesView.starts(with: #"{"event""#.utf8), line.readableBytes < 4096,
        let value = try? JSONParser.parse(line.readableBytesView), value["format"] != nil,
        let size = value["size"]?.int, (1...Self.lineLimit).contains(size)
      {
        pictureRest = size
      }
      client?.received(line: line)
    }
  }

  private func greet(_ line: ByteBuffer) {
    let greeting = try? JSONParser.parse(line.readableBytesView)
    guard let greeting, greeting["event"]?.string == "hello" else { return start(with: line) }
    guard role == .observer, greeting["role"]?.string != role.rawValue else { return start(with: line) }
    phase = .lowering(greeting: greeting)
    send(ByteBuffer(string: #"{"id":0,"method":"role.lower","params":{"role":"observer"}}"# + "\n"))
  }

  private func start(with line: ByteBuffer) {
    phase = .relaying
    early.append(line)
    ready?.succeed()
    ready = nil
  }
}
