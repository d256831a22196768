import NIOCore
import WaymarkProtocol

/// Bytes that follow a request's line, on their way in: kept where there is room for them, or skipped.
@ServiceActor
package final class RequestBody {
  private enum State {
    /// Nobody has said yet what becomes of it: nothing is read.
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
  /// Called when it may be read.
  private let onStart: @ServiceActor () -> Void

  /// A body of `size` bytes, of which nothing is read before `keep` or `skip`.
  init(size: Int, onStart: @escaping @ServiceActor () -> Void = {}) {
    (self.size, missing, state) = (size, size, .waiting)
    self.onStart = onStart
  }

  /// True if its bytes may be read.
  var isWanted: Bool { state != .waiting }

  /// True if all of it is there.
  var isComplete: Bool { missing == 0 }

  /// Returns whether so many bytes are all that is missing.
  func isCovered(by count: Int) -> Bool { count >= missing }

  /// Reads it into memory.
  package func keep() {
    guard state == .waiting else { return }
    state = .kept
    bytes.reserveCapacity(size)
    onStart()
  }

  /// Passes over it, or over what is left of it.
  package func skip() {
    let isNews = state == .waiting
    state = .skipped
    bytes = []
    if isNews { onStart() }
  }

  /// Takes what there is of it.
  func take(from framer: inout LineFramer) {
    guard isWanted, missing > 0 else { return }
    let part = framer.take(upTo: missing)
    missing -= part.readableBytes
    if state == .kept { bytes.append(contentsOf: part.readableBytesView) }
    if isComplete { finish() }
  }

  /// It does not come whole: the connection ended before it did, or its time is over.
  func fail(_ error: any Error) {
    guard !isComplete, failure == nil else { return }
    failure = error
    skip()
    finish()
  }

  /// All of it, once it is there.
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
