import Dispatch
import Glibc
import Synchronization

// A program and its process: the signals that end it, its limit of open files, its memory and processor time, and its lines in the journal.

/// The signals that ask a program to end.
package enum EndSignals {
  /// The signal sources, retained for the lifetime of the program because a released source receives nothing.
  private static let sources = Mutex<[any DispatchSourceSignal]>([])

  /// Returns a stream of received signals. From now on, these do not end the program by themselves.
  package static func received(_ numbers: [CInt]) -> AsyncStream<CInt> {
    let (signals, continuation) = AsyncStream.makeStream(of: CInt.self)
    sources.withLock { sources in
      for number in numbers {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { continuation.yield(number) }
        source.resume()
        sources.append(source)
      }
    }
    return signals
  }

  /// Waits for SIGTERM or SIGINT. From now on, these do not end the program by themselves.
  package static func requested() async {
    for await _ in received([SIGTERM, SIGINT]) { break }
  }

  /// Makes a write to a closed connection fail with EPIPE instead of a signal.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}

// MARK: - Resources

/// The limit of open file descriptors of this process (getrlimit(2)).
package enum OpenFileLimit {
  /// Returns whether more than `count` descriptors are free, assuming that every number above the lowest free number is free; true
  /// if the limit is unknown.
  package static func hasRoom(for count: Int) -> Bool {
    let lowest = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard lowest >= 0 else { return errno != EMFILE && errno != ENFILE }
    close(lowest)
    return current.map { Int(lowest) + count < Int(clamping: $0.rlim_cur) } ?? true
  }

  /// Raises the limit to `least` where it is lower.
  ///
  /// - Returns: the limit in effect if it is still below `least`, otherwise nil.
  package static func shortage(below least: Int) -> Int? {
    guard var limit = current, limit.rlim_cur < least else { return nil }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(least))
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return current.flatMap { $0.rlim_cur < least ? Int(clamping: $0.rlim_cur) : nil }
  }

  private static var current: rlimit? {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
  }
}

/// The memory and the processor time that this process uses.
package enum ProcessUsage {
  /// Resident memory in bytes.
  package static var memory: Int {
    guard let text = try? WholeFile.read("/proc/self/statm", limit: 4096) else { return 0 }
    let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(CInt(_SC_PAGESIZE)))
  }

  /// Processor time of all threads, in seconds.
  package static var processorTime: Double { ProcessorClock.process }
}

// MARK: - Log

/// Writes lines for the journal or a terminal. Callers pass no payloads of events.
package enum JournalLog {
  /// The levels of syslog(3).
  package enum Level: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  private static let isJournal = getenv("JOURNAL_STREAM") != nil

  /// Writes a line to the standard error.
  package static func write(_ level: Level, _ text: String) {
    // Untrusted text must not control a terminal.
    let shown = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
    let line = isJournal ? "<\(level.rawValue)>\(shown)\n" : "\(WallClock.timestamp) \(shown)\n"
    _ = DurableFile.writeAll(STDERR_FILENO, Array(line.utf8))
  }
}
