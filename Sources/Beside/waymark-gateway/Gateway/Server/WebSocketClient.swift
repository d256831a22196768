import NIOCore
import NIOWebSocket

/// The client's end of a WebSocket: messages become lines for the service, its lines and pictures become messages.
///
/// Nothing is read from a side while the other does not take what is there.
final class WebSocketClient: ChannelDuplexHandler, LineReceiver {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = Never
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The longest line that the socket takes, in bytes.
  private static let lineLimit = 64 << 10
  /// How often the client is asked whether it is there; it must have said something within two of them.
  private static let pulse = TimeAmount.seconds(20)

  private let lines: ServiceLines
  private var context: ChannelHandlerContext?
  private var timer: RepeatedTask?
  private var wasHeard = true
  /// A text message of which more is to come.
  private var text: ByteBuffer?
  private var isInBinary = false
  private var isClosing = false
  private var wantsRead = false

  init(lines: ServiceLines) { self.lines = lines }

  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.pulse, delay: Self.pulse) { _ in
      bound.value.ping()
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    close(error is NIOWebSocketError ? .protocolError : .unexpectedServerError)
  }

  private func end() {
    timer?.cancel()
    timer = nil
    context = nil
    lines.close()
  }

  private func ping() {
    guard let context else { return }
    guard wasHeard else { return context.close(promise: nil) }
    wasHeard = false
    send(.ping, ByteBuffer())
  }

  // MARK: From the client

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    wasHeard = true
    guard !isClosing else { return }
    // RFC 6455, section 5.1: a client that does not mask is closed.
    guard frame.maskKey != nil else { return close(.protocolError) }
    switch frame.opcode {
    case .text, .binary, .continuation: take(frame)
    case .ping: send(.pong, frame.unmaskedData)
    case .pong: break
    case .connectionClose: close(.normalClosure)
    default: close(.protocolError)
    }
  }

  private func take(_ frame: WebSocketFrame) {
    var data = frame.unmaskedData
    let isNew = frame.opcode != .continuation
    guard isNew == (text == nil && !isInBinary) else { return close(.protocolError) }
    if frame.opcode == .binary || isInBinary {
      isInBinary = !frame.fin
      return lines.send(data)
    }
    var line = text ?? ByteBuffer()
    guard line.readableBytes + data.readableBytes <= Self.lineLimit else { return close(.messageTooLarge) }
    line.writeBuffer(&data)
    guard frame.fin else {
      text = line
      return
    }
    text = nil
    guard String(validating: line.readableBytesView, as: UTF8.self) != nil else {
      return close(.dataInconsistentWithMessage)
    }
    // A line feed within a message is white space of JSON, and no end of a line.
    var bytes = line.readableBytesView.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
    bytes.append(UInt8(ascii: "\n"))
    lines.send(ByteBuffer(bytes: bytes))
  }

  func read(context: ChannelHandlerContext) {
    guard lines.isWritable else {
      wantsRead = true
      return
    }
    context.read()
  }

  /// The service takes lines again.
  func serviceIsWritable() {
    guard wantsRead, let context else { return }
    wantsRead = false
    context.read()
  }

  // MARK: To the client

  /// True if the client takes what is sent.
  var isWritable: Bool { context?.channel.isWritable ?? false }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { lines.clientIsWritable() }
    context.fireChannelWritabilityChanged()
  }

  /// A line of the service, without its end.
  func received(line: ByteBuffer) { send(.text, line) }

  /// Bytes of a picture.
  func received(picture: ByteBuffer) { send(.binary, picture) }

  /// The service is gone.
  func serviceClosed() { close(.goingAway) }

  private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
    guard let context, !isClosing else { return }
    context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
  }

  private func close(_ code: WebSocketErrorCode) {
    guard let context, !isClosing else { return }
    var data = context.channel.allocator.buffer(capacity: 2)
    data.write(webSocketErrorCode: code)
    isClosing = true
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in bound.value.close(promise: nil) }
    lines.close()
  }
}
