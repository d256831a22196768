import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

extension KioskServer {
  /// The live picture as multipart JPEG, and single pictures.
  func addPictures(to router: Router<KioskContext>) {
    let streams = StreamLimiter(limit: options.limits.streams)
    router.get("/api/preview") { request, _ in
      guard let place = streams.reserve() else { return Response(status: .serviceUnavailable) }
      let width = request.uri.queryParameters["width"].flatMap { Int($0) }.map { min(max($0, 16), 4096) }
      let rate = request.uri.queryParameters["rate"].flatMap { Double($0) }.map { min(max($0, 0.1), 60) }
      return Response(
        status: .ok, headers: [.contentType: "multipart/x-mixed-replace; boundary=frame"],
        body: .init { writer in
          defer { place.release() }
          var writer = writer
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            for try await part in backend.preview(width: width, rate: rate).cancelOnGracefulShutdown() {
              try await writer.write(Self.multipart(part))
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

  /// How much of a picture is handed to the connection at a time, so that what nobody reads stays in its room.
  private static let piece = 64 << 10
  /// Bytes a second that who reads a picture must take, beyond the time that every body has.
  private static let slowestReader = 64 << 10

  private func picture(_ request: PictureRequest, _ context: KioskContext) async -> Response {
    // How large it is shows only when it is there.
    guard let reservation = await pictureBudget.reserve(Self.uploadLimit, within: options.limits.pictureTimeout) else {
      return busy
    }
    guard let part = try? await backend.picture(request) else { return Response(status: .notFound) }
    reservation.shrink(to: part.bytes.count)
    let channel = context.channel
    let deadline = TimeAmount(options.limits.body + .seconds(part.bytes.count / Self.slowestReader))
    return Response(
      status: .ok,
      headers: [.contentType: Self.contentType(part.format), .contentLength: String(part.bytes.count)],
      body: .init(contentLength: part.bytes.count) { writer in
        // A client that does not read is disconnected: the room is for those who do.
        let timer = channel.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
        defer {
          timer.cancel()
          reservation.release()
        }
        var writer = writer
        var buffer = ByteBuffer(bytes: part.bytes)
        while let slice = buffer.readSlice(length: min(Self.piece, max(1, buffer.readableBytes))) {
          try await writer.write(slice)
        }
        try await writer.finish(nil)
      })
  }

  /// Only pictures are handed on as what they say they are.
  private static func contentType(_ format: String) -> String {
    ["jpeg", "png", "webp", "bmp", "gif"].contains(format) ? "image/\(format)" : "application/octet-stream"
  }

  /// One part of the stream: a header that names the frame, then the picture.
  private static func multipart(_ part: PicturePart) -> ByteBuffer {
    var head = "--frame\r\nContent-Type: \(contentType(part.format))\r\nContent-Length: \(part.bytes.count)\r\n"
    if let sequence = part.sequence { head += "X-Frame-Sequence: \(sequence)\r\n" }
    if let captured = part.captured { head += "X-Frame-Captured: \(captured)\r\n" }
    head += "\r\n"
    var buffer = ByteBuffer()
    buffer.reserveCapacity(head.utf8.count + part.bytes.count)
    buffer.writeString(head)
    buffer.writeBytes(part.bytes)
    return buffer
  }
}
