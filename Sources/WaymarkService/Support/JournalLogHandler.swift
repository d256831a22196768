import Glibc
package import Logging
import Synchronization

/// Writes one line a message to standard error: for the journal with its priority in front, for a person with the time.
package struct JournalLogHandler: LogHandler {
  package var metadata: Logger.Metadata = [:] {
    didSet { part = metadata[LogSubsystem.key].flatMap { LogSubsystem(rawValue: "\($0)") } }
  }
  private let label: String
  private let isJournal: Bool
  private var part: LogSubsystem?
  /// One value for all loggers of the process, so that a reload reaches those that were handed out.
  private static let settings = Mutex(LogSettings())

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
    let line = LogLine(
      time: WallClock.timestamp, level: event.level, label: label, subsystem: part?.rawValue,
      message: event.message.description, metadata: details.mapValues { "\($0)" })
    let text = line.text(Self.settings.withLock { $0.format }, isJournal: isJournal) + "\n"
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
