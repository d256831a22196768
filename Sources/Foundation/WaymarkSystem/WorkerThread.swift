import Glibc
import Synchronization

/// A named thread with an end that can be asked for.
///
/// Frames are moved by plain threads, not by tasks: they wait in system calls, and must not do so on the cooperative pool.
package final class WorkerThread: Sendable {
  private struct Run: Sendable {
    let thread: pthread_t
    let stop: StopSignal
  }

  private let name: String
  private let current = Mutex<Run?>(nil)

  /// A thread that does not run yet. The kernel shows the first 15 bytes of `name`.
  package init(name: String) {
    self.name = name
  }

  deinit {
    stop()
    // Only a thread that released its own owner is still here: nobody will join it.
    current.withLock { run in
      if let run { pthread_detach(run.thread) }
    }
  }

  /// Runs `body` on a new thread; no effect while one is running.
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

  /// Asks the thread to end and waits until it has; from the thread itself it only asks.
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

  /// True if the thread has been started and has not come to its end.
  package var isRunning: Bool { current.withLock { $0.map { !$0.stop.isOver } ?? false } }
}

/// Shows `name` in `ps -L` and `top -H`. (`pthread_setname_np` is not imported; this is what it does.)
private func nameThisThread(_ name: String) {
  let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  let bytes = Array(name.utf8.prefix(15))
  _ = write(descriptor, bytes, bytes.count)
  close(descriptor)
}

/// Starts a thread; nil when the system gives none.
private func spawn(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
  final class ThreadBody: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  // Lanes run zbar and the matcher, neither of which needs the default 8 MB.
  pthread_attr_setstacksize(&attributes, 2 << 20)
  var thread = pthread_t()
  // The thread takes the reference over and drops it after the body.
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
