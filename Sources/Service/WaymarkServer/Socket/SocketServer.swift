import Glibc
import Logging
import NIOCore
import NIOPosix
import WaymarkSystem

/// Accepts connections on a `ListeningSocket`, and passes them to a `Hub`.
package final class SocketServer: Sendable {
  private let channel: any Channel
  /// The socket, whose file is removed with this object.
  private let socket: ListeningSocket

  private init(channel: any Channel, socket: consuming ListeningSocket) {
    self.channel = channel
    self.socket = socket
  }

  /// Accepts connections on `socket` for `hub`.
  package static func start(_ socket: consuming ListeningSocket, hub: Hub) async throws -> SocketServer {
    let bootstrap = ServerBootstrap(group: ServiceActor.group)
      .serverChannelOption(.backlog, value: ListeningSocket.backlog)
      // One connection is accepted at a time, so that the loop also serves connected clients, and checks after each whether there are
      // descriptors for another.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptThrottle(log: hub.log))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      // A small write buffer beyond the outbox, so that slow clients are detected early and many clients need little memory.
      .childChannelOption(
        .writeBufferWaterMark, value: ChannelOptions.Types.WriteBufferWaterMark(low: 8 << 10, high: 32 << 10)
      )
      .childChannelOption(.socketOption(.so_sndbuf), value: 32 << 10)
      .childChannelOption(
        .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 32 << 10)
      )
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ConnectionHandler(hub: hub))
        }
      }
    let descriptor = socket.takeDescriptor()
    let channel = try await bootstrap.withBoundSocket(descriptor).get()
    // NIO has called listen(2) again with its own backlog.
    socket.setBacklog(of: descriptor)
    return SocketServer(channel: channel, socket: socket)
  }

  /// Stops accepting connections, and removes the socket's file, since the process may end before this object is released.
  package func stop() async {
    try? await channel.close()
    socket.removeFile()
  }
}

// MARK: - Connections

/// Connects a NIO channel to a `Connection`. Used only on the service's loop.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let hub: Hub
  private var connection: Connection?

  init(hub: Hub) { self.hub = hub }

  func channelActive(context: ChannelHandlerContext) {
    let peer = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self) {
      Peer(descriptor: $0)
    }
    let channel = context.channel
    let hub = hub
    connection = ServiceActor.assumeIsolated { hub.accept(channel, peer: peer ?? nil) }
    // If the client has disconnected already, writing the greeting fails, and the channel became inactive before the connection was stored.
    if !channel.isActive, let gone = connection {
      connection = nil
      ServiceActor.assumeIsolated { hub.closed(gone) }
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    if let connection {
      let hub = hub
      ServiceActor.assumeIsolated { hub.closed(connection) }
    }
    connection = nil
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let connection else { return }
    let bytes = unwrapInboundIn(data)
    ServiceActor.assumeIsolated {
      var bytes = bytes
      connection.received(&bytes)
    }
  }

  func read(context: ChannelHandlerContext) {
    guard let connection else {
      context.read()
      return
    }
    if ServiceActor.assumeIsolated({ connection.mayRead }) { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if let connection, context.channel.isWritable { ServiceActor.assumeIsolated { connection.pump() } }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed, let connection {
      ServiceActor.assumeIsolated { connection.inputClosed() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

// MARK: - Lack of descriptors

/// Pauses accepting when descriptors or memory have run out, and reserves a few descriptors that connections cannot use: files, workers and
/// the camera need them, and libdispatch ends the process if it cannot open the files of its threads in /proc.
///
/// A connection that cannot be accepted stays in the queue of the listening socket, which remains readable, so that the loop would spin
/// without a pause. (NIO's `AcceptBackoffHandler` delays the next `read`, but after a failed accept the previous one is still pending.)
/// Connected clients continue, and waiting clients are accepted when descriptors are free again.
final class AcceptThrottle: ChannelInboundHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel

  /// The number of descriptors that connections cannot use.
  private static let reserve = 8
  private static let pause = TimeAmount.milliseconds(200)
  /// The minimum time between two messages in the log.
  private static let silence = TimeAmount.seconds(60)

  private let log: Logger
  private var lastLogged: NIODeadline?
  private var isPaused = false

  init(log: Logger) { self.log = log }

  private static var hasRoom: Bool { OpenFileLimit.hasRoom(for: reserve) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(data)
    if !Self.hasRoom { pause(context, "few file descriptors are left") }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? IOError else { return context.fireErrorCaught(error) }
    pause(context, systemMessage(error.errnoCode))
  }

  private func pause(_ context: ChannelHandlerContext, _ reason: String) {
    let now = NIODeadline.now()
    if lastLogged.map({ now - $0 > Self.silence }) ?? true {
      lastLogged = now
      log.error(
        "connections cannot be accepted",
        metadata: ["reason": "\(reason)", "hint": "raise LimitNOFILE, or lower clients.maximum"])
    }
    guard !isPaused else { return }
    isPaused = true
    let options = context.channel.syncOptions
    try? options?.setOption(.autoRead, value: false)
    resumeAccepting(context.eventLoop, options)
  }

  private func resumeAccepting(_ loop: any EventLoop, _ options: (any NIOSynchronousChannelOptions)?) {
    loop.assumeIsolated().scheduleTask(in: Self.pause) {
      guard Self.hasRoom else { return self.resumeAccepting(loop, options) }
      self.isPaused = false
      try? options?.setOption(.autoRead, value: true)
    }
  }
}
