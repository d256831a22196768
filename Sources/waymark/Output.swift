import CDispatch
import Foundation
import Glibc
import WaymarkOnboarding

/// Where commands write: results to standard output, diagnostics to standard error. Nothing else writes there, so that
/// no text of a stranger (of a code, a file name, a camera, a scene) reaches a terminal with controls in it.
enum Output {
  /// A line of the result for a person.
  static func line(_ text: String) { data(Data((DisplayText.lines(text) + "\n").utf8)) }

  /// Lines of the result with colours that `Terminal` put in; what a stranger wrote must be escaped already.
  static func styled(_ text: String) { data(Data(text.utf8)) }

  /// A line of JSON for programs. What would act on a terminal is spelt as an escape, which means the same.
  static func json(_ line: some StringProtocol) { data(Data((DisplayText.json(line) + "\n").utf8)) }

  /// A value as a line of JSON, members in the order of their names.
  static func record(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    json(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Bytes of the result.
  ///
  /// A reader that went away (`| head`) is no failure of the command, but there is nobody left to work for: it ends there. A disk that
  /// is full is one.
  static func data(_ bytes: Data) {
    switch Self.write(bytes, to: STDOUT_FILENO) {
    case nil: break
    case EPIPE: exit(0)
    case let code?:
      diagnostic("waymark: the result cannot be written: \(String(cString: strerror(code)))")
      exit(ExitStatus.cannotWrite.rawValue)
    }
  }

  /// A line for the person at the terminal.
  static func diagnostic(_ text: String) { draw(DisplayText.lines(text) + "\n") }

  /// Text with cursor movements of our own, such as a progress bar, for the person at the terminal.
  static func draw(_ text: String) { _ = write(Data(text.utf8), to: STDERR_FILENO) }

  /// Says what is wrong and ends the command.
  static func fail(_ status: ExitStatus, _ message: String, hint: String) -> Never {
    diagnostic("waymark: \(message)" + (hint.isEmpty ? "" : "\n  \(hint)"))
    exit(status.rawValue)
  }

  /// Writes a file, or ends the command with 74. A file is replaced as a whole; into what is none, such as a device or a
  /// pipe, the bytes are written.
  static func file(_ path: String, _ bytes: [UInt8]) {
    if let code = replace(path, bytes) {
      fail(
        .cannotWrite, "\(path) cannot be written: \(String(cString: strerror(code)))",
        hint: "Name a file in a folder that exists and that you may write in.")
    }
  }

  /// Writes a file as `file` does.
  ///
  /// - Returns: `errno` of what failed.
  static func replace(_ path: String, _ bytes: [UInt8]) -> Int32? {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return errno }
      defer { close(descriptor) }
      return write(Data(bytes), to: descriptor)
    }
    let temporary = "\(path).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { return errno }
    var code = write(Data(bytes), to: descriptor)
    if close(descriptor) != 0, code == nil { code = errno }
    if code == nil, rename(temporary, path) != 0 { code = errno }
    if code != nil { unlink(temporary) }
    return code
  }

  /// Writes every byte, waiting where the other side is slow.
  private static func write(_ bytes: Data, to descriptor: Int32) -> Int32? {
    var rest = bytes
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        switch errno {
        case EINTR: continue
        case EAGAIN:
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
          continue
        default: return errno
        }
      }
      rest = rest.dropFirst(written)
    }
    return nil
  }
}
