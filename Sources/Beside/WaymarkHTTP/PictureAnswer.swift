import HTTPTypes
package import Hummingbird
package import NIOCore

/// Makes HTTP responses of pictures: single ones, and the parts of a stream.
package enum PictureAnswer {
  /// Returns an answer with one picture, and releases its reservation once the client has received it.
  package static func whole(
    _ bytes: [UInt8], format: String, room: Room.Place, headers: HTTPFields = [:]
  ) -> Response {
    room.shrink(to: bytes.count)
    var headers = headers
    headers[.contentType] = contentType(format)
    headers[.contentLength] = String(bytes.count)
    return Response(
      status: .ok, headers: headers,
      body: .init(contentLength: bytes.count) { writer in
        defer { room.release() }
        try await writer.write(ByteBuffer(bytes: bytes))
        try await writer.finish(nil)
      })
  }

  /// The media type of a format; `application/octet-stream` for an unknown one.
  package static func contentType(_ format: String) -> String {
    ["jpeg", "png", "webp", "bmp", "gif"].contains(format) ? "image/\(format)" : "application/octet-stream"
  }

  /// The media type of a stream, whose parts are pictures.
  package static let multipartType = "multipart/x-mixed-replace; boundary=frame"

  /// The headers that identify the frame of a picture: its number, and the time of its capture in seconds.
  package static func frameHeaders(sequence: UInt64?, captured: Double?) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if let sequence { headers.append(("X-Frame-Sequence", "\(sequence)")) }
    if let captured { headers.append(("X-Frame-Captured", "\(captured)")) }
    return headers
  }

  /// Returns one part of the stream: a header that names the frame, then the picture.
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
