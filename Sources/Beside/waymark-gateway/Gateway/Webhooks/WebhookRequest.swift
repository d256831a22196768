import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import WaymarkCrypto
import WaymarkHTTP
import WaymarkSystem

/// One request to the receiver of a webhook, over its own connection. The file also has the receiver's address
/// (`WebhookAddress`) and the signature of a request (`WebhookSignature`).
struct WebhookRequest: Sendable {
  let address: WebhookAddress
  let headers: [(name: String, value: String)]
  let body: [UInt8]
  /// The TLS context for `https`; nil for `http`.
  let tls: NIOSSLContext?
  let timeout: TimeAmount

  /// Sends the request and waits for the head of the answer.
  ///
  /// - Returns: the status of the answer.
  /// - Throws: an error if there is no connection, or no answer within `timeout`.
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
              // An IP address has no server name (RFC 6066, section 3).
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

  /// Returns why a request failed: a sentence with the receiver's address.
  static func reason(of error: any Error, at address: WebhookAddress) -> String {
    let receiver = address.authority
    switch error {
    case let error as NIOConnectionError:
      return error.connectionErrors.first.map { reason(of: $0.error, at: address) }
        ?? "the host of \(receiver) was not found"
    case let error as IOError: return "\(receiver) cannot be reached: \(systemMessage(error.errnoCode))"
    case ChannelError.connectTimeout: return "\(receiver) did not answer in time"
    case ChannelError.eof, NIOSSLError.uncleanShutdown: return "\(receiver) closed the connection without an answer"
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      return "TLS with \(receiver) failed: its certificate is for another name"
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
      let fault = tlsFaults.first { "\(error)".contains($0.word) }?.meaning ?? "the handshake ended with an error"
      return "TLS with \(receiver) failed: \(fault)"
    case is HTTPParserError: return "the answer of \(receiver) is not HTTP"
    default: return "the request to \(receiver) failed (\(type(of: error)))"
    }
  }

  /// The reasons of BoringSSL by their words in a description.
  private static let tlsFaults = [
    (word: "CERTIFICATE_VERIFY_FAILED", meaning: "its certificate is not trusted, or not valid now"),
    (word: "WRONG_VERSION_NUMBER", meaning: "it does not use TLS"),
    (word: "HTTP_REQUEST", meaning: "it does not use TLS"),
    (word: "PROTOCOL_VERSION", meaning: "it has no TLS 1.2 or later"),
  ]
}

/// Reads the status of the final answer, skipping answers with a status of 1xx.
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

/// The parts of a webhook's address.
package struct WebhookAddress: Hashable, Sendable {
  /// True for `https`.
  package let isSecure: Bool
  /// The host's name or IP address, without brackets.
  package let host: String
  package let port: Int
  /// The value of the header `Host`.
  package let authority: String
  /// The path with its query.
  package let target: String

  /// Parses `https://host[:port][/path]`, or the same with `http` for this device; nil for any other text.
  package init?(_ text: String) {
    guard
      let match = text.wholeMatch(
        of: #/(https?)://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?((?:/|\?)[!-~]*)?/#),
      text.utf8.count <= 1024
    else { return nil }
    isSecure = match.1 == "https"
    host = match.2.hasPrefix("[") ? String(match.2.dropFirst().dropLast()) : match.2.lowercased()
    guard isSecure || ListenAuthorities.isLoopback(host) else { return nil }
    let standard = isSecure ? 443 : 80
    let given = match.3.flatMap { UInt16($0) }
    guard match.3 == nil || (given ?? 0) > 0 else { return nil }
    port = given.map(Int.init) ?? standard
    authority = String(match.2).lowercased() + (port == standard ? "" : ":\(port)")
    let rest = match.4.map(String.init) ?? "/"
    guard !rest.contains("#") else { return nil }
    target = rest.hasPrefix("?") ? "/" + rest : rest
  }
}

/// The signature of a request, which proves that this gateway sent it, and when.
enum WebhookSignature {
  /// Returns `v1=` and the HMAC-SHA256 (RFC 2104) of the time, a full stop and the body, in hexadecimal.
  ///
  /// - Parameter timestamp: seconds since 1970. Receivers should refuse a request that is older than some minutes.
  static func of(_ body: [UInt8], timestamp: Int, secret: String) -> String {
    let code = SymmetricKey(Array(secret.utf8)).authenticationCode(for: Array("\(timestamp).".utf8) + body)
    return "v1=" + code.map { $0.digits(2, radix: 16) }.joined()
  }
}
