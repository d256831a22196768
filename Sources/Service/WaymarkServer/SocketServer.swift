import CSignals
import Glibc
import Logging
import NIOCore
import NIOPosix
package import WaymarkSystem

/// A listening Unix socket. Its file is removed with this value, unless the socket was inherited. `SocketServer` below accepts
/// connections, which `ConnectionHandler` handles; `AcceptThrottle` pauses accepting when descriptors or memory run out.
package struct ListeningSocket: ~Copyable, Sendable {
  package let path: String
  /// True if another process, such as systemd, created the socket and keeps it open.
  let isInherited: Bool
  private var descriptor: CInt
  private let identity: (device: dev_t, inode: ino_t)?

  /// Takes ownership of the descriptor of an inherited socket.
  package init(inherited descriptor: CInt, path: String) {
    self.descriptor = descriptor
    self.path = path
    isInherited = true
    identity = nil
  }

  /// The default permissions of a socket: to connect, for its owner and its group.
  package static let usualMode: UInt32 = 0o660

  /// Creates a socket at `path`. Replaces the socket file of a process that has ended: a connection to such a file is refused.
  ///
  /// - Parameter group: the group that may connect, in addition to the owner.
  /// - Throws: `ServiceProblem` if the path is too long, another process listens on it, or the socket cannot be created, assigned
  ///   to the group or listened on.
  package init(path: String, mode: UInt32 = usualMode, group: UInt32? = nil) throws(ServiceProblem) {
    guard let address = SocketFile.address(path) else { throw .pathTooLong(path) }
    try Self.clear(path, address)
    try Self.makeFolder(of: path)
    let descriptor = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .cannotListen(path, systemMessage(errno)) }
    // A signal that ends the process is deferred until the path is registered, so that the file is removed.
    csignals_hold()
    var isMade = false
    defer { csignals_release(isMade ? path : nil) }
    // The file is created with at most its final permissions, so that no other user can connect between bind(2) and chmod(2).
    let mask = umask(0o777 & ~mode)
    let bound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    let reason = errno
    umask(mask)
    guard bound == 0 else {
      close(descriptor)
      throw .cannotListen(path, systemMessage(reason))
    }
    if let group, chown(path, uid_t.max, group) != 0 {
      let reason = systemMessage(errno)
      close(descriptor)
      unlink(path)
      throw .cannotListen(path, "it cannot be given to the group \(group) (\(reason))")
    }
    guard chmod(path, mode) == 0, listen(descriptor, Self.backlog) == 0 else {
      let reason = systemMessage(errno)
      close(descriptor)
      unlink(path)
      throw .cannotListen(path, reason)
    }
    var information = stat()
    identity = lstat(path, &information) == 0 ? (information.st_dev, information.st_ino) : nil
    isMade = true
    self.descriptor = descriptor
    self.path = path
    isInherited = false
  }

  /// The largest number of connections that wait to be accepted, enough for all clients of a site after a restart. The kernel
  /// reduces it to `net.core.somaxconn`.
  static let backlog: CInt = 1024

  /// Sets the backlog of a socket, also of an inherited one.
  func setBacklog(of descriptor: CInt) { _ = listen(descriptor, Self.backlog) }

  /// Returns the descriptor, and passes its ownership to the caller.
  mutating func takeDescriptor() -> CInt {
    defer { descriptor = -1 }
    return descriptor
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    removeFile()
  }

  /// Removes the file, unless the socket was inherited.
  func removeFile() {
    guard !isInherited, let identity else { return }
    // Another service may have replaced the file: only the file created here is removed.
    var information = stat()
    if lstat(path, &information) == 0, information.st_dev == identity.device, information.st_ino == identity.inode {
      unlink(path)
    }
  }

  private static func clear(_ path: String, _ address: sockaddr_un) throws(ServiceProblem) {
    switch SocketFile.removeLeftover(at: path, address) {
    case .none: break
    case .notASocket: throw .notASocket(path)
    case .inUse: throw .alreadyRunning(path)
    case .failed(let number): throw .cannotListen(path, systemMessage(number))
    }
  }

  private static func makeFolder(of path: String) throws(ServiceProblem) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    do throws(FileError) {
      try Folder.make(folder, mode: 0o755, withParents: false)
    } catch {
      throw .cannotListen(path, "its folder cannot be made (\(error.cause ?? error.message))")
    }
  }
}

extension Problem where Kind == ServiceProblemCode {
  static func alreadyRunning(_ path: String) -> Self {
    Self(
      code: "alreadyRunning", message: "A service already listens on \(path).",
      hint: "Stop it, or give this one another place: --socket PATH.")
  }

  static func notASocket(_ path: String) -> Self {
    Self(
      code: "notASocket", message: "\(path) exists and is not a socket.",
      hint: "Remove it if it is not needed, or choose another place: --socket PATH.")
  }

  static func cannotListen(_ path: String, _ reason: String) -> Self {
    Self(
      code: "cannotListen", message: "The socket \(path) cannot be made: \(reason).",
      hint: "Check that the folder exists and that this user may write in it.")
  }

  /// The path is longer than the 107 bytes of `sun_path`.
  static func pathTooLong(_ path: String) -> Self {
    Self(
      code: "pathTooLong", message: "The socket's path is longer than the 107 bytes that the system allows: \(path).",
      hint: "Choose a shorter one: --socket PATH.")
  }
}

// MARK: - The server

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
      // One connection is accepted at a time. The loop can then serve connected clients in between, and check after each connection
      // whether descriptors are left.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptThrottle(log: hub.log))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      // The write buffer beyond the outbox is small, so that slow clients are detected early and many clients need little memory.
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
    // If the client has already disconnected, writing the greeting fails, and the channel became inactive before the connection was
    // stored.
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

/// Pauses accepting when descriptors or memory have run out, and keeps a few descriptors that connections cannot use. Files,
/// workers and the camera need them, and libdispatch ends the process if it cannot open the files of its threads in /proc.
///
/// A connection that cannot be accepted stays in the queue of the listening socket. The socket then remains readable, so that the
/// loop would spin without a pause. (NIO's `AcceptBackoffHandler` delays the next `read`, but after a failed accept the previous
/// `read` is still pending.) Connected clients continue, and waiting clients are accepted when descriptors are free again.
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
