import Glibc
import Synchronization

/// A named thread that can be asked to end. Work that waits in system calls needs such a thread, because it must not run on the
/// cooperative pool of tasks.
///
/// The file also has `StopSignal` and `WakePipe`, which wake a thread in `poll`, `WorkQueue` and `OrderedTasks`, which run jobs,
/// and `Monitor`, a shared value.
package final class WorkerThread: Sendable {
  private struct Run: Sendable {
    let thread: pthread_t
    let stop: StopSignal
  }

  private let name: String
  private let current = Mutex<Run?>(nil)

  /// Creates a thread that does not run yet. The kernel shows the first 15 bytes of `name`.
  package init(name: String) {
    self.name = name
  }

  deinit {
    stop()
    // If the thread itself released the last reference to this object, it cannot join itself.
    current.withLock { run in
      if let run { pthread_detach(run.thread) }
    }
  }

  /// Runs `body` on a new thread. Has no effect while a thread is running.
  package func start(_ body: @escaping @Sendable (StopSignal) -> Void) {
    current.withLock { run in
      if let ended = run, ended.stop.isOver {
        pthread_join(ended.thread, nil)
        run = nil
      }
      guard run == nil else { return }
      let stop = StopSignal()
      let name = self.name
      run = spawn {
        nameThisThread(name)
        body(stop)
        stop.markOver()
      }.map { Run(thread: $0, stop: stop) }
    }
  }

  /// Asks the thread to end and waits for this. When called on the thread itself, does not wait.
  package func stop() {
    let ending = current.withLock { run -> Run? in
      guard let running = run else { return nil }
      running.stop.raise()
      if pthread_equal(running.thread, pthread_self()) != 0 { return nil }
      run = nil
      return running
    }
    if let ending { pthread_join(ending.thread, nil) }
  }

  /// True if the thread has been started and has not ended.
  package var isRunning: Bool { current.withLock { $0.map { !$0.stop.isOver } ?? false } }
}

/// Sets the thread's name in `ps -L` and `top -H`, like `pthread_setname_np`, which Swift does not import.
private func nameThisThread(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  let bytes = Array(name.utf8.prefix(15))
  _ = write(descriptor, bytes, bytes.count)
  close(descriptor)
}

/// Starts a thread; returns nil if pthread_create(3) fails.
private func spawn(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
  final class ThreadBody: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  // The threads run zbar and the matcher, which do not need the default stack of 8 MB.
  pthread_attr_setstacksize(&attributes, 2 << 20)
  var thread = pthread_t()
  // The thread releases the reference.
  let box = Unmanaged.passRetained(ThreadBody(body))
  let result = pthread_create(
    &thread, &attributes,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  guard result == 0 else {
    box.release()
    return nil
  }
  return thread
}

// MARK: - Waking and ending a thread

/// Asks a thread to end, even while it waits in `poll`: a flag, and a pipe that stays readable once the signal is raised.
package final class StopSignal: Sendable {
  private let pipe = WakePipe()
  private let raised = Atomic<Bool>(false)
  private let over = Atomic<Bool>(false)

  /// Creates a signal that is not raised.
  package init() {}

  /// True if the thread is asked to end.
  package var isRaised: Bool { raised.load(ordering: .acquiring) }

  /// Asks the thread to end.
  package func raise() {
    raised.store(true, ordering: .releasing)
    pipe.wake()
  }

  /// The result of a wait.
  package enum Wake: Equatable, Sendable {
    case stopped
    case timedOut
    /// The descriptor is ready: the bits of `poll`'s `revents`.
    case ready(Int16)
  }

  /// Waits until the signal is raised, `fd` (if any) is ready, or the time has passed.
  ///
  /// - Parameter seconds: nil waits without limit.
  package func wait(for fd: CInt = -1, events: Int16 = Int16(POLLIN), seconds: Double?) -> Wake {
    let deadline = seconds.map { MonotonicClock.now + $0 }
    while true {
      if isRaised { return .stopped }
      var fds = (
        pollfd(fd: pipe.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: fd, events: events, revents: 0)
      )
      // Without a pipe, a wait without limit checks the flag every second.
      let left = deadline.map { max(0, $0 - MonotonicClock.now) } ?? (pipe.descriptor < 0 ? 1 : nil)
      let result = withUnsafeMutablePointer(to: &fds) { pointer in
        pointer.withMemoryRebound(to: pollfd.self, capacity: 2) { both -> CInt in
          // The time is rounded up to whole milliseconds: at most one millisecond late, never early.
          poll(both, 2, left.map { CInt(min(($0 * 1000).rounded(.up), 1e9)) } ?? -1)
        }
      }
      if fds.0.revents != 0 { return .stopped }
      if result > 0, fds.1.revents != 0 { return .ready(fds.1.revents) }
      if let deadline, MonotonicClock.now >= deadline { return .timedOut }
      // The wait was interrupted or ended early, so it is repeated.
    }
  }

  /// True if the thread has ended.
  package var isOver: Bool { over.load(ordering: .acquiring) }

  /// Called by the thread at its end.
  func markOver() { over.store(true, ordering: .releasing) }
}

/// Wakes a thread that waits in `poll`: a pipe that is readable from `wake` until `drain`.
package final class WakePipe: Sendable {
  /// The end of the pipe to pass to `poll`; -1, which `poll` ignores, if pipe(2) failed.
  package let descriptor: CInt
  private let writer: CInt

  package init() {
    var ends: [CInt] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    descriptor = ends[0]
    writer = ends[1]
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    close(writer)
  }

  /// Makes the pipe readable.
  package func wake() {
    var one: UInt8 = 1
    _ = write(writer, &one, 1)
  }

  /// Empties the pipe.
  package func drain() {
    var bytes = [UInt8](repeating: 0, count: 1024)
    while read(descriptor, &bytes, bytes.count) == bytes.count {}
  }
}

/// Runs jobs one after another on its own thread.
///
/// Jobs that wait when the queue is released are dropped.
package final class WorkQueue: Sendable {
  private struct State: Sendable {
    var jobs: [@Sendable () -> Void] = []
    var isEnding = false
  }

  private let state = Monitor(State())
  private let thread: WorkerThread

  /// - Parameter name: the name of the thread; the kernel shows the first 15 bytes.
  package init(name: String) { thread = WorkerThread(name: name) }

  deinit {
    state.update { $0.isEnding = true }
    thread.stop()
  }

  /// Adds a job; returns at once.
  package func add(_ job: @escaping @Sendable () -> Void) {
    state.update { $0.jobs.append(job) }
    // Has no effect while the thread runs; if it could not be started, the next job tries again.
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

// MARK: - Jobs

/// Processes the items of a list on several threads and delivers the results in the list's order, on the caller's thread.
package enum OrderedTasks {
  /// The state that the threads share.
  private struct Board<Result: Sendable>: Sendable {
    var next = 0
    /// The number of results delivered.
    var delivered = 0
    var results: [Int: Result] = [:]
    var isCancelled = false

    /// Takes the index of the next item; `.some(nil)` if there are no more; `nil` while too many results wait for an earlier result,
    /// which bounds the memory.
    mutating func take(of count: Int, ahead: Int) -> Int?? {
      guard !isCancelled, next < count else { return .some(nil) }
      guard next < delivered + ahead else { return nil }
      defer { next += 1 }
      return next
    }
  }

  /// Processes `items` on at most `jobs` threads.
  ///
  /// - Parameters:
  ///   - worker: called once on each thread; returns the function that processes the items on it.
  ///   - deliver: called with each result in order; returns false to stop.
  package static func run<Item: Sendable, Result: Sendable>(
    _ items: [Item], jobs: Int, worker: @escaping @Sendable () -> (Item) -> Result,
    deliver: (Result) throws -> Bool
  ) rethrows {
    let board = Monitor(Board<Result>())
    let ahead = 4 * max(1, jobs)
    // Stopping the threads waits for their current items.
    let threads = (0..<max(1, min(jobs, items.count))).map { WorkerThread(name: "wm-task-\($0)") }
    defer {
      board.update { $0.isCancelled = true }
      for thread in threads { thread.stop() }
    }
    for thread in threads {
      thread.start { _ in
        let work = worker()
        while case .some(.some(let index)) = board.wait(for: { $0.take(of: items.count, ahead: ahead) }) {
          let result = work(items[index])
          board.update { $0.results[index] = result }
        }
      }
    }
    for index in items.indices {
      guard let result = board.wait(for: { $0.results.removeValue(forKey: index) }) else { return }
      board.update { $0.delivered = index + 1 }
      guard try deliver(result) else { return }
    }
  }
}

// MARK: - Shared values

/// A value shared by threads. A thread can wait until the value changes.
///
/// `@unchecked` because the value is accessed only with the mutex locked, and both pthread objects have a fixed
/// address from `init` to `deinit`.
package final class Monitor<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Creates a monitor of a value.
  package init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Deadlines use the monotonic clock, because the wall clock may be set.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Calls `body` with the lock held; wakes no thread.
  package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Calls `body` with the lock held, and wakes all waiting threads.
  package func update<R>(_ body: (inout Value) -> R) -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }

  /// Calls `body` with the lock held, and wakes all waiting threads if it returns true.
  package func signal(_ body: (inout Value) -> Bool) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if body(&value) { pthread_cond_broadcast(condition) }
  }

  /// Waits until `body` returns a value; returns nil once `deadline` (seconds of CLOCK_MONOTONIC) has passed.
  package func wait<R>(until deadline: Double? = nil, for body: (inout Value) -> R?) -> R? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      if MonotonicClock.now >= deadline { return nil }
      var time = timespec(
        tv_sec: Int(deadline), tv_nsec: Int((deadline - deadline.rounded(.down)) * 1e9))
      pthread_cond_timedwait(condition, mutex, &time)
    }
  }
}
