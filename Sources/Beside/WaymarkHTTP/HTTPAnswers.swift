import HTTPTypes
package import Hummingbird
package import NIOCore

/// Answers that end their connection or are sent within a time limit. `PictureAnswer` below makes answers of pictures.
extension Response {
  /// Closes the connection after an answer with `Connection: close`. Otherwise the server would first read the request's body to
  /// its end.
  package mutating func closeIfLast(_ channel: any Channel) {
    guard headers[.connection] == "close" else { return }
    let body = body
    self.body = .init(contentLength: body.contentLength) { writer in
      try await body.write(writer)
      // Further bytes of the request are not read. This may reset the connection, so the client first has a second to read the
      // answer.
      _ = channel.setOption(.autoRead, value: false)
      channel.close(mode: .output, promise: nil)
      channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }
  }

  /// Closes the connection if its client does not read an answer of known length in time. Writes the answer in pieces, so that
  /// little of it waits in the connection. Streams, whose length is unknown, have separate limits.
  package mutating func bound(_ channel: any Channel, by limits: HTTPLimits) {
    guard let length = body.contentLength, length > 0 else { return }
    let body = body
    // The head may already wait for the client.
    let timer = channel.eventLoop.scheduleTask(in: TimeAmount(limits.body + .seconds(length / limits.readerRate))) {
      channel.close(promise: nil)
    }
    self.body = .init(contentLength: length) { writer in
      defer { timer.cancel() }
      try await body.write(PieceWriter(base: writer))
    }
  }
}

/// Writes large buffers in pieces, each once the connection takes more.
private struct PieceWriter: ResponseBodyWriter {
  private static let length = 64 << 10

  var base: any ResponseBodyWriter

  mutating func write(_ buffer: ByteBuffer) async throws {
    var buffer = buffer
    while let piece = buffer.readSlice(length: min(Self.length, max(1, buffer.readableBytes))) {
      try await base.write(piece)
    }
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await base.finish(trailingHeaders) }
}

// MARK: - Pictures

/// Makes HTTP responses of pictures: of single pictures, and of the parts of a stream.
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

  /// The media type of a format; `application/octet-stream` for an unknown format.
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

  /// Returns one part of the stream: a header that identifies the frame, then the picture.
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
