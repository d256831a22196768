import Synchronization

/// A process that can be ended at any time and starts again by itself with the next use.
package protocol RestartableProcess: AnyObject {
  /// The process that runs now.
  var process: Int32? { get }
  /// Ends the process.
  func end()
}

/// A worker that is ended when nobody used it for a while. From any thread, one use at a time.
package final class IdleWorker<Worker: RestartableProcess>: Sendable {
  private struct State: ~Copyable {
    package let worker: Worker
    package var used = 0.0
  }

  private let state: Mutex<State>
  /// Seconds after its last use for which the process stays.
  private let idleTime: Double

  package init(_ worker: sending Worker, idleTime: Double) {
    state = Mutex(State(worker: worker))
    self.idleTime = idleTime
  }

  /// Lends the worker. Blocks while another use lasts.
  ///
  /// - Parameter now: the time, in seconds.
  package func use<Value: Sendable>(now: Double, _ body: @Sendable (Worker) throws -> Value) rethrows -> Value {
    try state.withLock { state in
      state.used = now
      return try body(state.worker)
    }
  }

  /// Ends the process if it was not used for a while.
  ///
  /// - Returns: seconds after which it is to be looked at again; nil when none runs.
  package func rest(now: Double) -> Double? {
    let left: Double?? = state.withLockIfAvailable { state -> Double? in
      guard state.worker.process != nil else { return nil }
      let left = state.used + idleTime - now
      if left > 0 { return left }
      state.worker.end()
      return nil
    }
    // It is in use at this moment.
    return left ?? idleTime
  }

  /// Ends the process.
  package func end() { state.withLock { $0.worker.end() } }

  /// The process that runs now; nil also while it is in use.
  package var process: Int32? { state.withLockIfAvailable { $0.worker.process } ?? nil }
}
