import Glibc
import WaymarkSystem

/// Lines for the journal, or for the person who started the bridge by hand. No payload of an event stands in them.
enum BridgeLog {
  /// The levels of syslog(3).
  enum Level: Int {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  private static let isJournal = getenv("JOURNAL_STREAM") != nil

  static func write(_ level: Level, _ text: String) {
    // Text from a broker or a service is shown, and acts on no terminal.
    let shown = String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : $0 }))
    let line = isJournal ? "<\(level.rawValue)>\(shown)\n" : "\(WallClock.timestamp) \(shown)\n"
    _ = DurableFile.writeAll(STDERR_FILENO, Array(line.utf8))
  }
}
