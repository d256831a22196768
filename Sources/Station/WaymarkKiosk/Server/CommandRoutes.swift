import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WaymarkHTTP
import WaymarkSystem

/// Commands, uploads and the stream of events.
struct CommandRoutes: Sendable {
  /// The largest command, in bytes.
  private static let commandLimit = 64 << 10

  let options: KioskOptions
  let backend: any KioskBackend
  /// The memory for the pictures of all pages together.
  let pictures: PictureMemoryBudget
  /// The documents that may leave the kiosk.
  let documents: SavedDocuments

  func add(to router: Router<ConnectionContext>) {
    router.post("/api/command") { request, _ in
      guard let body = await collect(request, upTo: Self.commandLimit) else { return KioskAnswer.tooLarge }
      let command = try? JSONParser.parse(body)
      let parameters = command?["params"] ?? .object([:])
      guard let method = command?["method"]?.string, case .object = parameters else {
        return KioskAnswer.reply(
          .failure(
            code: "badRequest", message: "The body is not a command.",
            hint: "Send {\\\"method\\\":…,\\\"params\\\":{…}} as JSON, nested at most 32 deep."), status: .badRequest)
      }
      guard CommandAllowList.allows(method) else {
        return KioskAnswer.reply(
          .failure(
            code: "notPermitted", message: "The kiosk page may not call this method.",
            hint: "Use the socket to set up the device."), status: .forbidden)
      }
      let reply = await backend.command(
        method, params: Array(parameters.compactText.utf8), page: request.headers[Self.pageHeader])
      if method == "document.save", reply.succeeded { documents.note(savedBy: reply.json) }
      return KioskAnswer.reply(reply)
    }

    router.post("/api/upload") { request, _ in
      guard options.upload else { return Response(status: .notFound) }
      let length = request.headers[.contentLength].flatMap(Int.init)
      if let length, length > PictureRoutes.sizeLimit { return KioskAnswer.tooLarge }
      guard
        let reservation = await pictures.reserve(
          length ?? PictureRoutes.sizeLimit, within: options.limits.pictureTimeout)
      else {
        return KioskAnswer.busy
      }
      defer { reservation.release() }
      guard let body = await collect(request, upTo: PictureRoutes.sizeLimit) else { return KioskAnswer.tooLarge }
      // The service cannot be told of a picture of no bytes.
      guard !body.isEmpty else {
        return KioskAnswer.reply(
          .failure(code: "badPicture", message: "The picture is empty.", hint: "Send the bytes of a picture file."))
      }
      return KioskAnswer.reply(await backend.upload(body, page: request.headers[Self.pageHeader]))
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
}
