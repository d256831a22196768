import Synchronization

@testable import WaymarkKiosk

/// A service that answers from a script and remembers what it was asked.
final class FakeBackend: KioskBackend {
  let commands = Mutex<[String]>([])
  let uploads = Mutex<[Int]>([])
  /// The picture of every gallery, where there is one.
  let picture: [UInt8]?

  /// True if commands fail, as without a service.
  let isAway: Bool

  init(picture: [UInt8]? = nil, isAway: Bool = false) {
    self.picture = picture
    self.isAway = isAway
  }

  func command(_ method: String, params: [UInt8], page: String?) async -> CommandReply {
    commands.withLock { $0.append("\(method) \(String(decoding: params, as: UTF8.self)) \(page ?? "-")") }
    if isAway { return .failure(code: "offline", message: "Away.", hint: "Wait.") }
    return CommandReply(succeeded: true, json: Array(#"{"result":{"ok":true}}"#.utf8))
  }

  func events(page: String?) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      continuation.yield(Array(#"{"event":"kiosk.connection","online":true}"#.utf8))
      // A page of this name listens for ever.
      if page != "endless" { continuation.finish() }
    }
  }

  func preview(width: Int?, rate: Double?, camera: String?) -> AsyncThrowingStream<PicturePart, any Error> {
    // More than any buffer holds, for clients that do not read.
    if width == 4096 {
      return AsyncThrowingStream {
        PicturePart(sequence: 1, captured: 0, format: "jpeg", bytes: [UInt8](repeating: 0, count: 1 << 20))
      }
    }
    return AsyncThrowingStream { continuation in
      for sequence in 1...3 as ClosedRange<UInt64> {
        continuation.yield(PicturePart(sequence: sequence, captured: 0.5, format: "jpeg", bytes: Array("picture".utf8)))
      }
      continuation.finish()
    }
  }

  func picture(_ request: PictureRequest) async throws -> PicturePart {
    if case .gallery = request, let picture {
      return PicturePart(sequence: nil, captured: nil, format: "jpeg", bytes: picture)
    }
    guard case .resource(let id) = request, id == "guide/1" else { throw NotThere() }
    return PicturePart(sequence: nil, captured: nil, format: "png", bytes: Array("png".utf8))
  }

  func upload(_ picture: [UInt8], page: String?) async -> CommandReply {
    uploads.withLock { $0.append(picture.count) }
    return CommandReply(succeeded: true, json: Array(#"{"result":{"outcome":"unsuccessful"}}"#.utf8))
  }

  struct NotThere: Error {}
}
