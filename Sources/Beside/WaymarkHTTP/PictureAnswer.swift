import HTTPTypes
package import Hummingbird
package import NIOCore

/// Makes HTTP responses of pictures: single ones, and the parts of a stream.
package enum PictureAnswer {
  /// The bytes that are handed to the connection at a time, so that unread ones stay within the reservation.
  private static let piece = 64 << 10

  /// A picture, whose reservation is released when it has been read. A client that does not read is disconnected.
  package static func whole(
    _ bytes: [UInt8], format: String, room: Room.Place, channel: any Channel, limits: HTTPLimits,
    headers: HTTPFields = [:]
  ) -> Response {
    room.shrink(to: bytes.count)
    let deadline = TimeAmount(limits.body + .seconds(bytes.count / limits.readerRate))
    var headers = headers
    headers[.contentType] = contentType(format)
    headers[.contentLength] = String(bytes.count)
    return Response(
      status: .ok, headers: headers,
      body: .init(contentLength: bytes.count) { writer in
        let timer = channel.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
        defer {
          timer.cancel()
          room.release()
        }
        var writer = writer
        var buffer = ByteBuffer(bytes: bytes)
        while let slice = buffer.readSlice(length: min(piece, max(1, buffer.readableBytes))) {
          try await writer.write(slice)
        }
        try await writer.finish(nil)
      })
  }

  /// The media type of a picture; other formats are not declared as what they claim.
  package static func contentType(_ format: String) -> String {
    ["jpeg", "png", "webp", "bmp", "gif"].contains(format) ? "image/\(format)" : "application/octet-stream"
  }

  /// The type of an answer whose parts are pictures.
  package static let multipartType = "multipart/x-mixed-replace; boundary=frame"

  /// The frame that a picture was, for headers.
  package static func frameHeaders(sequence: UInt64?, captured: Double?) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if let sequence { headers.append(("X-Frame-Sequence", "\(sequence)")) }
    if let captured { headers.append(("X-Frame-Captured", "\(captured)")) }
    return headers
  }

  /// One part of the stream: a header that names the frame, then the picture.
  package static func part(_ bytes: [UInt8], format: String, sequence: UInt64?, captured: Double?) -> ByteBuffer {
    var head = "--frame\r\nContent-Type: \(contentType(format))\r\nContent-Length: \(bytes.count)\r\n"
    for (name, value) in frameHeaders(sequence: sequence, captured: captured) { head += "\(name): \(value)\r\n" }
    head += "\r\n"
    var buffer = ByteBuffer()
    buffer.reserveCapacity(head.utf8.count + bytes.count)
    buffer.writeString(head)
    buffer.writeBytes(bytes)
    return buffer
  }
}
