import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request to the receiver of a webhook, over a connection of its own.
struct WebhookRequest: Sendable {
  let address: WebhookAddress
  let headers: [(name: String, value: String)]
  let body: [UInt8]
  /// Encryption, where the address wants it.
  let tls: NIOSSLContext?
  let timeout: TimeAmount

  /// Sends it.
  ///
  /// - Returns: the status of the answer.
  /// - Throws: when there is no answer in time.
  func send() async throws -> Int {
    let answer = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Int.self)
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(timeout)
        .channelInitializer { [tls, address] channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            if let tls {
              // A name is proven by the certificate; an address of four numbers has no name to be asked for.
              let name = address.host.contains { $0.isLetter } && !address.host.contains(":") ? address.host : nil
              try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
            }
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = 8 << 10
            limits.maxHeaderListSize = 16 << 10
            limits.maxHeaderFieldCount = 64
            try pipeline.addHTTPClientHandlers(
              leftOverBytesStrategy: .dropBytes, enableOutboundHeaderValidation: true, encoderConfiguration: .init(),
              decoderLimitConfiguration: limits)
            try pipeline.addHandler(StatusReader(answer: answer))
          }
        }
        .connect(host: address.host, port: address.port).get()
    } catch {
      answer.fail(error)
      throw error
    }
    let timer = channel.eventLoop.scheduleTask(in: timeout) {
      answer.fail(ChannelError.connectTimeout(timeout))
      channel.close(promise: nil)
    }
    defer {
      timer.cancel()
      channel.close(promise: nil)
    }
    var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: address.target)
    head.headers.add(name: "Host", value: address.authority)
    head.headers.add(name: "Content-Length", value: String(body.count))
    head.headers.add(name: "Connection", value: "close")
    for (name, value) in headers { head.headers.add(name: name, value: value) }
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    return try await answer.futureResult.get()
  }
}

/// Takes the status of an answer, and nothing else of it.
private final class StatusReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let answer: EventLoopPromise<Int>

  init(answer: EventLoopPromise<Int>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data), head.status.code >= 200 { answer.succeed(Int(head.status.code)) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.fail(ChannelError.eof)
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(error)
    context.close(promise: nil)
  }
}
