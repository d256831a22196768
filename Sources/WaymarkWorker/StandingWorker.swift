import WaymarkImage
import WaymarkSystem

/// A worker that stays from one picture to the next: started when it is needed, anew when it failed, and not too often then. One
/// thread.
final class StandingWorker {
  private let launcher: WorkerLauncher
  private let ledger: WorkerLedger
  private var supervisor = WorkerSupervisor()
  private var worker: WorkerProcess?
  private var isReady = false
  /// Why the last thing that was lost was lost.
  private(set) var lastFailure: WorkerFailure?

  init(_ launcher: WorkerLauncher, _ ledger: WorkerLedger) {
    self.launcher = launcher
    self.ledger = ledger
  }

  /// The process that works now.
  var process: Int32? {
    switch worker {
    case nil: nil
    case .some(let worker): worker.process
    }
  }

  /// Starts it, unless it runs, without waiting until it is ready. What is in the way of that is told when there is something to do.
  func prepare() {
    guard process == nil, supervisor.handle(.wanted, at: MonotonicClock.now) == .start else { return }
    do throws(WorkerFailure) {
      try start()
    } catch {
      _ = supervisor.handle(.failed, at: MonotonicClock.now)
    }
  }

  /// Ends it until there is something to do again.
  func end() {
    guard process != nil else { return }
    worker = nil
    _ = supervisor.handle(.ended, at: MonotonicClock.now)
  }

  private func start() throws(WorkerFailure) {
    isReady = false
    worker = try launcher.spawn()
  }

  /// Lets the worker do something; nil when what there was to do was lost with it, or while there is none.
  ///
  /// - Parameter stop: gives up when raised, which costs the worker but counts as no failure.
  func use<T>(
    until stop: StopSignal? = nil, _ body: (borrowing WorkerProcess) throws(WorkerFailure) -> T
  ) -> T? {
    do throws(WorkerFailure) {
      switch supervisor.handle(.wanted, at: MonotonicClock.now) {
      case .start: try start()
      case .rest:
        ledger.count { $0.lost += 1 }
        return nil
      case .use, nil: break
      }
      let value = try work(stop, body)
      _ = supervisor.handle(.answered, at: MonotonicClock.now)
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
      _ = supervisor.handle(failure == .interrupted ? .ended : .failed, at: MonotonicClock.now)
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
        try worker.waitUntilReady(or: stop)
        isReady = true
        ledger.count { $0.starts += 1 }
      }
      return try body(worker)
    }
  }
}
