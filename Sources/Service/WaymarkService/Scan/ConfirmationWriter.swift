import Logging
import NIOPosix
import WaymarkOnboarding
import WaymarkProtocol
import WaymarkServer
import WaymarkSystem

/// Writes confirmations down off the loop, and lets the requests that confirmed wait for it.
@ServiceActor
final class ConfirmationWriter {
  /// The confirmation that is being written: true if it is the first of its code, nil if it could not be written.
  private var recording: Task<Bool?, Never>?
  private let log: Logger

  init(log: Logger) { self.log = log }

  /// Begins to write.
  ///
  /// - Parameter then: called with what came of it, before anybody who waits goes on.
  func write(
    _ entry: ReplayEntry, to replayGuard: (any ReplayGuard)?, then: @escaping @ServiceActor (Bool?) -> Void
  ) {
    let log = log
    recording = Task { @ServiceActor in
      var isFirst: Bool?
      if let replayGuard {
        do {
          isFirst = try await BlockingWork.records.runIfActive { try replayGuard.record(entry) }
        } catch {
          log.error("\((error as? ServiceProblem)?.message ?? "\(error)")")
        }
      }
      then(isFirst)
      return isFirst
    }
  }

  /// Returns the write that the answer to a confirmation waits for, once; `nil` when nothing is to be written.
  func take() -> Task<Bool?, Never>? {
    defer { recording = nil }
    return recording
  }

  /// Waits until a confirmation is written; throws unless it was written, and for the first time.
  nonisolated static func written(_ recording: Task<Bool?, Never>?) async throws {
    guard let recording else { return }
    switch await recording.value {
    case true?: return
    case false?: throw ScanWire.alreadyConfirmed
    case nil:
      throw ServiceError(
        .internalError, "The confirmation could not be saved.",
        hint: "Check replay.folder: its disk may be full or it may not be written.")
    }
  }
}
