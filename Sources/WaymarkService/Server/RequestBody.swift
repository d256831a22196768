import NIOCore

/// Bytes that follow a request's line, on their way in.
@ServiceActor
final class RequestBody {
  private var missing: Int
  private var bytes: [UInt8] = []
  private var waiting: CheckedContinuation<[UInt8], any Error>?
  private var failure: (any Error)?

  /// A body of `size` bytes.
  init(size: Int) { missing = size }

  /// Whether all of it is there.
  var isComplete: Bool { missing == 0 }

  /// Takes what there is of it.
  func take(from framer: inout LineFramer) {
    let part = framer.take(upTo: missing)
    missing -= part.readableBytes
    bytes.append(contentsOf: part.readableBytesView)
    if isComplete { finish() }
  }

  /// The connection ended before the body did.
  func fail(_ error: any Error) {
    failure = error
    finish()
  }

  /// All of it, once it is there.
  func collect() async throws -> [UInt8] {
    if let failure { throw failure }
    if isComplete { return bytes }
    return try await withCheckedThrowingContinuation { waiting = $0 }
  }

  private func finish() {
    let waiting = waiting
    self.waiting = nil
    if let failure { waiting?.resume(throwing: failure) } else { waiting?.resume(returning: bytes) }
  }
}
