import NIOCore
import NIOPosix
import WaymarkClient
import WaymarkProtocol
import WaymarkSystem

/// The client's end of a relay of lines.
protocol LineReceiver: AnyObject {
  /// True if the client takes what is sent.
  var isWritable: Bool { get }
  /// A line of the service, without its end.
  func received(line: ByteBuffer)
  /// Bytes of a picture.
  func received(picture: ByteBuffer)
  /// The service takes lines again.
  func serviceIsWritable()
  /// The service is gone.
  func serviceClosed()
}

/// A connection to the service whose lines go through as they are: the service's end of a WebSocket.
///
/// Rights that the client does not have are given up before anything of the client's is sent.
final class ServiceLines: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The longest line and the largest picture that are taken from the service.
  private static let lineLimit = 32 << 20

  private enum Phase {
    /// The greeting is to come.
    case greeting
    /// Rights are being given up.
    case lowering(greeting: JSONValue)
    case relaying
  }

  private let role: Role
  private var phase = Phase.greeting
  private var context: ChannelHandlerContext?
  private var ready: EventLoopPromise<Void>?
  private var client: (any LineReceiver)?
  /// Lines that came before the client was there.
  private var early: [ByteBuffer] = []
  private var buffer = ByteBuffer()
  private var pictureRest = 0
  private var picture = ByteBuffer()

  private init(role: Role, ready: EventLoopPromise<Void>) {
    self.role = role
    self.ready = ready
  }

  /// Connects on the loop of the client's connection, and waits for the service's greeting.
  static func connect(
    to path: String, role: Role, on loop: any EventLoop
  ) async throws -> NIOLoopBound<ServiceLines> {
    let ready = loop.makePromise(of: Void.self)
    let bound = try await loop.flatSubmit {
      let lines = ServiceLines(role: role, ready: ready)
      let bound = NIOLoopBound(lines, eventLoop: loop)
      return ClientBootstrap(group: loop).connectTimeout(.seconds(5))
        .channelOption(.autoRead, value: false)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
        }
        .connect(unixDomainSocketPath: path)
        .map { channel -> NIOLoopBound<ServiceLines> in
          channel.read()
          return bound
        }
        .always { if case .failure(let error) = $0 { ready.fail(error) } }
    }.get()
    let timeout = loop.scheduleTask(in: .seconds(10)) { ready.fail(ChannelError.connectTimeout(.seconds(10))) }
    defer { timeout.cancel() }
    do {
      try await ready.futureResult.get()
    } catch {
      loop.execute { bound.value.close() }
      throw error
    }
    return bound
  }

  /// The client is there.
  func begin(_ client: any LineReceiver) {
    self.client = client
    for line in early { client.received(line: line) }
    early = []
    context?.read()
  }

  /// True if the service takes what is sent.
  var isWritable: Bool { context?.channel.isWritable ?? true }

  /// Sends bytes of the client.
  func send(_ bytes: ByteBuffer) { context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }

  /// Ends the connection.
  func close() {
    context?.close(promise: nil)
    client = nil
  }

  /// The client takes lines again.
  func clientIsWritable() { context?.read() }

  // MARK: The channel

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func channelInactive(context: ChannelHandlerContext) {
    self.context = nil
    ready?.fail(ChannelError.ioOnClosedChannel)
    ready = nil
    client?.serviceClosed()
    client = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { client?.serviceIsWritable() }
    context.fireChannelWritabilityChanged()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    buffer.writeBuffer(&bytes)
    while step() {}
    buffer.discardReadBytes()
    guard buffer.readableBytes <= Self.lineLimit else { return context.close(promise: nil) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if client.map(\.isWritable) ?? (ready != nil) { context.read() }
    context.fireChannelReadComplete()
  }

  /// Takes one line, or what is there of a picture; false when more bytes are needed.
  private func step() -> Bool {
    if pictureRest > 0 {
      guard buffer.readableBytes >= pictureRest, let bytes = buffer.readSlice(length: pictureRest) else { return false }
      pictureRest = 0
      client?.received(picture: bytes)
      return true
    }
    let view = buffer.readableBytesView
    guard let end = view.firstIndex(of: UInt8(ascii: "\n")),
      let line = buffer.readSlice(length: end - view.startIndex)
    else { return false }
    buffer.moveReaderIndex(forwardBy: 1)
    take(line)
    return true
  }

  private func take(_ line: ByteBuffer) {
    switch phase {
    case .greeting: greet(line)
    case .lowering(let greeting):
      let answer = try? JSONParser.parse(line.readableBytesView)
      guard answer?["result"]?["role"]?.string == role.rawValue else { return close() }
      let members = (greeting.members ?? []).map {
        $0.name == "role" ? JSONValue.Member("role", .string(role.rawValue)) : $0
      }
      start(with: ByteBuffer(string: JSONValue.object(members).compactText))
    case .relaying:
      // A header of a picture is short, and no event.
      if !line.readableBytesView.starts(with: #"{"event""#.utf8), line.readableBytes < 4096,
        let value = try? JSONParser.parse(line.readableBytesView), value["format"] != nil,
        let size = value["size"]?.int, (1...Self.lineLimit).contains(size)
      {
        pictureRest = size
      }
      client?.received(line: line)
    }
  }

  private func greet(_ line: ByteBuffer) {
    let greeting = try? JSONParser.parse(line.readableBytesView)
    guard let greeting, greeting["event"]?.string == "hello" else { return start(with: line) }
    guard role == .observer, greeting["role"]?.string != role.rawValue else { return start(with: line) }
    phase = .lowering(greeting: greeting)
    send(ByteBuffer(string: #"{"id":0,"method":"role.lower","params":{"role":"observer"}}"# + "\n"))
  }

  private func start(with line: ByteBuffer) {
    phase = .relaying
    early.append(line)
    ready?.succeed()
    ready = nil
  }
}
