import Glibc
import Synchronization
import WaymarkSystem

/// Writes lines to a descriptor on a thread of its own: whoever logs never waits for whoever reads the log.
///
/// Lines that nobody takes are kept up to a bound, then left out; their number is told as soon as somebody reads again.
package final class LogWriter: Sendable {
  /// Standard error.
  package static let standardError = LogWriter(STDERR_FILENO)

  private struct State {
    var waiting: [[UInt8]] = []
    var bytes = 0
    var missing = 0
    var isWriting = false
    var hasThread = false
  }

  private let state = Mutex(State())
  /// Wakes the thread: one for each time that there is something again.
  private let wake: Semaphore
  private let descriptor: CInt
  private let limit: Int

  /// A writer to `descriptor`, which stays its owner's.
  ///
  /// - Parameter limit: bytes that may wait.
  package init(_ descriptor: CInt, limit: Int = 256 << 10) {
    self.descriptor = descriptor
    self.limit = limit
    wake = Semaphore()
  }

  /// `sem_t` at an address that stays. `@unchecked`: semaphores are made for several threads.
  private final class Semaphore: @unchecked Sendable {
    private let value = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(value, 0, 0) }

    deinit {
      sem_destroy(value)
      value.deallocate()
    }

    func post() { sem_post(value) }

    func wait() { while sem_wait(value) != 0, errno == EINTR {} }
  }

  /// Hands a line over, with its line feed. Never waits.
  package func write(_ line: [UInt8]) {
    let (isNews, needsThread) = state.withLock { state -> (Bool, Bool) in
      guard state.bytes + line.count <= limit else {
        state.missing += 1
        return (false, false)
      }
      state.waiting.append(line)
      state.bytes += line.count
      defer { state.hasThread = true }
      return (state.waiting.count == 1, !state.hasThread)
    }
    if needsThread { start() }
    if isNews { wake.post() }
  }

  private func start() {
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    let writer = Unmanaged.passRetained(self)
    let result = pthread_create(
      &thread, &attributes,
      {
        guard let context = $0 else { return nil }
        Unmanaged<LogWriter>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, writer.toOpaque())
    pthread_attr_destroy(&attributes)
    guard result != 0 else { return }
    // Without a thread (none can be had now) the next line tries again.
    writer.release()
    state.withLock { $0.hasThread = false }
  }

  private func run() {
    while true {
      wake.wait()
      while true {
        let (lines, missing) = state.withLock { state -> ([[UInt8]], Int) in
          defer { (state.waiting, state.bytes, state.missing) = ([], 0, 0) }
          state.isWriting = !state.waiting.isEmpty
          return (state.waiting, state.missing)
        }
        guard !lines.isEmpty else { break }
        for line in lines { Self.writeAll(line, to: descriptor) }
        if missing > 0 {
          Self.writeAll(Array("\(missing) lines of this log were left out: nobody read it\n".utf8), to: descriptor)
        }
      }
    }
  }

  private static func writeAll(_ line: [UInt8], to descriptor: CInt) {
    var done = 0
    while done < line.count {
      let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, line.count - done) }
      if count > 0 {
        done += count
      } else if count < 0, errno == EAGAIN {
        // Somebody else made it so that it does not wait.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }

  /// Waits until everything is written, `seconds` at most: before the process ends.
  package func flush(within seconds: Double) {
    let end = MonotonicClock.now + seconds
    while state.withLock({ $0.isWriting || !$0.waiting.isEmpty }), MonotonicClock.now < end { usleep(1000) }
  }
}
