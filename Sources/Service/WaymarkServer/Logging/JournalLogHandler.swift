package import Logging
import Synchronization
import WaymarkSystem

/// Writes one line a message to standard error: for the journal with its priority in front, for a person with the time. Nobody waits
/// for it to be read, and no source fills it.
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:] {
    didSet { part = metadata[LogSubsystem.key].flatMap { LogSubsystem(rawValue: "\($0)") } }
  }
  private let label: String
  private let isJournal: Bool
  private var part: LogSubsystem?
  /// One value for all loggers of the process, so that a reload reaches those that were handed out.
  private static let settings = Mutex(LogSettings())
  /// One for all of them: what one source may say, it may say once.
  private static let gate = Mutex(LogRateLimiter())

  /// A handler for `label`.
  package init(label: String, isJournal: Bool) {
    self.label = label
    self.isJournal = isJournal
  }

  /// Sets what every logger logs, and how.
  package static func use(_ settings: LogSettings) { Self.settings.withLock { $0 = settings } }

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
    // The same words about another user are another source: nobody drowns what is said of somebody else.
    let source = "\(event.message)\n\(details["uid"].map { "\($0)" } ?? "")"
    let second = Int(MonotonicClock.now)
    guard let missing = Self.gate.withLock({ $0.admit(source, second: second) }) else { return }
    if missing > 0 { details["leftOut"] = "\(missing)" }
    let line = LogLine(
      time: WallClock.timestamp, level: event.level, label: label, subsystem: part?.rawValue,
      message: event.message.description, metadata: details.mapValues { "\($0)" })
    let text = line.text(Self.settings.withLock { $0.format }, isJournal: isJournal) + "\n"
    LogWriter.standardError.write(Array(text.utf8))
  }
}
