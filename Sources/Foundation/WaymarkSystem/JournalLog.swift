import Glibc

/// Lines for the journal, or for the person who started a program by hand. No payload of an event stands in them.
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
    // Text from a stranger is shown, and acts on no terminal.
    let shown = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
    let line = isJournal ? "<\(level.rawValue)>\(shown)\n" : "\(WallClock.timestamp) \(shown)\n"
    _ = DurableFile.writeAll(STDERR_FILENO, Array(line.utf8))
  }
}
