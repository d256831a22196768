import NIOCore

/// Joins a NIO channel to a `Connection`: only on the service's loop.
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
    // A client that is gone already fails the greeting: the channel then ended before there was a connection to tell.
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
