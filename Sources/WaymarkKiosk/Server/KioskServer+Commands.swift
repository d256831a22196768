import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WaymarkHTTP
import WaymarkJSON

extension KioskServer {
  /// Commands, uploads and the stream of events.
  func addCommands(to router: Router<ConnectionContext>) {
    router.post("/api/command") { request, _ in
      guard let body = await collect(request, upTo: Self.commandLimit) else { return tooLarge }
      let command = try? JSONParser.parse(body)
      let parameters = command?["params"] ?? .object([:])
      guard let method = command?["method"]?.string, case .object = parameters else {
        return answer(
          .failure(
            code: "badRequest", message: "The body is not a command.",
            hint: "Send {\\\"method\\\":…,\\\"params\\\":{…}} as JSON, nested at most 32 deep."), status: .badRequest)
      }
      guard CommandAllowList.allows(method) else {
        return answer(
          .failure(
            code: "notPermitted", message: "The kiosk page may not call this method.",
            hint: "Use the socket to set up the device."), status: .forbidden)
      }
      return answer(
        await backend.command(
          method, params: Array(parameters.compactText.utf8), page: request.headers[Self.pageHeader]))
    }

    router.post("/api/upload") { request, _ in
      guard options.upload else { return Response(status: .notFound) }
      let length = request.headers[.contentLength].flatMap(Int.init)
      if let length, length > Self.uploadLimit { return tooLarge }
      guard
        let reservation = await pictureBudget.reserve(length ?? Self.uploadLimit, within: options.limits.pictureTimeout)
      else {
        return busy
      }
      defer { reservation.release() }
      guard let body = await collect(request, upTo: Self.uploadLimit) else { return tooLarge }
      // The service cannot be told of a picture of no bytes.
      guard !body.isEmpty else {
        return answer(
          .failure(code: "badPicture", message: "The picture is empty.", hint: "Send the bytes of a picture file."))
      }
      return answer(await backend.upload(body, page: request.headers[Self.pageHeader]))
    }

    let streams = StreamLimiter(limit: options.limits.streams)
    router.get("/api/events") { request, _ in
      let page = request.uri.queryParameters["page"].map { String($0.prefix(64)) }
      guard let place = streams.reserve() else { return Response(status: .serviceUnavailable) }
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream", .init("X-Accel-Buffering")!: "no"],
        body: .init { writer in
          defer { place.release() }
          var writer = writer
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await writer.write(ByteBuffer(string: ": waymark\n\n"))
            for await line in backend.events(page: page).cancelOnGracefulShutdown() {
              try await writer.write(Self.event(line))
            }
          }
          try await writer.finish(nil)
        })
    }
  }

  private static func event(_ line: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(line.count + 8)
    buffer.writeStaticString("data: ")
    buffer.writeBytes(line)
    buffer.writeStaticString("\n\n")
    return buffer
  }

  private static var pageHeader: HTTPField.Name { .init("X-Waymark-Page")! }

  private func collect(_ request: Request, upTo limit: Int) async -> [UInt8]? {
    await BodyCollector.collect(request, upTo: limit, within: options.limits.body)
  }

  /// Too many pictures are under way; the body of this one is not read.
  var busy: Response {
    var response = answer(
      .failure(
        code: "busy", message: "Too many pictures are being processed.", hint: "Send it again later."),
      status: .serviceUnavailable)
    response.headers[.connection] = "close"
    return response
  }

  private var tooLarge: Response {
    var response = answer(
      .failure(
        code: "tooLarge", message: "The body is too large, or did not arrive in time.",
        hint: "Pictures may have 16 MiB, commands 64 KiB, and 30 seconds to arrive."), status: .contentTooLarge)
    response.headers[.connection] = "close"
    return response
  }

  private func answer(_ reply: CommandReply, status: HTTPResponse.Status? = nil) -> Response {
    Response(
      status: status ?? (reply.succeeded ? .ok : .unprocessableContent), headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(bytes: reply.json)))
  }
}
