import Foundation

/// Where commands write: results to standard output, diagnostics to standard error, a line at a time.
enum Output {
  /// A line of the result.
  ///
  /// A reader that went away (`| head`) is no failure of the command, but there is nobody left to work for: it ends there. A disk that
  /// is full is one.
  static func line(_ text: String) { data(Data((text + "\n").utf8)) }

  /// Bytes of the result.
  static func data(_ bytes: Data) {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if written < 0 {
        switch errno {
        case EINTR: continue
        case EAGAIN:
          var waiting = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
          continue
        case EPIPE: exit(0)
        default:
          diagnostic("waymark: the result cannot be written: \(String(cString: strerror(errno)))")
          exit(ExitStatus.cannotWrite.rawValue)
        }
      }
      rest = rest.dropFirst(written)
    }
  }

  /// A line for the person at the terminal.
  static func diagnostic(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
  }
}
