import NIOCore
import NIOPosix

/// The listening channel. AF_UNIX only: there is no other way to bind one.
package final class SocketServer: Sendable {
  private let channel: any Channel
  /// Its file goes with it.
  private let socket: ListeningSocket

  private init(channel: any Channel, socket: consuming ListeningSocket) {
    self.channel = channel
    self.socket = socket
  }

  /// Accepts connections on `socket` for `hub`.
  package static func start(_ socket: consuming ListeningSocket, hub: Hub) async throws -> SocketServer {
    let bootstrap = ServerBootstrap(group: ServiceActor.group)
      .serverChannelOption(.backlog, value: ListeningSocket.backlog)
      // A crowd of connects must not keep the loop from those who are already there, and after each of them it is seen whether there
      // is room for one more.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptThrottle(log: hub.log))
        }
      }
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.maxMessagesPerRead, value: 1)
      // Little waits for a client beyond what its outbox counts: a slow one is told so soon, and many cost little memory.
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
    // NIO listens once more, with a backlog of its own.
    socket.setBacklog(of: descriptor)
    return SocketServer(channel: channel, socket: socket)
  }

  /// Accepts no more, and takes the socket's file away: the process may end before this object does.
  package func stop() async {
    try? await channel.close()
    socket.removeFile()
  }
}
