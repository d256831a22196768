import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization
import WaymarkClient
import WaymarkHTTP
import WaymarkProtocol
import WaymarkSpool
import WaymarkSystem

/// Serves the streams of events and of live pictures. `SlowReaderWatch` below closes the connections of clients that do not read.
struct StreamRoutes: Sendable {
  private let feeds: EventFeeds
  /// The path of the service's socket.
  private let socket: String
  private let limits: HTTPLimits
  private let rooms: GatewayRooms

  /// Creates the routes to the events and live pictures of a service.
  ///
  /// - Parameter socket: the path of the service's socket.
  init(feeds: EventFeeds, socket: String, limits: HTTPLimits, rooms: GatewayRooms) {
    self.feeds = feeds
    self.socket = socket
    self.limits = limits
    self.rooms = rooms
  }

  /// Adds `GET /v1/events` and `GET /v1/preview`.
  func add(to router: Router<GatewayContext>) {
    router.get("/v1/events") { request, context in
      if let refusal = Self.refusal(of: request, unless: ["events", "after"]) { return refusal }
      let asked = request.uri.queryParameters["events"].map { $0.split(separator: ",").map(String.init) } ?? ["*"]
      guard asked.count <= EventPatterns.maximum else {
        return GatewayAnswer.error(
          ServiceError(
            .badParams, "A stream takes at most \(EventPatterns.maximum) patterns.", hint: "Use families: scan.*"))
      }
      if let fault = asked.lazy.compactMap({ EventFeed.fault(of: $0) }).first {
        return GatewayAnswer.error(ServiceError(.badParams, "events: \(fault.message).", hint: fault.hint))
      }
      let given = request.headers[.init("Last-Event-ID")!] ?? request.uri.queryParameters["after"].map(String.init)
      let last = given.flatMap { EventID($0) }
      guard given == nil || last != nil else {
        return GatewayAnswer.error(
          ServiceError(
            .badParams, "The last event's id is not one of a stream.", hint: "Send it as it came, or leave it out."))
      }
      let room = rooms.eventStreams
      guard let place = room.take(for: context.caller.holder) else { return GatewayAnswer.busy(room.name) }
      return events(asked, after: last, request, context, place)
    }
    router.get("/v1/preview") { request, context in
      if let refusal = Self.refusal(of: request, unless: ["width", "rate", "camera"]) { return refusal }
      let room = rooms.previews
      guard let place = room.take(for: context.caller.holder) else { return GatewayAnswer.busy(room.name) }
      var params: [JSONValue.Member] = []
      for name in ["width", "rate"] {
        guard let text = request.uri.queryParameters[Substring(name)] else { continue }
        guard let number = try? JSONParser.parse(String(text)), number.double != nil else {
          return GatewayAnswer.error(
            ServiceError(.badParams, "\(name) is not a number.", hint: "Leave it out, or give one: \(name)=640."))
        }
        params.append(.init(name, number))
      }
      if let camera = request.uri.queryParameters["camera"].map(String.init) {
        params.append(.init("camera", .string(camera)))
      }
      return await preview(.object(params), request, context, place)
    }
  }

  /// Returns the refusal of a query with a parameter of another name; nil for other queries.
  private static func refusal(of request: Request, unless known: [String]) -> Response? {
    guard let name = request.uri.queryParameters.map({ String($0.key) }).first(where: { !known.contains($0) }) else {
      return nil
    }
    let near = NearestWord.of(name, among: known).map { "Did you mean \($0)? " } ?? ""
    let shown = JSONValue.string(String(name.prefix(80))).compactText
    return GatewayAnswer.error(
      ServiceError(
        .badParams, "The query has no parameter \(shown).", hint: near + "It takes \(known.joined(separator: ", "))."))
  }

  private func events(
    _ asked: [String], after last: EventID?, _ request: Request, _ context: GatewayContext, _ place: Room.Place
  ) -> Response {
    var patterns = EventPatterns()
    patterns.add(asked)
    let follower = EventFollower(feed: feeds.of(context.caller.role), patterns: patterns, last: last)
    let watch = SlowReaderWatch(context.channel, limit: limits.body)
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .init("X-Accel-Buffering")!: "no"],
      body: .init { writer in
        defer {
          place.release()
          watch.end()
        }
        var writer = writer
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          for await piece in follower { try await watch.writing { try await writer.write(piece) } }
        }
        try await writer.finish(nil)
      })
  }

  private func preview(
    _ params: JSONValue, _ request: Request, _ context: GatewayContext, _ place: Room.Place
  ) async -> Response {
    let pictures: WaymarkClient.Pictures
    let client: WaymarkClient
    let first: ReceivedPicture
    do {
      client = try await WaymarkClient.connect(to: socket, role: context.caller.role)
      pictures = try client.pictures(method: MediaPreviewRequest.method, params: params)
      first = try await pictures.first(within: limits.body)
    } catch {
      return GatewayAnswer.failure(error)
    }
    let watch = SlowReaderWatch(context.channel, limit: limits.body)
    return Response(
      status: .ok, headers: [.contentType: PictureAnswer.multipartType],
      body: .init { writer in
        defer {
          place.release()
          watch.end()
        }
        var writer = writer
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          var next: ReceivedPicture? = first
          while let picture = next {
            let part = PictureAnswer.part(
              picture.bytes, format: picture.header.format.rawValue,
              sequence: picture.header.frame.map { UInt64($0.sequence) },
              captured: picture.header.frame?.captured)
            try await watch.writing { try await writer.write(part) }
            next = try await pictures.next()
          }
        }
        await client.close()
        try await writer.finish(nil)
      })
  }
}

extension WaymarkClient.Pictures {
  /// Waits for the first picture; throws `noCamera` if it does not arrive within `limit`.
  func first(within limit: Duration) async throws -> ReceivedPicture {
    return try await withThrowingTaskGroup(of: ReceivedPicture?.self) { group in
      group.addTask { try await next() }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      guard let picture = try await group.next() ?? nil else {
        throw ServiceError(.noCamera, "The service sent no picture.", hint: "Look at the camera, and ask again.")
      }
      return picture
    }
  }
}

/// Closes a connection whose client does not read its stream for `limit`.
final class SlowReaderWatch: Sendable {
  private let channel: any Channel
  private let limit: Duration
  /// The time at which the current write began; infinite between writes.
  private let begun: Mutex<Double> = Mutex(.infinity)
  private let timer: Mutex<RepeatedTask?> = Mutex(nil)

  init(_ channel: any Channel, limit: Duration) {
    self.channel = channel
    self.limit = limit
    let seconds = limit / .seconds(1)
    let pause = TimeAmount(limit / 4)
    let task = channel.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { [weak self] task in
      guard let self else { return task.cancel() }
      if MonotonicClock.now - begun.withLock({ $0 }) > seconds { channel.close(promise: nil) }
    }
    timer.withLock { $0 = task }
  }

  deinit { end() }

  /// Runs `write`, which the client must accept within the limit.
  func writing(_ write: () async throws -> Void) async rethrows {
    begun.withLock { $0 = MonotonicClock.now }
    defer { begun.withLock { $0 = .infinity } }
    try await write()
  }

  /// Ends the watch; further calls have no effect.
  func end() {
    timer.withLock { timer in
      timer?.cancel()
      timer = nil
    }
  }
}
