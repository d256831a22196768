/// The kiosk's view of the service: a seam, so that the server can be tested without one.
package protocol KioskBackend: Sendable {
  /// Sends a command; the answer is a reply's JSON: `{"result":…}` or `{"error":…}`.
  ///
  /// - Parameter page: names the page, as its stream of events did; what a page armed is disarmed when its stream ends.
  func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply
  /// Every event as its line of JSON, and `kiosk.connection` lines when the service comes or goes.
  func events(page: String?) -> AsyncStream<[UInt8]>
  /// The live picture of a camera; of the first where none is named.
  func preview(width: Int?, rate: Double?, camera: String?) -> AsyncThrowingStream<PicturePart, any Error>
  /// One picture: a guide or card picture, one of a gallery, or what the camera sees now.
  func picture(_ request: PictureRequest) async throws -> PicturePart
  /// Hands a person's picture to the service, which answers with a verdict.
  func upload(_ picture: [UInt8], page: String?) async -> CommandReply
}

/// An answer to a command.
package struct CommandReply: Sendable {
  /// True if it is a result rather than an error.
  package var succeeded: Bool
  /// The whole reply as JSON, without an id.
  package var json: [UInt8]

  package init(succeeded: Bool, json: [UInt8]) {
    self.succeeded = succeeded
    self.json = json
  }

  /// An error reply of the kiosk's own.
  package static func failure(code: String, message: String, hint: String) -> CommandReply {
    CommandReply(
      succeeded: false,
      json: Array(#"{"error":{"code":"\#(code)","message":"\#(message)","hint":"\#(hint)"}}"#.utf8))
  }
}

/// A picture with the frame it was, if it was one.
package struct PicturePart: Sendable {
  /// The frame's sequence number.
  package var sequence: UInt64?
  /// When it was captured, in seconds of CLOCK_MONOTONIC.
  package var captured: Double?
  /// For example `jpeg` or `png`.
  package var format: String
  /// The picture's file.
  package var bytes: [UInt8]

  package init(sequence: UInt64?, captured: Double?, format: String, bytes: [UInt8]) {
    self.sequence = sequence
    self.captured = captured
    self.format = format
    self.bytes = bytes
  }
}

/// Which picture is wanted.
package enum PictureRequest: Equatable, Sendable {
  case resource(id: String)
  case gallery(id: String, width: Int?)
  case document(page: String, width: Int?, original: Bool)
  case snapshot
}
