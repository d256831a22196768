import WaymarkSystem

/// Why a source is not to be had, and how it is to be tried again.
package struct SourceFault: Error, Sendable, Equatable {
  /// The error to report.
  package var problem: SourceError
  /// The longest wait between two attempts, in seconds.
  package var longestPause: Double
  /// True if it stays open meanwhile.
  var leavesOpen: Bool
  /// True if there will be no further attempt.
  var isFinal: Bool
  /// The problems after which this one is not reported.
  package var follows: Predecessors

  /// Problems after which another one is not reported.
  package enum Predecessors: Sendable, Equatable {
    /// None but the same.
    case itself
    /// An unplugged camera is absent when it is looked for again.
    case problem(SourceErrorCode)
    /// A broken stream has ended as well.
    case any
  }

  /// A fault.
  package init(
    _ problem: SourceError, longestPause: Double, leavesOpen: Bool = false, isFinal: Bool = false,
    follows: Predecessors = .itself
  ) {
    self.problem = problem
    self.longestPause = longestPause
    self.leavesOpen = leavesOpen
    self.isFinal = isFinal
    self.follows = follows
  }

  func isNews(after told: SourceError?) -> Bool {
    guard let told, told != problem else { return told == nil }
    return switch follows {
    case .itself: true
    case .problem(let code): told.code != code
    case .any: false
    }
  }
}
