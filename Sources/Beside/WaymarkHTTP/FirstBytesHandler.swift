import NIOCore

/// Waits for the first bytes of a connection, and hands them on once somebody is there to read them: what decodes HTTP takes several kilobytes a
/// connection, and one that says nothing needs none of it.
///
/// For a channel that does not read by itself (`autoRead` off): there is one read until `release`.
final class FirstBytesHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let hasCome: EventLoopPromise<Void>
  private var isOver = false
  private var bytes: [ByteBuffer] = []
  private var context: ChannelHandlerContext?

  /// - Parameter hasCome: succeeds with the first bytes, fails where the connection ends without any.
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

  // Nobody else is there to hear it.
  func channelReadComplete(context: ChannelHandlerContext) {}

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { end(ChannelError.eof) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(ChannelError.ioOnClosedChannel)
    context.fireChannelInactive()
  }

  /// Hands on what has come, to the handlers that were added behind this one, and leaves.
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
