import Glibc
import WaymarkSystem

/// Writes lines to a descriptor on its own thread, so that logging never waits for the reader of the log.
///
/// If the reader is too slow, lines are buffered up to a limit and then dropped; the number of dropped lines is
/// written afterwards.
package final class LogWriter: Sendable {
  package static let standardError = LogWriter(STDERR_FILENO)

  private struct State {
    var waiting: [[UInt8]] = []
    var bytes = 0
    var missing = 0
    var isWriting = false
  }

  private let state = Monitor(State())
  /// The writing thread, which runs as long as the process.
  private let thread = WorkerThread(name: "wm-log")
  private let descriptor: CInt
  private let limit: Int

  /// Creates a writer to `descriptor`, which it does not close.
  ///
  /// - Parameter limit: the maximum buffered bytes.
  package init(_ descriptor: CInt, limit: Int = 256 << 10) {
    self.descriptor = descriptor
    self.limit = limit
  }

  /// Adds a line, which ends with a line feed, to the buffer without waiting.
  package func write(_ line: [UInt8]) {
    let isNew = state.update { state -> Bool in
      guard state.bytes + line.count <= limit else {
        state.missing += 1
        return false
      }
      state.waiting.append(line)
      state.bytes += line.count
      return state.waiting.count == 1
    }
    // `start` has no effect if the thread is running. If it could not be created, the next line tries again.
    if isNew { thread.start { [self] _ in run() } }
  }

  private func run() {
    while true {
      let batch = state.wait { state -> (lines: [[UInt8]], missing: Int)? in
        state.isWriting = !state.waiting.isEmpty
        guard state.isWriting else { return nil }
        defer { (state.waiting, state.bytes, state.missing) = ([], 0, 0) }
        return (state.waiting, state.missing)
      }
      guard let batch else { return }
      for line in batch.lines { Self.writeAll(line, to: descriptor) }
      if batch.missing > 0 {
        Self.writeAll(Array("\(batch.missing) log lines were dropped: the reader was too slow\n".utf8), to: descriptor)
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
        // Another process that shares the descriptor has set O_NONBLOCK.
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&ready, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }

  /// Waits, before the process ends, until all lines are written, for `seconds` at most.
  ///
  /// - Returns: whether all lines are written.
  @discardableResult package func flush(within seconds: Double) -> Bool {
    let end = MonotonicClock.now + seconds
    while state.withLock({ $0.isWriting || !$0.waiting.isEmpty }) {
      guard MonotonicClock.now < end else { return false }
      usleep(1000)
    }
    return true
  }
}
