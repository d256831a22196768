package import Hummingbird
import HummingbirdCore
import Logging
package import NIOCore
import Synchronization

/// The open connections of a server, limited in number and in the time until they are authenticated. They are closed when the
/// server ends. The file also has `ConnectionTable`, which chooses the connections to close; the channel of a connection, which
/// gets its pipeline when its first bytes arrive (`TrackedHTTPChannel`, `FirstBytesHandler`); the context of its requests; and the
/// limits (`HTTPLimits`).
package final class Connections: Sendable {
  private struct State {
    var table: ConnectionTable<ObjectIdentifier>
    /// All open connections, including connections that are closing.
    var channels: [ObjectIdentifier: any Channel] = [:]
    /// The reservations of authenticated connections in `room`.
    var places: [ObjectIdentifier: Room.Place] = [:]
    var isClosing = false
    /// The number of connections that were closed because there were too many.
    var crowded = 0
    /// The number of connections that were closed because they were not authenticated in time.
    var expired = 0
  }

  private let state: Mutex<State>
  package let limits: HTTPLimits
  /// The quota of authenticated connections: in total, for each client, and reserved for operators.
  package let room: Room

  package init(_ limits: HTTPLimits) {
    self.limits = limits
    room = Room(
      "connections", total: limits.connections, share: limits.connectionShare, reserve: limits.connectionReserve)
    state = Mutex(State(table: ConnectionTable(limit: limits.connections)))
  }

  /// True if new connections are refused.
  package var isClosing: Bool { state.withLock { $0.isClosing } }

  /// The numbers of connections: open connections, connections closed because there were too many, and connections closed because
  /// they were not authenticated in time.
  package var figures: (open: Int, crowded: Int, expired: Int) {
    state.withLock { ($0.channels.count, $0.crowded, $0.expired) }
  }

  /// Registers a connection. If there are too many, closes the oldest connection that is not authenticated, which may be the new
  /// one.
  package func opened(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let surplus = state.withLock { state -> (any Channel)? in
      state.channels[id] = channel
      if state.isClosing { return channel }
      let surplus = state.table.opened(id).flatMap { state.channels[$0] }
      if surplus != nil { state.crowded += 1 }
      return surplus
    }
    surplus?.close(promise: nil)
    let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limits.proof)) { [weak self] in
      guard let self else { return }
      let isExpired = state.withLock { state in
        guard state.table.expired(id) else { return false }
        state.expired += 1
        return true
      }
      if isExpired { channel.close(promise: nil) }
    }
    channel.closeFuture.whenComplete { [self] _ in
      deadline.cancel()
      state.withLock { state in
        state.table.closed(id)
        state.channels[id] = nil
        state.places[id] = nil
      }
    }
  }

  /// Marks a connection as authenticated after it has sent a request with the correct cookie or token.
  ///
  /// - Returns: false if the quota of `holder` is used up.
  @discardableResult package func authenticated(_ channel: any Channel, as holder: Room.Holder = .only) -> Bool {
    let id = ObjectIdentifier(channel)
    return state.withLock { state in
      // A connection that has closed in the meantime does not count.
      guard state.places[id] == nil, state.channels[id] != nil else { return true }
      guard let place = room.take(for: holder) else { return false }
      state.places[id] = place
      state.table.authenticated(id)
      return true
    }
  }

  /// Refuses new connections, and closes the open connections after a time in which their requests may finish.
  package func close(after time: Duration) {
    let open = state.withLock { state in
      state.isClosing = true
      return Array(state.channels.values)
    }
    for channel in open { channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) } }
  }
}

// MARK: - Choosing the connection to close

/// The open connections, and the choice of the connections to close so that there are never more than `limit`. A value without I/O.
///
/// A connection is authenticated once it has sent a request with the correct cookie or token. Only connections that are not
/// authenticated are closed, the oldest first, so that silent connections cannot exclude clients.
package struct ConnectionTable<Key: Hashable> {
  /// The most connections at a time.
  package let limit: Int
  private var authenticatedKeys: Set<Key> = []
  /// The connections that are not authenticated, oldest first.
  private var pendingKeys: [Key] = []

  /// Creates a table without connections.
  package init(limit: Int) { self.limit = limit }

  /// The number of open connections.
  package var count: Int { authenticatedKeys.count + pendingKeys.count }

  /// Adds a connection.
  ///
  /// - Returns: the connection to close if there are too many, which may be the added one; otherwise `nil`.
  package mutating func opened(_ key: Key) -> Key? {
    pendingKeys.append(key)
    return count > limit ? pendingKeys.removeFirst() : nil
  }

  /// Moves a pending connection to the authenticated connections. Has no effect if it has closed.
  package mutating func authenticated(_ key: Key) {
    guard let index = pendingKeys.firstIndex(of: key) else { return }
    pendingKeys.remove(at: index)
    authenticatedKeys.insert(key)
  }

  /// Removes a connection whose time for authentication is over.
  ///
  /// - Returns: true if it must be closed; false if it is authenticated or has closed.
  package mutating func expired(_ key: Key) -> Bool {
    guard let index = pendingKeys.firstIndex(of: key) else { return false }
    pendingKeys.remove(at: index)
    return true
  }

  /// Removes a connection that has closed.
  package mutating func closed(_ key: Key) {
    if authenticatedKeys.remove(key) == nil, let index = pendingKeys.firstIndex(of: key) {
      pendingKeys.remove(at: index)
    }
  }
}

// MARK: - Setting up a connection

/// The context of a request, with its connection.
package struct ConnectionContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  package let channel: any Channel

  package init(source: Source) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

/// Waits for the first bytes of a connection, and forwards them once the HTTP decoder is in the pipeline. The decoder takes several kilobytes of
/// memory, which a silent connection does not need.
///
/// The channel must have `autoRead` off: it is read once before `release`.
final class FirstBytesHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let hasCome: EventLoopPromise<Void>
  private var isOver = false
  private var bytes: [ByteBuffer] = []
  private var context: ChannelHandlerContext?

  /// - Parameter hasCome: succeeds with the first bytes; fails if the connection ends without any.
  init(hasCome: EventLoopPromise<Void>) { self.hasCome = hasCome }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    end(ChannelError.ioOnClosedChannel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes.append(unwrapInboundIn(data))
    end(nil)
  }

  // Not forwarded, as this is the last handler.
  func channelReadComplete(context: ChannelHandlerContext) {}

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { end(ChannelError.eof) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(ChannelError.ioOnClosedChannel)
    context.fireChannelInactive()
  }

  /// Forwards the received bytes to the handlers that were added after this handler, and removes this handler.
  func release() {
    guard let context else { return }
    for piece in bytes { context.fireChannelRead(wrapInboundOut(piece)) }
    bytes = []
    context.fireChannelReadComplete()
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  private func end(_ error: (any Error)?) {
    guard !isOver else { return }
    isOver = true
    if let error { hasCome.fail(error) } else { hasCome.succeed() }
  }
}

/// An HTTP connection whose pipeline is set up by the task that serves it, never before.
///
/// Hummingbird hands a finished `NIOAsyncChannel` from the event loop to its accepting task. When this task is cancelled, or the
/// listener closes in between, the value is dropped; a dropped `NIOAsyncChannel` whose writer was not finished ends the process by
/// a precondition. This type hands over a plain channel instead, which may be dropped at any time: it reads nothing until it is
/// served, and `Connections` closes it. A connection that sends nothing never gets a pipeline.
struct TrackedHTTPChannel<Base: ServerChildChannel>: ServerChildChannel {
  /// A connection that is not served yet.
  struct Value: ServerChildChannelValue {
    let channel: any Channel
  }

  let base: Base
  let connections: Connections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.flatSubmit {
      channel.setOption(.autoRead, value: false).always { _ in connections.opened(channel) }
        .map { Value(channel: channel) }
    }
  }

  func handle(value: Value, logger: Logger) async {
    let channel = value.channel
    do {
      if connections.isClosing { throw ChannelError.ioOnClosedChannel }
      let first = try await firstBytes(of: channel)
      let served = try await channel.eventLoop.flatSubmit {
        base.setup(channel: channel, logger: logger).map { served in
          first.value.release()
          return served
        }
      }.get()
      channel.setOption(.autoRead, value: true).whenSuccess { channel.read() }
      await base.handle(value: served, logger: logger)
    } catch {
      // The connection was closed before it was served.
      channel.close(promise: nil)
    }
  }

  /// Waits until the client has sent its first bytes.
  ///
  /// - Throws: an error if the connection ends without any bytes.
  private func firstBytes(of channel: any Channel) async throws -> NIOLoopBound<FirstBytesHandler> {
    try await channel.eventLoop.flatSubmit {
      let hasCome = channel.eventLoop.makePromise(of: Void.self)
      let handler = FirstBytesHandler(hasCome: hasCome)
      do {
        try channel.pipeline.syncOperations.addHandler(handler)
        channel.read()
      } catch {
        hasCome.fail(error)
      }
      let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
      return hasCome.futureResult.map { bound }
    }.get()
  }
}

// MARK: - Limits

/// The limits of an HTTP server's connections and requests.
package struct HTTPLimits: Sendable {
  /// The largest number of simultaneous connections. Beyond it, the oldest connection that is not authenticated is closed.
  package var connections = 200
  /// The largest number of authenticated connections of one client; nil for `connections`.
  package var connectionShare: Int?
  /// The number of connections that are reserved for operators.
  package var connectionReserve = 0
  /// The largest number of simultaneous event streams, and of picture streams. Further streams are refused.
  package var streams = 16
  /// The time within which a connection must send its first request with a valid cookie or token.
  package var proof = Duration.seconds(15)
  /// How long a connection may stay without a complete head, or between two requests.
  package var idle = Duration.seconds(15)
  /// The most bytes of pictures in transit, in both directions together.
  package var pictures = 48 << 20
  /// The largest number of requests of a client that wait for their share of `pictures`.
  package var waiting = 32
  /// How long a request waits for its share of `pictures`.
  package var pictureTimeout = Duration.seconds(10)
  /// How long the whole body of a request may take.
  package var body = Duration.seconds(30)
  /// The least average rate, in bytes per second, at which a body must arrive after its first seconds; 0 to accept any rate.
  package var bodyRate = 0
  /// The least rate, in bytes per second, at which a client must read an answer; `body` is added to the resulting time.
  package var readerRate = 64 << 10
  /// The time in which requests may finish when the server stops.
  package var drain = Duration.seconds(2)

  package init() {}
}
