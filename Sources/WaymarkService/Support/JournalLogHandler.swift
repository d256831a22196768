import Glibc
package import Logging
import Synchronization

/// Writes one line a message to standard error: for the journal with its priority in front (`sd-daemon(3)`), for a
/// person with the time.
package struct JournalLogHandler: LogHandler {
  package var logLevel: Logger.Level {
    get { Self.level.withLock { $0 } }
    set { Self.level.withLock { $0 = newValue } }
  }
  package var metadata: Logger.Metadata = [:]
  private let label: String
  private let isJournal: Bool
  /// One level for all loggers of the process, so that a reload reaches those that were handed out.
  private static let level = Mutex(Logger.Level.info)

  /// A handler for `label`.
  package init(label: String, isJournal: Bool) {
    self.label = label
    self.isJournal = isJournal
  }

  /// Sets the level of every logger.
  package static func setLevel(_ level: Logger.Level) { Self.level.withLock { $0 = level } }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    let merged = metadata.merging(event.metadata ?? [:]) { $1 }
    let details = merged.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
    let text = Self.escaped(event.message.description) + details
    let line =
      isJournal
      ? "<\(Self.priority(event.level))>\(label): \(text)\n"
      : "\(WallClock.timestamp) \(event.level) \(label): \(text)\n"
    let bytes = Array(line.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }

  /// `syslog(3)`: 3 error, 4 warning, 5 notice, 6 info, 7 debug.
  static func priority(_ level: Logger.Level) -> Int {
    switch level {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }

  private static func quoted(_ text: String) -> String {
    let plain = escaped(text)
    return plain.contains(" ") ? "\"\(plain.replacing("\"", with: "'"))\"" : plain
  }

  /// What came from outside must not end the line or steer a terminal.
  private static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.properties.generalCategory == .control ? Unicode.Scalar(0xFFFD)! : $0 }))
  }
}
