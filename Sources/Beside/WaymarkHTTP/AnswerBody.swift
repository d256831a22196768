import HTTPTypes
package import Hummingbird
package import NIOCore

extension Response {
  /// Closes the connection after an answer with `Connection: close`, as the server itself would read the request's body to its end.
  package mutating func closeIfLast(_ channel: any Channel) {
    guard headers[.connection] == "close" else { return }
    let body = body
    self.body = .init(contentLength: body.contentLength) { writer in
      try await body.write(writer)
      // Further bytes of the request are not read. As that may reset the connection, the client first has a second to read the answer.
      _ = channel.setOption(.autoRead, value: false)
      channel.close(mode: .output, promise: nil)
      channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }
  }

  /// Closes the connection if its client does not read an answer of known length in time, and writes the answer in pieces, so that little of it waits
  /// in the connection. Streams, whose length is unknown, have bounds of their own.
  package mutating func bound(_ channel: any Channel, by limits: HTTPLimits) {
    guard let length = body.contentLength, length > 0 else { return }
    let body = body
    let deadline = TimeAmount(limits.body + .seconds(length / limits.readerRate))
    self.body = .init(contentLength: length) { writer in
      let timer = channel.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
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
