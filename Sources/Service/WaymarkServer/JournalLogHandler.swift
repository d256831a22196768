import Glibc
package import Logging
import Synchronization
import WaymarkSystem

/// Writes each message as a line to standard error, with its priority for the journal, or with the time for a terminal.
///
/// Logging never blocks, and the rate of equal messages is limited.
///
/// The file has the whole log: its settings, the limit of equal messages (`LogRateLimiter`), the format (`LogLine`), and the
/// writing thread (`LogWriter`).
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:] {
    didSet { part = metadata[LogSubsystem.key].flatMap { LogSubsystem(rawValue: "\($0)") } }
  }
  private let label: String
  private let isJournal: Bool
  private var part: LogSubsystem?
  /// The settings of all loggers of the process, so that a reload also applies to existing loggers.
  private static let settings = Mutex(LogSettings())
  /// The rate limiter, shared by all loggers.
  private static let gate = Mutex(LogRateLimiter())
  /// The last lines of all loggers.
  private static let recent = Mutex(RecentLines())

  package init(label: String, isJournal: Bool) {
    self.label = label
    self.isJournal = isJournal
  }

  /// Sets the levels and the format of all loggers.
  package static func use(_ settings: LogSettings) { Self.settings.withLock { $0 = settings } }

  /// Returns the last lines of all loggers, as for a terminal, oldest first.
  package static var recentLines: [String] { recent.withLock { $0.all } }

  package var logLevel: Logger.Level {
    get { Self.settings.withLock { $0.level(of: part) } }
    set { Self.settings.withLock { $0.level = newValue } }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var details = metadata.merging(event.metadata ?? [:]) { $1 }
    details[LogSubsystem.key] = nil
    // Messages about different users count as different sources, each with its own limit.
    let source = "\(event.message)\n\(details["uid"].map { "\($0)" } ?? "")"
    let second = Int(MonotonicClock.now)
    guard let missing = Self.gate.withLock({ $0.admit(source, second: second) }) else { return }
    if missing > 0 { details["leftOut"] = "\(missing)" }
    let line = LogLine(
      time: WallClock.timestamp, level: event.level, label: label, subsystem: part?.rawValue,
      message: event.message.description, metadata: details.mapValues { "\($0)" })
    Self.recent.withLock { $0.append(line.text(.text, isJournal: false)) }
    let text = line.text(Self.settings.withLock { $0.format }, isJournal: isJournal) + "\n"
    LogWriter.standardError.write(Array(text.utf8))
  }
}

// MARK: - Recent lines

/// The last lines of a log, limited in number and length.
struct RecentLines: Sendable {
  /// The maximum number of lines.
  static let limit = 200
  /// A line with more bytes is cut to this many characters.
  static let longest = 1000

  private var lines: [String] = []
  /// The index of the oldest line: 0 until there are `limit` lines.
  private var head = 0

  /// The lines, oldest first.
  var all: [String] { Array(lines[head...] + lines[..<head]) }

  /// Adds a line. If there are `limit` lines, it replaces the oldest line.
  mutating func append(_ line: String) {
    let kept = line.utf8.count > Self.longest ? line.prefix(Self.longest) + "…" : line[...]
    if lines.count < Self.limit {
      lines.append(String(kept))
    } else {
      lines[head] = String(kept)
      head = (head + 1) % Self.limit
    }
  }
}

// MARK: - Limit of the rate

/// Limits the lines of the log per second, for each source and for all sources together.
///
/// A source is a message text with a user. Omitted lines are counted, and the next line of the source contains their number. The
/// limiter uses no clock.
struct LogRateLimiter: Sendable {
  /// The maximum lines per second of one source, and of all together.
  let share: Int
  let limit: Int
  /// The largest number of sources that are counted separately; all further sources share a count.
  private static let sources = 256

  private struct Count {
    var second: Int
    var lines = 0
    var missing = 0
  }

  private var counts: [String: Count] = [:]
  private var all = Count(second: .min)

  init(share: Int = 10, limit: Int = 200) {
    self.share = share
    self.limit = limit
  }

  /// Returns how many lines of the source were omitted before this line; nil if this line is to be omitted, too.
  mutating func admit(_ source: String, second: Int) -> Int? {
    if all.second != second { all = Count(second: second) }
    var key = source
    if counts[key] == nil, counts.count >= Self.sources {
      // Removes the sources without omitted lines and without a line in this second.
      counts = counts.filter { $0.value.second == second || $0.value.missing > 0 }
      if counts.count >= Self.sources { key = "" }
    }
    var count = counts[key] ?? Count(second: second)
    if count.second != second { (count.second, count.lines) = (second, 0) }
    defer { counts[key] = count }
    guard count.lines < share, all.lines < limit else {
      count.missing += 1
      return nil
    }
    count.lines += 1
    all.lines += 1
    defer { count.missing = 0 }
    return count.missing
  }
}

// MARK: - Settings

/// The levels and the format of the log.
package struct LogSettings: Hashable, Sendable {
  /// The format of a line.
  package enum Format: String, CaseIterable, Sendable {
    /// `waymark.scan: a code was refused reason=expired`.
    case text
    /// A JSON object per line.
    case json
  }

  /// The level of subsystems that are not in `levels`.
  package var level: Logger.Level
  package var levels: [LogSubsystem: Logger.Level]
  package var format: Format

  package init(level: Logger.Level = .info, levels: [LogSubsystem: Logger.Level] = [:], format: Format = .text) {
    self.level = level
    self.levels = levels
    self.format = format
  }

  /// Returns the level of a subsystem: its own level, or `level` if it has none or the subsystem is nil.
  package func level(of part: LogSubsystem?) -> Logger.Level { part.flatMap { levels[$0] } ?? level }
}

/// A part of the service whose level the configuration can set, for example with `log.levels.scan`.
package enum LogSubsystem: String, CaseIterable, Sendable {
  /// The process: start, reload, stop, configuration and watchdog.
  case service
  /// Connections and requests.
  case socket
  /// The source of frames.
  case camera
  /// Armed scans and their verdicts, without the content of codes.
  case scan
  /// Captured pages, without their content.
  case documents
  case text
  /// Scenes, anchors and the AR session.
  case scenes
  /// Users, consents and the provider, without identities and typed text.
  case accounts
  /// The hardware scan key.
  case trigger

  /// The metadata key of the subsystem.
  static let key = "subsystem"
}

extension Logger {
  /// Returns a logger whose messages belong to a part of the service, and have its level.
  package func subsystem(_ part: LogSubsystem) -> Logger {
    var logger = self
    logger[metadataKey: LogSubsystem.key] = "\(part.rawValue)"
    return logger
  }
}

// MARK: - Formatting

/// A message of the log, formatted as one line.
package struct LogLine: Sendable {
  package var time: String
  package var level: Logger.Level
  package var label: String
  package var subsystem: String?
  package var message: String
  package var metadata: [String: String]

  /// Returns the line without a line feed.
  ///
  /// - Parameter isJournal: true for the journal, which records the time itself and reads the level from a prefix (`sd-daemon(3)`).
  package func text(_ format: LogSettings.Format, isJournal: Bool) -> String {
    let prefix = isJournal ? "<\(Self.priority(level))>" : ""
    switch format {
    case .text:
      let origin = subsystem.map { "\(label).\($0)" } ?? label
      let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted($0.value))" }.joined()
      return prefix + (isJournal ? "" : "\(time) \(level) ") + "\(origin): " + Self.escaped(message) + details
    case .json:
      var fields: [(String, JSONValue)] = [
        ("time", .string(time)), ("level", .string(level.rawValue)),
        ("subsystem", .string(subsystem ?? LogSubsystem.service.rawValue)), ("message", .string(message)),
      ]
      fields += metadata.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }
      let body = fields.map { "\(Self.json($0.0)):\(Self.json($0.1))" }.joined(separator: ",")
      return prefix + "{\(body)}"
    }
  }

  /// Returns the priority of `syslog(3)` for a level; `trace` has the priority of `debug`.
  private static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  private static func json(_ text: String) -> String { json(.string(text)) }

  private static func json(_ value: JSONValue) -> String {
    (try? JSONLineEncoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
  }

  private static func quoted(_ text: String) -> String {
    let plain = escaped(text)
    return plain.contains(" ") ? "\"\(plain.replacing("\"", with: "'"))\"" : plain
  }

  /// Replaces control characters with U+FFFD, so that external text cannot end the line or control a terminal.
  private static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? Unicode.Scalar(0xFFFD)! : $0 }))
  }
}

// MARK: - Writing

/// Writes lines to a descriptor on its own thread, so that logging never waits for the reader of the log.
///
/// If the reader is too slow, lines are buffered up to a limit and then dropped; the number of dropped lines is written afterwards.
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
