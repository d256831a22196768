import Foundation

/// Where commands write: results to standard output, diagnostics to standard error, a line at a time.
enum Output {
  /// A line of the result. A reader that went away is no failure of the command.
  static func line(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
  }

  /// A line for the person at the terminal.
  static func diagnostic(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
