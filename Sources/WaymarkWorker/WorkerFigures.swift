/// What workers have done since the service was started.
package struct WorkerFigures: Sendable, Equatable {
  /// Workers that were started.
  package var starts = 0
  /// Workers that ended by themselves, or sent malformed answers.
  package var crashes = 0
  /// Workers that were ended because they did not answer.
  package var hangs = 0
  /// Frames and pictures that were lost with one, or while none was to be had.
  package var lost = 0
  /// What it was that lost them, by `WorkerFailure.code`.
  package var failures: [String: Int] = [:]

  package init() {}

  mutating func count(_ failure: WorkerFailure) {
    switch failure {
    case .hung: hangs += 1
    case .crashed, .malformedAnswer: crashes += 1
    case .cannotStart, .tooLarge, .interrupted: break
    }
    lost += 1
    failures[failure.code, default: 0] += 1
  }
}
