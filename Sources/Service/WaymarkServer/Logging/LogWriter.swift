import Glibc
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
  }

  private let state = Monitor(State())
  /// Runs for as long as the process does.
  private let thread = WorkerThread(name: "wm-log")
  private let descriptor: CInt
  private let limit: Int

  /// A writer to `descriptor`, which stays its owner's.
  ///
  /// - Parameter limit: bytes that may wait.
  package init(_ descriptor: CInt, limit: Int = 256 << 10) {
    self.descriptor = descriptor
    self.limit = limit
  }

  /// Hands a line over, with its line feed. Never waits.
  package func write(_ line: [UInt8]) {
    let isNews = state.update { state -> Bool in
      guard state.bytes + line.count <= limit else {
        state.missing += 1
        return false
      }
      state.waiting.append(line)
      state.bytes += line.count
      return state.waiting.count == 1
    }
    // It has no effect while the thread runs; where none could be had, the next line tries again.
    if isNews { thread.start { [self] _ in run() } }
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
        Self.writeAll(Array("\(batch.missing) lines of this log were left out: nobody read it\n".utf8), to: descriptor)
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
  ///
  /// - Returns: whether everything is.
  @discardableResult package func flush(within seconds: Double) -> Bool {
    let end = MonotonicClock.now + seconds
    while state.withLock({ $0.isWriting || !$0.waiting.isEmpty }) {
      guard MonotonicClock.now < end else { return false }
      usleep(1000)
    }
    return true
  }
}
