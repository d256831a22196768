import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle
import WaymarkHTTP

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
