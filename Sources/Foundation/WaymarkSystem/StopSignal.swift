import Glibc
import Synchronization

/// Asks a thread to end, also while it waits in `poll`: a flag, and a pipe that stays readable once raised.
package final class StopSignal: Sendable {
  private let pipe = WakePipe()
  private let raised = Atomic<Bool>(false)
  private let over = Atomic<Bool>(false)

  /// A signal that is not raised.
  package init() {}

  /// True if the end was asked for.
  package var isRaised: Bool { raised.load(ordering: .acquiring) }

  /// Asks for the end.
  package func raise() {
    raised.store(true, ordering: .releasing)
    pipe.wake()
  }

  /// The result of a wait.
  package enum Wake: Equatable, Sendable {
    case stopped
    case timedOut
    /// The descriptor has something: the bits of `poll`'s `revents`.
    case ready(Int16)
  }

  /// Waits for the end, for `fd` (if any) or for the time to pass.
  ///
  /// - Parameter seconds: nil waits without limit.
  package func wait(for fd: CInt = -1, events: Int16 = Int16(POLLIN), seconds: Double?) -> Wake {
    let deadline = seconds.map { MonotonicClock.now + $0 }
    while true {
      if isRaised { return .stopped }
      var fds = (
        pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: fd, events: events, revents: 0)
      )
      // Should there be no pipe, look at the flag every second.
      let left = deadline.map { max(0, $0 - MonotonicClock.now) } ?? (pipe.descriptor < 0 ? 1 : nil)
      let result = withUnsafeMutablePointer(to: &fds) { pointer in
        pointer.withMemoryRebound(to: pollfd.self, capacity: 2) { both -> CInt in
          // Whole milliseconds, rounded up: never early, at most one late.
          poll(both, 2, left.map { CInt(min(($0 * 1000).rounded(.up), 1e9)) } ?? -1)
        }
      }
      if fds.0.revents != 0 { return .stopped }
      if result > 0, fds.1.revents != 0 { return .ready(fds.1.revents) }
      if let deadline, MonotonicClock.now >= deadline { return .timedOut }
      // Interrupted, or woken a little early: wait for the rest.
    }
  }

  /// True if the thread has come to its end.
  package var isOver: Bool { over.load(ordering: .acquiring) }

  /// Called by the thread as its last act.
  func markOver() { over.store(true, ordering: .releasing) }
}
