import NIOCore
import WaymarkProtocol

/// The bytes that follow a request's line, while they are received. They are kept if there is memory for them, and otherwise
/// skipped.
@ServiceActor
package final class RequestBody {
  private enum State {
    /// The body is neither kept nor skipped yet, and the connection does not read.
    case waiting
    case kept
    case skipped
  }

  private var state: State
  private let size: Int
  private var missing: Int
  private var bytes: [UInt8] = []
  private var collector: CheckedContinuation<[UInt8], any Error>?
  private var failure: (any Error)?
  /// Called when the connection may read the body.
  private let onStart: @ServiceActor () -> Void

  /// Creates a body of `size` bytes, which is not read before `keep()` or `skip()`.
  init(size: Int, onStart: @escaping @ServiceActor () -> Void = {}) {
    (self.size, missing, state) = (size, size, .waiting)
    self.onStart = onStart
  }

  /// True if the connection may read the body.
  var isWanted: Bool { state != .waiting }

  /// True if all bytes were received.
  var isComplete: Bool { missing == 0 }

  /// Returns whether this many further bytes complete the body.
  func isCovered(by count: Int) -> Bool { count >= missing }

  package func keep() {
    guard state == .waiting else { return }
    state = .kept
    bytes.reserveCapacity(size)
    onStart()
  }

  /// Skips the body, or the rest of it.
  package func skip() {
    let isNew = state == .waiting
    state = .skipped
    bytes = []
    if isNew { onStart() }
  }

  /// Takes the received bytes of the body from the framer.
  func take(from framer: inout LineFramer) {
    guard isWanted, missing > 0 else { return }
    let part = framer.take(upTo: missing)
    missing -= part.readableBytes
    if state == .kept { bytes.append(contentsOf: part.readableBytesView) }
    if isComplete { finish() }
  }

  /// Fails the body if it is incomplete, because the connection has ended or the time limit expired.
  func fail(_ error: any Error) {
    guard !isComplete, failure == nil else { return }
    failure = error
    skip()
    finish()
  }

  /// Waits for all bytes, and returns them.
  ///
  /// - Throws: the error passed to `fail(_:)`.
  package func collect() async throws -> [UInt8] {
    if let failure { throw failure }
    if isComplete { return takeBytes() }
    return try await withCheckedThrowingContinuation { collector = $0 }
  }

  private func takeBytes() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  private func finish() {
    guard let collector else { return }
    self.collector = nil
    if let failure { collector.resume(throwing: failure) } else { collector.resume(returning: takeBytes()) }
  }
}
