import WaymarkSystem

/// The reason why a worker gave no result.
package enum WorkerFailure: Error, Hashable, Sendable {
  /// The worker could not be started, or did not set up its sandbox.
  case cannotStart(reason: String)
  /// The worker ended unexpectedly: by this signal, or by itself if it is nil.
  case crashed(signal: Int32?)
  /// The worker did not answer within its time limit, and was ended.
  case hung
  /// The worker's answer violates the bounds of its `WireValue`, or came unasked.
  case malformedAnswer
  /// The picture does not fit into the arena; the worker did not receive it.
  case tooLarge
  /// The worker was ended during its work, because the result is no longer needed.
  case interrupted

  /// A stable camelCase code for programs.
  package var code: String {
    switch self {
    case .cannotStart: "workerCannotStart"
    case .crashed: "workerCrashed"
    case .hung: "workerHung"
    case .malformedAnswer: "workerMalformedAnswer"
    case .tooLarge: "pictureTooLarge"
    case .interrupted: "workerInterrupted"
    }
  }

  package var message: String {
    switch self {
    case .cannotStart(let reason): "The worker that reads codes and pictures cannot be started: \(reason)."
    case .crashed(let signal?): "The worker that reads codes and pictures was ended by signal \(signal)."
    case .crashed(nil): "The worker that reads codes and pictures ended."
    case .hung: "The worker that reads codes and pictures did not answer in time and was ended."
    case .malformedAnswer: "The worker that reads codes and pictures sent a malformed answer and was ended."
    case .tooLarge: "The picture is larger than \(WorkerArena.inputLimit >> 20) MiB."
    case .interrupted: "The worker that reads codes and pictures was ended in the middle of its work."
    }
  }

  package var hint: String {
    switch self {
    case .cannotStart: "See docs/security.md; `isolation: off` reads in the service itself."
    case .crashed, .hung, .malformedAnswer:
      "The picture may have been crafted to do this. A new worker starts when one is needed."
    case .tooLarge: "Make it smaller."
    case .interrupted: "Ask again if the result is still needed."
    }
  }
}

// MARK: - Counts

/// The counts of workers since the service was started.
package struct WorkerCounts: Sendable, Equatable {
  package var starts = 0
  /// The workers that ended by themselves or sent malformed answers.
  package var crashes = 0
  /// The workers that were ended because they did not answer in time.
  package var hangs = 0
  /// The frames and pictures that were lost because a worker failed or none could be started.
  package var lost = 0
  /// The number of failures for each `WorkerFailure.code`.
  package var failures: [String: Int] = [:]

  package init() {}

  package mutating func count(_ failure: WorkerFailure) {
    switch failure {
    case .hung: hangs += 1
    case .crashed, .malformedAnswer: crashes += 1
    case .cannotStart, .tooLarge, .interrupted: break
    }
    lost += 1
    failures[failure.code, default: 0] += 1
  }
}

/// Counts the workers and their failures. Thread-safe.
package final class WorkerMonitor: Sendable {
  private let counted = Monitor(WorkerCounts())
  private let onFailure: @Sendable (WorkerFailure) -> Void

  /// Creates a monitor that calls `onFailure` with each failure, on the thread that used the worker.
  package init(onFailure: @escaping @Sendable (WorkerFailure) -> Void) { self.onFailure = onFailure }

  package var figures: WorkerCounts { counted.withLock { $0 } }

  package func count(_ body: (inout WorkerCounts) -> Void) { counted.withLock { body(&$0) } }

  package func report(_ failure: WorkerFailure) {
    count { $0.count(failure) }
    onFailure(failure)
  }
}
