import Synchronization
import WaymarkImage
package import WaymarkSystem

/// A worker that is kept for many pictures. It starts at the first use, and restarts after a failure, with a pause that grows with
/// repeated failures. Not thread-safe. `WorkerSupervisor` below decides when the worker starts, and `IdleWorker` ends it when it is
/// not used.
package final class PersistentWorker: RestartableProcess {
  private let launcher: WorkerLauncher
  private let ledger: WorkerMonitor
  private let now: @Sendable () -> Double
  private var supervisor = WorkerSupervisor()
  private var worker: WorkerProcess?
  private var isReady = false
  /// The last failure; nil before the first one.
  package private(set) var lastFailure: WorkerFailure?

  /// Creates a worker that starts at its first use.
  ///
  /// - Parameter now: returns the time in seconds, which determines the pauses after failures.
  package init(
    _ launcher: WorkerLauncher, _ ledger: WorkerMonitor, now: @escaping @Sendable () -> Double = { MonotonicClock.now }
  ) {
    self.launcher = launcher
    self.ledger = ledger
    self.now = now
  }

  package var process: Int32? {
    switch worker {
    case nil: nil
    case .some(let worker): worker.process
    }
  }

  /// Starts the worker if it is not running, without waiting until it is ready. Reports no failure; the next `use` tries again.
  package func prepare() {
    guard process == nil, supervisor.handle(.wanted, at: now()) == .start else { return }
    do throws(WorkerFailure) {
      try start()
    } catch {
      _ = supervisor.handle(.failed, at: now())
    }
  }

  /// Ends the worker until the next use.
  package func end() {
    guard process != nil else { return }
    worker = nil
    _ = supervisor.handle(.ended, at: now())
  }

  private func start() throws(WorkerFailure) {
    isReady = false
    worker = try launcher.spawn()
  }

  /// Starts the worker if needed, and calls `body` with it. Returns nil if the worker fails, or during the pause after a failure.
  ///
  /// - Parameter stop: ends the wait for the worker, and the worker itself, without counting a failure.
  package func use<T>(
    until stop: StopSignal? = nil, _ body: (borrowing WorkerProcess) throws(WorkerFailure) -> T
  ) -> T? {
    do throws(WorkerFailure) {
      switch supervisor.handle(.wanted, at: now()) {
      case .start: try start()
      case .rest:
        ledger.count { $0.lost += 1 }
        return nil
      case .use, nil: break
      }
      let value = try work(stop, body)
      _ = supervisor.handle(.answered, at: now())
      return value
    } catch {
      fail(error)
      return nil
    }
  }

  private func fail(_ failure: WorkerFailure) {
    lastFailure = failure
    if failure != .tooLarge {
      worker = nil
      _ = supervisor.handle(failure == .interrupted ? .ended : .failed, at: now())
    }
    if failure != .interrupted { ledger.report(failure) }
  }

  private func work<T>(
    _ stop: StopSignal?, _ body: (borrowing WorkerProcess) throws(WorkerFailure) -> T
  ) throws(WorkerFailure) -> T {
    switch worker {
    case nil: throw .crashed(signal: nil)
    case .some(let worker):
      if !isReady {
        try worker.waitUntilReady(within: launcher.startLimit, or: stop)
        isReady = true
        ledger.count { $0.starts += 1 }
      }
      return try body(worker)
    }
  }
}

// MARK: - Decisions

/// Decides when a worker is started, used, or pauses after a failure. A state machine without clock and processes.
package struct WorkerSupervisor: Equatable {
  package enum Input: Equatable {
    /// The caller needs the worker.
    case wanted
    case answered
    /// The worker did not start, crashed, hung or sent a malformed answer, and its process has ended.
    case failed
    /// The caller ended the worker because it no longer needs it.
    case ended
  }

  package enum Decision: Equatable {
    case start
    case use
    /// Drop the work: the pause after a failure is not over.
    case rest
  }

  private(set) var isRunning = false
  /// The pauses after failures: none after the first failure, then 0.1 s, 0.2 s … 2 s. Pictures that crash workers then do not
  /// occupy the processor, and recovery is fast.
  private var backoff = Backoff(first: 0.1, longest: 2)
  private var hasFailed = false
  private var failedAt = 0.0
  private var restsUntil = 0.0

  /// After this many seconds without a failure, the next failure counts as the first again.
  private static let memory = 10.0

  /// Processes an input at the time `now`, in seconds.
  ///
  /// - Returns: the decision for the input `wanted`; nil for other inputs.
  package mutating func handle(_ input: Input, at now: Double) -> Decision? {
    switch input {
    case .wanted:
      if isRunning { return .use }
      if now < restsUntil { return .rest }
      isRunning = true
      return .start
    case .answered:
      if now - failedAt > Self.memory { hasFailed = false }
      return nil
    case .ended:
      isRunning = false
      return nil
    case .failed:
      isRunning = false
      let isFirst = !hasFailed || now - failedAt > Self.memory
      if isFirst { backoff.reset() }
      // A single worker needs no jitter.
      restsUntil = isFirst ? now : now + backoff.next(chance: 1)
      (hasFailed, failedAt) = (true, now)
      return nil
    }
  }
}

// MARK: - Workers that end when idle

/// A process that can be ended at any time and restarts on the next use.
package protocol RestartableProcess: AnyObject {
  var process: Int32? { get }
  func end()
}

/// A worker that is ended after `idleTime` seconds without use. Thread-safe; uses wait for each other.
package final class IdleWorker<Worker: RestartableProcess>: Sendable {
  private struct State: ~Copyable {
    package let worker: Worker
    package var used = 0.0
  }

  private let state: Mutex<State>
  /// The seconds that the process is kept after its last use.
  private let idleTime: Double

  package init(_ worker: sending Worker, idleTime: Double) {
    state = Mutex(State(worker: worker))
    self.idleTime = idleTime
  }

  /// Calls `body` with the worker. Blocks while another use lasts.
  package func use<Value: Sendable>(now: Double, _ body: @Sendable (Worker) throws -> Value) rethrows -> Value {
    try state.withLock { state in
      state.used = now
      return try body(state.worker)
    }
  }

  /// Ends the process if it was not used for `idleTime` seconds.
  ///
  /// - Returns: the seconds after which to call again; nil if no process is running.
  package func rest(now: Double) -> Double? {
    let left: Double?? = state.withLockIfAvailable { state -> Double? in
      guard state.worker.process != nil else { return nil }
      let left = state.used + idleTime - now
      if left > 0 { return left }
      state.worker.end()
      return nil
    }
    // The lock is held while the worker is in use.
    return left ?? idleTime
  }

  package func end() { state.withLock { $0.worker.end() } }

  /// The id of the running process; nil without a process, and while the worker is in use.
  package var process: Int32? { state.withLockIfAvailable { $0.worker.process } ?? nil }
}
