/// Runs jobs one after another, in the order in which they came, on a thread of its own that starts with the first.
///
/// A job that the queue is released in is the last one; jobs behind it are dropped.
package final class WorkQueue: Sendable {
  private struct State: Sendable {
    var jobs: [@Sendable () -> Void] = []
    var isEnding = false
  }

  private let state = Monitor(State())
  private let thread: WorkerThread

  /// - Parameter name: the thread's; the kernel shows the first 15 bytes.
  package init(name: String) { thread = WorkerThread(name: name) }

  deinit {
    state.update { $0.isEnding = true }
    thread.stop()
  }

  /// Has a job run; returns at once.
  package func add(_ job: @escaping @Sendable () -> Void) {
    state.update { $0.jobs.append(job) }
    // It has no effect once the thread runs; where none could be had, the next job tries again.
    let state = state
    thread.start { _ in
      while let job = Self.next(state) { job() }
    }
  }

  private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
    let job: (@Sendable () -> Void)?? = state.wait { state -> (@Sendable () -> Void)?? in
      if state.isEnding { return .some(nil) }
      return state.jobs.isEmpty ? nil : .some(state.jobs.removeFirst())
    }
    return job ?? nil
  }

  /// Runs a job and waits for its result without blocking a thread.
  package func run<Value: Sendable, Failure: Error>(
    _ job: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      add { continuation.resume(returning: Result { () throws(Failure) in try job() }) }
    }
    return try result.get()
  }
}
