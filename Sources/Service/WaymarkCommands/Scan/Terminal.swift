import Foundation
import Glibc

/// The abilities of a stream that may be a terminal.
struct Terminal: Sendable {
  enum Style: String, Sendable {
    case good = "32"
    case bad = "31"
    case warning = "33"
    case faint = "2"
    case strong = "1"
  }

  let isTerminal: Bool
  let hasColour: Bool
  private let descriptor: Int32

  static let output = Terminal(STDOUT_FILENO)
  static let error = Terminal(STDERR_FILENO)

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    let environment = ProcessInfo.processInfo.environment
    // no-color.org: set and not empty means no colour.
    hasColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  func styled(_ text: String, _ style: Style) -> String {
    hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Columns, or 80 where nobody knows.
  var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
