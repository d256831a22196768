import Synchronization
import WaymarkSystem

/// One output with its own thread: nobody waits for a sound. While one is told the newest of what comes waits, the others are
/// skipped, so that a fast hand never hears yesterday's codes.
package final class FeedbackLane: Sendable {
  private struct State {
    var isBusy = false
    var next: Cue?
    /// The problem that was told last: once is enough.
    var told: FeedbackErrorCode?
  }

  private let queue: WorkQueue
  private let state = Mutex(State())
  private let cues: Set<Cue>
  private let tell: @Sendable (Cue) throws(FeedbackError) -> Void
  private let onProblem: @Sendable (FeedbackError) -> Void

  /// - Parameters:
  ///   - cues: what it is for.
  ///   - tell: tells a cue and returns when it was told.
  ///   - onProblem: called once for each kind of problem, until something was told again.
  package init(
    cues: Set<Cue>, label: String, tell: @escaping @Sendable (Cue) throws(FeedbackError) -> Void,
    onProblem: @escaping @Sendable (FeedbackError) -> Void
  ) {
    self.cues = cues
    self.tell = tell
    self.onProblem = onProblem
    queue = WorkQueue(name: label)
  }

  /// True if something is being told.
  package var isBusy: Bool { state.withLock { $0.isBusy } }

  /// Has it told; returns at once.
  package func push(_ cue: Cue) {
    guard cues.contains(cue) else { return }
    let begins = state.withLock { state in
      guard !state.isBusy else {
        state.next = cue
        return false
      }
      state.isBusy = true
      return true
    }
    if begins { queue.add { self.work(cue) } }
  }

  private func work(_ first: Cue) {
    var cue: Cue? = first
    while let current = cue {
      do throws(FeedbackError) {
        try tell(current)
        state.withLock { $0.told = nil }
      } catch {
        let isNews = state.withLock { state in
          defer { state.told = error.code }
          return state.told != error.code
        }
        if isNews { onProblem(error) }
      }
      cue = state.withLock { state in
        defer { state.next = nil }
        state.isBusy = state.next != nil
        return state.next
      }
    }
  }
}
