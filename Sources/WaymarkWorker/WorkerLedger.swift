import WaymarkImage
import WaymarkSystem

/// What workers have done and what became of them, from every thread that uses one.
final class WorkerLedger: Sendable {
  private let counted = Monitor(WorkerFigures())
  private let onFailure: @Sendable (WorkerFailure) -> Void

  /// - Parameter onFailure: hears of every worker that failed, on the thread that needed it.
  init(onFailure: @escaping @Sendable (WorkerFailure) -> Void) { self.onFailure = onFailure }

  var figures: WorkerFigures { counted.withLock { $0 } }

  func count(_ body: (inout WorkerFigures) -> Void) { counted.withLock { body(&$0) } }

  func report(_ failure: WorkerFailure) {
    count { $0.count(failure) }
    onFailure(failure)
  }
}
