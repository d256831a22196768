import NIOCore
import NIOPosix
public import WaymarkProtocol
public import WaymarkSystem

/// A connection to the service: typed requests, and the events subscribed to.
///
/// `Subscription` below is a subscription that reconnects automatically.
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
/// After 4096 unread events, the connection pauses. Read the events, or do not subscribe.
public final class WaymarkClient: Sendable {
  /// The service's greeting: its version, its features, and the role of this client.
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
  /// - Throws: `ClientError` with the code `noService`, `notPermitted`, `tooManyClients`, `stopping`, `connectionLost`
  ///   or `badAnswer`.
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
    // The backlog of a socket accepts connections even if the service does not respond.
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

  /// Sends a request and waits for its result.
  ///
  /// - Throws: `ServiceError` when the service refuses, `ClientError` when the connection ends.
  public func send<Request: ServiceRequest>(_ request: Request) async throws -> Request.Result {
    try await send(request, body: [])
  }

  private func send<Request: ServiceRequest>(_ request: Request, body: [UInt8]) async throws -> Request.Result {
    let answer = try await exchange(method: Request.method, params: request, body: body)
    do {
      return try JSONValueDecoder.decode(Request.Result.self, from: answer)
    } catch let error as DecodingError {
      throw ClientError.badAnswer("\(Request.method): \(error.sentence)")
    }
  }

  /// Sends a request by its method's name and waits for its result as JSON.
  ///
  /// - Parameters:
  ///   - method: the method's name.
  ///   - params: an object of parameters.
  ///   - body: the bytes after the request's line: a picture of the size that the parameter `size` gives.
  /// - Throws: `ServiceError` when the service refuses, `ClientError` when the connection ends.
  public func send(method: String, params: JSONValue, body: [UInt8] = []) async throws -> JSONValue {
    try await exchange(method: method, params: params, body: body)
  }

  private func exchange(method: String, params: some Encodable, body: [UInt8]) async throws -> JSONValue {
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

  /// Sends a picture file and waits for the result of reading it.
  ///
  /// - Parameters:
  ///   - picture: a JPEG, PNG, WebP, BMP, GIF or PNM file of at most 16 MiB.
  ///   - mode: the purpose of the scan.
  ///   - context: a value that the service returns unchanged in the event with the verdict.
  ///   - camera: the name of the camera whose scan receives an accepted code; `nil` for the first camera.
  /// - Throws: `ServiceError` when the service refuses, `ClientError` when the connection ends.
  public func scan(
    picture: [UInt8], mode: ScanMode, context: JSONValue? = nil, camera: String? = nil
  ) async throws -> GalleryScanResult {
    let request = ScanPictureRequest(size: picture.count, mode: mode, context: context, camera: camera)
    return try await send(request, body: picture)
  }

  /// The events that this connection subscribed to, in order; for one reader at a time.
  public var events: Events { Events(link: link) }

  /// Requests pictures. From then on, the connection carries only pictures.
  public func pictures<Request: ServiceRequest>(_ request: Request) throws -> Pictures
  where Request.Result == MediaHeader {
    try begin(method: Request.method, params: request)
  }

  /// Requests pictures by the method's name. From then on, the connection carries only pictures.
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

  /// Closes the connection, and returns when it is closed.
  public func close() async { try? await channel.close() }

  /// The sequence of received events; it throws `ClientError` when the connection ends.
  public struct Events: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let link: ClientLink

    /// Returns this sequence, which is its own iterator.
    public func makeAsyncIterator() -> Events { self }

    /// Returns the next event, never `nil`: the end of the connection is thrown.
    public func next() async throws -> ReceivedEvent? { try await link.events.next() }
  }

  /// The sequence of received pictures; it throws `ServiceError` for a refusal, and `ClientError` when the
  /// connection ends.
  public struct Pictures: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let link: ClientLink

    /// Returns this sequence, which is its own iterator.
    public func makeAsyncIterator() -> Pictures { self }

    /// Returns the next picture, never `nil`: the end of the connection is thrown.
    public func next() async throws -> ReceivedPicture? { try await link.pictures.next() }
  }
}

/// An update of a subscription that reconnects automatically.
public enum SubscriptionUpdate: Sendable {
  /// The client is connected and subscribed. The snapshot replaces all earlier state; requests may be sent on
  /// `client`.
  case connected(client: WaymarkClient, snapshot: Snapshot)
  /// An event that the service published.
  case event(ReceivedEvent)
  /// The connection ended or failed; the next attempt follows after `retryAfter` seconds.
  case disconnected(ClientError, retryAfter: Double)
}

extension WaymarkClient {
  /// Subscribes to `events` at the socket `path`, and reconnects whenever the connection is lost, until the task is
  /// cancelled or the consumer leaves the loop.
  ///
  /// ```swift
  /// for try await update in WaymarkClient.updates(at: path, events: ["scan.*"]) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the service's socket.
  ///   - events: the names and patterns of the events; nil for all except `statistics`.
  ///   - backoff: the pauses between attempts.
  /// - Throws: errors that a further attempt cannot change: `notPermitted`, or a refusal of the subscription as `ServiceError`.
  public static func updates(at path: String, events: [String]?, backoff: Backoff = Backoff()) -> Subscription {
    Subscription(path: path, events: events, backoff: backoff)
  }
}

/// A subscription that reconnects automatically.
public struct Subscription: AsyncSequence, Sendable {
  let path: String
  let events: [String]?
  let backoff: Backoff

  /// Creates the iterator; its first `next()` connects.
  public func makeAsyncIterator() -> Iterator { Iterator(path: path, events: events, backoff: backoff) }

  /// Connects, receives the events, and connects again after a pause.
  public struct Iterator: AsyncIteratorProtocol {
    let path: String
    let events: [String]?
    var backoff: Backoff
    private var client: WaymarkClient?
    private var wait: Double?

    init(path: String, events: [String]?, backoff: Backoff) {
      self.path = path
      self.events = events
      self.backoff = backoff
    }

    /// Returns the next update, never `nil`. After `disconnected`, waits for `retryAfter` seconds and connects again.
    ///
    /// - Throws: `notPermitted`, a `ServiceError` that refuses the subscription, or `CancellationError`.
    public mutating func next() async throws -> SubscriptionUpdate? {
      if let wait {
        self.wait = nil
        try await Task.sleep(for: .seconds(wait))
      }
      do {
        if let client {
          guard let event = try await client.events.next() else { throw ClientError.lost }
          return .event(event)
        }
        let fresh = try await WaymarkClient.connect(to: path)
        let snapshot = try await fresh.send(SubscribeRequest(events: events))
        client = fresh
        backoff.reset()
        return .connected(client: fresh, snapshot: snapshot)
      } catch let error as ClientError where error.code.rawValue != CloseReason.notPermitted.rawValue {
        client = nil
        let wait = backoff.next()
        self.wait = wait
        return .disconnected(error, retryAfter: wait)
      }
    }
  }
}
