import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOWebSocket
import WaymarkCrypto
import WaymarkHTTP
import WaymarkProtocol

/// Relays the lines of the service's socket over WebSockets. `WebSocketClient` below is the client's end of one
/// WebSocket.
struct WebSocketRoutes: Sendable {
  /// The largest number of bytes of a frame that a client may send; larger messages take several frames.
  private static let frameLimit = 256 << 10

  /// The path of the service's socket.
  private let socket: String
  private let room: Room

  init(socket: String, room: Room) {
    self.socket = socket
    self.room = room
  }

  /// Adds `GET /v1/socket`: text messages are lines of the socket, binary messages are pictures.
  func add(to router: Router<GatewayContext>) {
    router.get("/v1/socket") { request, context in
      guard let key = Self.webSocketKey(request) else {
        var response = GatewayAnswer.own(
          "noUpgrade", "This path speaks WebSocket alone.", hint: "Open it with a WebSocket of version 13.")
        response.headers[.upgrade] = "websocket"
        response.headers[.secWebSocketVersion] = "13"
        return response
      }
      guard let place = room.take(for: context.caller.holder) else { return GatewayAnswer.busy(room.name) }
      defer { place.release() }
      let channel = context.channel
      do {
        let lines = try await ServiceLines.connect(to: socket, role: context.caller.role, on: channel.eventLoop)
        let head = Self.head(key, speaksLines: Self.offersLines(request))
        try await channel.eventLoop.submit { try Self.upgrade(channel, head: head, lines: lines) }.get()
      } catch {
        return GatewayAnswer.failure(error)
      }
      try? await channel.closeFuture.get()
      // The client has disconnected.
      return Response(status: .ok)
    }
  }

  /// The key of a request for a WebSocket; nil if the key is invalid (RFC 6455, section 4.2.1).
  private static func webSocketKey(_ request: Request) -> String? {
    guard request.headers[.upgrade]?.lowercased() == "websocket", request.headers[.secWebSocketVersion] == "13",
      let key = request.headers[.secWebSocketKey], Data(base64Encoded: key)?.count == 16
    else { return nil }
    return key
  }

  private static func offersLines(_ request: Request) -> Bool {
    request.headers[.secWebSocketProtocol]?.split(separator: ",")
      .contains { $0.trimmingPrefix { $0 == " " } == GatewayAccess.lineProtocol } ?? false
  }

  private static func head(_ key: String, speaksLines: Bool) -> String {
    let proof = HashFunction.sha1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    let accept = Data(proof).base64EncodedString()
    let chosen = speaksLines ? "Sec-WebSocket-Protocol: \(GatewayAccess.lineProtocol)\r\n" : ""
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(accept)\r\n\(chosen)\r\n"
  }

  /// Adds the handlers of the WebSocket before the handlers of HTTP. From then on, the latter see only the end of the connection.
  private static func upgrade(_ channel: any Channel, head: String, lines: NIOLoopBound<ServiceLines>) throws {
    let pipeline = channel.pipeline.syncOperations
    let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
    // Written from the encoder's context, the head is not encoded as part of an HTTP answer.
    try pipeline.context(handler: encoder).writeAndFlush(NIOAny(ByteBuffer(string: head)), promise: nil)
    let client = WebSocketClient(lines: lines.value)
    try pipeline.addHandlers(
      [
        WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: frameLimit)), client,
      ], position: .before(encoder))
    lines.value.begin(client)
  }
}

/// The client's end of a WebSocket: converts messages to lines for the service, and the service's lines and
/// pictures to messages.
///
/// Neither side is read while the opposite side accepts no more data.
final class WebSocketClient: ChannelDuplexHandler, LineReceiver {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = Never
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The longest line in bytes that the service's socket accepts.
  private static let lineLimit = 64 << 10
  /// The time between two pings. A client that has sent nothing since the last ping is disconnected when the next ping is due.
  private static let pulse = TimeAmount.seconds(20)

  private let lines: ServiceLines
  private var context: ChannelHandlerContext?
  private var timer: RepeatedTask?
  private var wasHeard = true
  /// The beginning of a text message of several frames.
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

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A WebSocket ends in both directions at once (RFC 6455, section 7.1.1).
    if case .some(ChannelEvent.inputClosed) = event as? ChannelEvent { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
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
    // Line feeds within a message would end the line. They become spaces, which JSON allows in the same positions.
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

  /// Called when the service accepts lines again.
  func serviceIsWritable() {
    guard wantsRead, let context else { return }
    wantsRead = false
    context.read()
  }

  // MARK: To the client

  /// True if the client accepts data.
  var isWritable: Bool { context?.channel.isWritable ?? false }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { lines.clientIsWritable() }
    context.fireChannelWritabilityChanged()
  }

  /// Sends a line of the service as a text message, without its line feed.
  func received(line: ByteBuffer) { send(.text, line) }

  /// Sends the bytes of a picture as a binary message.
  func received(picture: ByteBuffer) { send(.binary, picture) }

  /// Called when the service has closed the connection.
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
