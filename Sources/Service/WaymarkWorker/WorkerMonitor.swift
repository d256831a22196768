import WaymarkSystem

/// Why a worker gave no answer.
package enum WorkerFailure: Error, Hashable, Sendable {
  /// It could not be started, or did not set up its sandbox.
  case cannotStart(reason: String)
  /// It ended by that signal, or of itself.
  case crashed(signal: Int32?)
  /// It did not answer in time.
  case hung
  /// Its answer does not follow the protocol.
  case malformedAnswer
  /// The picture is too large to be handed over.
  case tooLarge
  /// It was ended in the middle of its work, because nobody wants the result any more.
  case interrupted

  /// A stable camelCase word for programs.
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

  /// The message.
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

  /// The remedy.
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

/// The counts of workers since the service was started.
package struct WorkerCounts: Sendable, Equatable {
  /// Workers that were started.
  package var starts = 0
  /// Workers that ended by themselves, or sent malformed answers.
  package var crashes = 0
  /// Workers that were ended because they did not answer.
  package var hangs = 0
  /// Frames and pictures that were lost with one, or while none was to be had.
  package var lost = 0
  /// The reasons why they were lost, by `WorkerFailure.code`.
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

/// The counts of workers and their failures, from every thread that uses one.
package final class WorkerMonitor: Sendable {
  private let counted = Monitor(WorkerCounts())
  private let onFailure: @Sendable (WorkerFailure) -> Void

  /// - Parameter onFailure: hears of every worker that failed, on the thread that needed it.
  package init(onFailure: @escaping @Sendable (WorkerFailure) -> Void) { self.onFailure = onFailure }

  package var figures: WorkerCounts { counted.withLock { $0 } }

  package func count(_ body: (inout WorkerCounts) -> Void) { counted.withLock { body(&$0) } }

  package func report(_ failure: WorkerFailure) {
    count { $0.count(failure) }
    onFailure(failure)
  }
}
