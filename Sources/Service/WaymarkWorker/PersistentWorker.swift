import WaymarkImage
package import WaymarkSystem

/// A worker that stays from one picture to the next: started when it is needed, again when it failed, and not too often then. One
/// thread.
package final class PersistentWorker: RestartableProcess {
  private let launcher: WorkerLauncher
  private let ledger: WorkerMonitor
  private let now: @Sendable () -> Double
  private var supervisor = WorkerSupervisor()
  private var worker: WorkerProcess?
  private var isReady = false
  /// Why the last thing that was lost was lost.
  package private(set) var lastFailure: WorkerFailure?

  /// - Parameter now: the clock that rests are measured by, in seconds.
  package init(
    _ launcher: WorkerLauncher, _ ledger: WorkerMonitor, now: @escaping @Sendable () -> Double = { MonotonicClock.now }
  ) {
    self.launcher = launcher
    self.ledger = ledger
    self.now = now
  }

  /// The process that works now.
  package var process: Int32? {
    switch worker {
    case nil: nil
    case .some(let worker): worker.process
    }
  }

  /// Starts it, unless it runs, without waiting until it is ready. What is in the way of that is told when there is something to do.
  package func prepare() {
    guard process == nil, supervisor.handle(.wanted, at: now()) == .start else { return }
    do throws(WorkerFailure) {
      try start()
    } catch {
      _ = supervisor.handle(.failed, at: now())
    }
  }

  /// Ends it until there is something to do again.
  package func end() {
    guard process != nil else { return }
    worker = nil
    _ = supervisor.handle(.ended, at: now())
  }

  private func start() throws(WorkerFailure) {
    isReady = false
    worker = try launcher.spawn()
  }

  /// Lets the worker do something; nil when what there was to do was lost with it, or while there is none.
  ///
  /// - Parameter stop: gives up when raised, which costs the worker but counts as no failure.
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

/// When a worker is started, used, or left alone for a while. A value without clock and processes.
package struct WorkerSupervisor: Equatable {
  /// An input.
  package enum Input: Equatable {
    /// There is something to do.
    case wanted
    /// It answered.
    case answered
    /// It could not be started, crashed, hung or sent a malformed answer; it is gone.
    case failed
    /// It was ended because nothing more is wanted of it.
    case ended
  }

  /// The decision about an input.
  package enum Decision: Equatable {
    case start
    case use
    /// Too soon after too many failures: what there was to do is lost.
    case rest
  }

  private(set) var isRunning = false
  /// The first failure costs no rest, the following ones more and more: 0.1 s, 0.2 s … 2 s. Whoever shows a picture that ends workers
  /// does not get the processor for it, and nobody waits long after it is gone.
  private var backoff = Backoff(first: 0.1, longest: 2)
  private var hasFailed = false
  private var failedAt = 0.0
  private var restsUntil = 0.0

  /// After that long without a failure all is forgotten, in seconds.
  private static let memory = 10.0

  /// - Parameter now: in seconds.
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
      // One worker has nobody to avoid: its waits are not spread.
      restsUntil = isFirst ? now : now + backoff.next(chance: 1)
      (hasFailed, failedAt) = (true, now)
      return nil
    }
  }
}
