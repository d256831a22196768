import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOWebSocket
import WaymarkCrypto
import WaymarkHTTP
import WaymarkProtocol

/// The socket's lines over WebSockets.
struct WebSocketRoutes: Sendable {
  /// The largest frame of a WebSocket that clients may send; larger messages come in several.
  private static let frameLimit = 256 << 10

  /// WebSockets at a time.
  private static let limit = 32

  /// The service's socket.
  private let socket: String
  private let places = StreamLimiter(limit: Self.limit)

  init(socket: String) { self.socket = socket }

  /// `GET /v1/socket`: the lines of the socket as text messages, pictures as binary ones.
  func add(to router: Router<GatewayContext>) {
    router.get("/v1/socket") { request, context in
      guard let key = Self.webSocketKey(request) else {
        var response = GatewayAnswer.own(
          "noUpgrade", "This path speaks WebSocket alone.", hint: "Open it with a WebSocket of version 13.")
        response.headers[.upgrade] = "websocket"
        response.headers[.secWebSocketVersion] = "13"
        return response
      }
      guard let place = places.reserve() else { return GatewayAnswer.busy("WebSockets") }
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
      // Nobody is there any more to read it.
      return Response(status: .ok)
    }
  }

  /// The key of a request that asks for a WebSocket; `nil` where it does not, or not as RFC 6455 (section 4.2.1) wants it.
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

  /// Puts the WebSocket before what speaks HTTP, which sees nothing from then on but the end of the connection.
  private static func upgrade(_ channel: any Channel, head: String, lines: NIOLoopBound<ServiceLines>) throws {
    let pipeline = channel.pipeline.syncOperations
    let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
    // Written from there it is not taken for a part of an answer.
    try pipeline.context(handler: encoder).writeAndFlush(NIOAny(ByteBuffer(string: head)), promise: nil)
    let client = WebSocketClient(lines: lines.value)
    try pipeline.addHandlers(
      [
        WebSocketFrameEncoder(), ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: frameLimit)), client,
      ], position: .before(encoder))
    lines.value.begin(client)
  }
}
