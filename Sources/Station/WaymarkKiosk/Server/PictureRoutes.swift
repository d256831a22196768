import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import WaymarkHTTP

/// Serves the live picture as multipart JPEG, and single pictures. `KioskAnswer` below has the answers of all routes in JSON.
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
    // The size is not known before the picture has arrived, so that memory for the largest is reserved.
    guard let reservation = await pictures.take(Self.sizeLimit, within: options.limits.pictureTimeout) else {
      return KioskAnswer.busy
    }
    guard let part = try? await backend.picture(request) else { return Response(status: .notFound) }
    return PictureAnswer.whole(part.bytes, format: part.format, room: reservation)
  }
}

/// The answers of the kiosk's server in JSON: replies of the service, and errors of the kiosk itself.
enum KioskAnswer {
  /// Too many pictures are being processed; the request's body is not read.
  static var busy: Response {
    unread("busy", "Too many pictures are being processed.", "Send it again later.", .serviceUnavailable)
  }

  /// The body is too large or too slow.
  static var tooLarge: Response {
    unread(
      "tooLarge", "The body is too large, or did not arrive in time.",
      "Pictures may have 16 MiB, commands 64 KiB, and 30 seconds to arrive.", .contentTooLarge)
  }

  /// An error after which the connection is closed, as the request's body is not read.
  private static func unread(
    _ code: String, _ message: String, _ hint: String, _ status: HTTPResponse.Status
  ) -> Response {
    var response = refusal(code, message, hint, status)
    response.headers[.connection] = "close"
    return response
  }

  /// An error of the kiosk itself.
  static func refusal(_ code: String, _ message: String, _ hint: String, _ status: HTTPResponse.Status) -> Response {
    reply(.failure(code: code, message: message, hint: hint), status: status)
  }

  /// The answer with a reply; its status is 200, or 422 for an error, if none is given.
  static func reply(_ reply: CommandReply, status: HTTPResponse.Status? = nil) -> Response {
    Response(
      status: status ?? (reply.succeeded ? .ok : .unprocessableContent), headers: [.contentType: "application/json"],
      body: .init(byteBuffer: ByteBuffer(bytes: reply.json)))
  }
}
