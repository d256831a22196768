import NIOCore
import NIOPosix
public import WaymarkProtocol
public import WaymarkSystem

/// One connection to the service: typed requests, and the events it was asked for.
///
/// ```swift
/// let client = try await WaymarkClient.connect(to: "/run/waymark/waymark.sock")
/// _ = try await client.send(SubscribeRequest(events: ["scan.*"]))
/// _ = try await client.send(ScanBeginRequest(mode: .onboarding))
/// for try await received in client.events {
///   if case .scanSuccessful(let verdict) = received.event.body { … }
/// }
/// ```
///
/// Events that nobody reads make the connection rest after some thousands: read them, or do not subscribe.
public final class WaymarkClient: Sendable {
  /// The first message of the service.
  public let hello: Hello
  private let link: ClientLink
  private let channel: any Channel

  private init(hello: Hello, link: ClientLink, channel: any Channel) {
    self.hello = hello
    self.link = link
    self.channel = channel
  }

  deinit { channel.close(promise: nil) }

  /// Connects to the socket at `path` and waits for the service's greeting, ten seconds at most.
  ///
  /// - Throws: `ClientError` with the code `noService`, `notPermitted`, `tooManyClients` or `stopping`.
  public static func connect(to path: String) async throws -> WaymarkClient {
    try await connect(to: path, greetingWithin: .seconds(10))
  }

  static func connect(to path: String, greetingWithin limit: TimeAmount) async throws -> WaymarkClient {
    let link = ClientLink()
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(.seconds(5))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ClientChannelHandler(link: link))
          }
        }
        .connect(unixDomainSocketPath: path).get()
    } catch let error as IOError where error.errnoCode == 13 {
      throw ClientError.connectRefused(path, "permission denied")
    } catch let error as IOError where error.errnoCode == 2 {
      throw ClientError.noService(path, "there is no such socket")
    } catch let error as IOError where error.errnoCode == 111 {
      throw ClientError.noService(path, "no service listens on it")
    } catch {
      throw ClientError.noService(path, "\(error)")
    }
    for inbox in [link.events.onResume, link.pictures.onResume] { inbox { channel.read() } }
    // A socket's backlog takes connections for a service that stands still.
    let timeout = channel.eventLoop.scheduleTask(in: limit) {
      link.end(.failure(ClientError.noService(path, "it accepts connections but does not answer")))
    }
    defer { timeout.cancel() }
    do {
      guard let first = try await link.events.next() else { throw ClientError.lost }
      switch first.event.body {
      case .hello(let hello): return WaymarkClient(hello: hello, link: link, channel: channel)
      case .connectionClosed(let closed): throw ClientError.closed(closed.reason)
      default: throw ClientError.badAnswer("no greeting")
      }
    } catch {
      channel.close(promise: nil)
      throw error
    }
  }

  /// Asks, and waits for the answer.
  ///
  /// - Throws: `ServiceError` when the service refuses, `ClientError` when the connection ends.
  public func send<Request: ServiceRequest>(_ request: Request) async throws -> Request.Result {
    let answer = try await exchange(method: Request.method, params: request)
    do {
      return try JSONValueDecoder.decode(Request.Result.self, from: answer)
    } catch let error as DecodingError {
      throw ClientError.badAnswer("\(Request.method): \(error.sentence)")
    }
  }

  /// Asks by name, and waits for the answer as it is.
  ///
  /// - Parameters:
  ///   - method: the method's name on the wire.
  ///   - params: its parameters, an object.
  ///   - body: what follows the request: the bytes of a picture, as many as its `size` says.
  /// - Throws: `ServiceError` when the service refuses, `ClientError` when the connection ends.
  public func send(method: String, params: JSONValue, body: [UInt8] = []) async throws -> JSONValue {
    try await exchange(method: method, params: params, body: body)
  }

  private func exchange(
    method: String, params: some Encodable, body: [UInt8] = []
  ) async throws -> JSONValue {
    let id = link.newID()
    let line = try JSONLineEncoder.line(RequestLine(id: .int(id), method: method, params: params))
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        link.wait(for: id, continuation)
        if Task.isCancelled { link.giveUp(id, CancellationError()) }
        var buffer = ByteBuffer(bytes: line)
        buffer.writeBytes(body)
        channel.writeAndFlush(buffer, promise: nil)
      }
    } onCancel: {
      link.giveUp(id, CancellationError())
    }
  }

  /// Sends a picture file, and waits for what the service reads in it.
  ///
  /// - Parameters:
  ///   - picture: a JPEG, PNG, WebP, BMP, GIF or PNM file of at most 16 MiB.
  ///   - mode: what it is read for.
  ///   - context: comes back unread in the verdict that goes out as an event.
  ///   - camera: the name of the camera in whose scan an accepted code waits; nil for the first.
  /// - Throws: `ServiceError` when the service refuses, `ClientError` when the connection ends.
  public func scan(
    picture: [UInt8], mode: ScanMode, context: JSONValue? = nil, camera: String? = nil
  ) async throws -> GalleryScanResult {
    let request = ScanPictureRequest(size: picture.count, mode: mode, context: context, camera: camera)
    let answer = try await exchange(method: ScanPictureRequest.method, params: request, body: picture)
    do {
      return try JSONValueDecoder.decode(GalleryScanResult.self, from: answer)
    } catch let error as DecodingError {
      throw ClientError.badAnswer("\(ScanPictureRequest.method): \(error.sentence)")
    }
  }

  /// The events that this connection subscribed to, as they come; one reader at a time.
  public var events: Events { Events(link: link) }

  /// Asks for pictures; the connection carries nothing else from now on.
  public func pictures<Request: ServiceRequest>(_ request: Request) throws -> Pictures
  where Request.Result == MediaHeader {
    try begin(method: Request.method, params: request)
  }

  /// Asks for pictures by name; the connection carries nothing else from now on.
  public func pictures(method: String, params: JSONValue) throws -> Pictures {
    try begin(method: method, params: params)
  }

  private func begin(method: String, params: some Encodable) throws -> Pictures {
    let id = link.newID()
    link.expectPictures(id: id)
    let line = try JSONLineEncoder.line(RequestLine(id: .int(id), method: method, params: params))
    channel.writeAndFlush(ByteBuffer(bytes: line), promise: nil)
    return Pictures(link: link)
  }

  /// Ends the connection.
  public func close() async { try? await channel.close() }

  /// Events as they come; the end of the connection is thrown as `ClientError`.
  public struct Events: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let link: ClientLink

    /// The events from now on.
    public func makeAsyncIterator() -> Events { self }

    /// The next event.
    public func next() async throws -> ReceivedEvent? { try await link.events.next() }
  }

  /// Pictures as they come; a refusal is thrown as `ServiceError`, the end of the connection as `ClientError`.
  public struct Pictures: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let link: ClientLink

    /// The pictures from now on.
    public func makeAsyncIterator() -> Pictures { self }

    /// The next picture.
    public func next() async throws -> ReceivedPicture? { try await link.pictures.next() }
  }
}
