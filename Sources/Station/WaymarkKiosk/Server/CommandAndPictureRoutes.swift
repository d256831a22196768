import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WaymarkHTTP
import WaymarkSystem

/// Serves the page's commands, uploads and stream of events. `CommandAllowList` below has the methods that commands may call;
/// `PictureRoutes` serves pictures.
struct CommandRoutes: Sendable {
  /// The largest command, in bytes.
  private static let commandLimit = 64 << 10

  let options: KioskOptions
  let backend: any KioskBackend
  /// The memory in bytes that the pictures of all pages share.
  let pictures: Room
  /// The saved documents, which visitors may take along.
  let documents: SavedDocuments

  func add(to router: Router<ConnectionContext>) {
    router.post("/api/command") { request, _ in
      guard let body = await collect(request, upTo: Self.commandLimit) else { return KioskAnswer.tooLarge }
      let command = try? JSONParser.parse(body)
      let parameters = command?["params"] ?? .object([:])
      guard let method = command?["method"]?.string, case .object = parameters else {
        return KioskAnswer.refusal(
          "badRequest", "The body is not a command.",
          "Send {\\\"method\\\":…,\\\"params\\\":{…}} as JSON, nested at most 32 deep.", .badRequest)
      }
      guard CommandAllowList.allows(method) else {
        return KioskAnswer.refusal(
          "notPermitted", "The kiosk page may not call this method.", "Use the socket to set up the device.", .forbidden
        )
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
        let reservation = await pictures.take(
          length ?? PictureRoutes.sizeLimit, within: options.limits.pictureTimeout)
      else {
        return KioskAnswer.busy
      }
      defer { reservation.release() }
      guard let body = await collect(request, upTo: PictureRoutes.sizeLimit) else { return KioskAnswer.tooLarge }
      // The protocol has no empty pictures.
      guard !body.isEmpty else {
        return KioskAnswer.reply(
          .failure(code: "badPicture", message: "The picture is empty.", hint: "Send the bytes of a picture file."))
      }
      return KioskAnswer.reply(await backend.upload(body, page: request.headers[Self.pageHeader]))
    }

    let streams = Room("streams", total: options.limits.streams)
    router.get("/api/events") { request, _ in
      let page = request.uri.queryParameters["page"].map { String($0.prefix(64)) }
      guard let place = streams.take() else { return Response(status: .serviceUnavailable) }
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

/// The methods that the page may call: all methods for visitors, and none for setting up the device.
enum CommandAllowList {
  private static let methods: Set<String> = [
    "status", "camera.list", "scan.begin", "scan.cancel", "scan.confirm", "gallery.list", "gallery.scan", "torch",
    "scene.list", "codes.follow", "codes.unfollow", "count.begin", "count.reset", "count.end",
    "scene.load", "form.submit", "signature.save", "session.start", "session.scan", "session.coach", "session.exit",
    "annotation.select",
    "document.begin", "document.mode", "document.capture", "document.pages", "document.adjust", "document.filter",
    "document.rotate", "document.reorder", "document.delete", "document.restore", "document.retake", "document.save",
    "document.discard", "document.end", "text.begin", "text.choose", "text.cancel",
    "annotation.next", "annotation.previous", "annotation.clear", "card.open", "card.close", "card.action",
    "account.state", "account.policy", "account.next", "account.back", "account.leave", "account.demo",
    "account.choose",
    "account.activate", "account.users", "account.switch", "account.select", "account.add", "authentication.submit",
    "authentication.setPasscode", "authentication.signIn", "authentication.forgot", "consent.choose", "sync.retry",
  ]

  static func allows(_ method: String) -> Bool { methods.contains(method) }
}

/// Serves the live picture as multipart JPEG, and single pictures.
struct PictureRoutes: Sendable {
  /// The largest size of a picture in bytes, uploaded or downloaded.
  static let sizeLimit = 16 << 20

  let options: KioskOptions
  let backend: any KioskBackend
  /// The memory in bytes that the pictures of all pages share.
  let pictures: Room

  func add(to router: Router<ConnectionContext>) {
    let streams = Room("streams", total: options.limits.streams)
    router.get("/api/preview") { request, _ in
      guard let place = streams.take() else { return Response(status: .serviceUnavailable) }
      let width = request.uri.queryParameters["width"].flatMap { Int($0) }.map { min(max($0, 16), 4096) }
      let rate = request.uri.queryParameters["rate"].flatMap { Double($0) }.map { min(max($0, 0.1), 60) }
      let camera = request.uri.queryParameters["camera"].map(String.init)
      return Response(
        status: .ok, headers: [.contentType: PictureAnswer.multipartType],
        body: .init { writer in
          defer { place.release() }
          var writer = writer
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            for try await part in backend.preview(width: width, rate: rate, camera: camera)
              .cancelOnGracefulShutdown()
            {
              try await writer.write(
                PictureAnswer.part(part.bytes, format: part.format, sequence: part.sequence, captured: part.captured))
            }
          }
          try await writer.finish(nil)
        })
    }
    router.get("/api/snapshot") { _, context in await picture(.snapshot, context) }
    router.get("/api/resource/:id") { _, context in
      guard let id = context.parameters.get("id")?.removingPercentEncoding else { return Response(status: .badRequest) }
      return await picture(.resource(id: id), context)
    }
    router.get("/api/gallery/:id") { request, context in
      guard let id = context.parameters.get("id")?.removingPercentEncoding else { return Response(status: .badRequest) }
      let width = request.uri.queryParameters["width"].flatMap { Int($0) }
      return await picture(.gallery(id: id, width: width), context)
    }
    router.get("/api/document/:page") { request, context in
      guard let page = context.parameters.get("page")?.removingPercentEncoding else {
        return Response(status: .badRequest)
      }
      let width = request.uri.queryParameters["width"].flatMap { Int($0) }.map { min(max($0, 16), 4096) }
      let isOriginal = request.uri.queryParameters["original"] == "1"
      return await picture(.document(page: page, width: width, original: isOriginal), context)
    }
  }

  private func picture(_ request: PictureRequest, _ context: ConnectionContext) async -> Response {
    // The size is unknown before the picture has arrived, so memory for the largest picture is reserved.
    guard let reservation = await pictures.take(Self.sizeLimit, within: options.limits.pictureTimeout) else {
      return KioskAnswer.busy
    }
    guard let part = try? await backend.picture(request) else { return Response(status: .notFound) }
    return PictureAnswer.whole(part.bytes, format: part.format, room: reservation)
  }
}
