import CDispatch
package import Foundation
import Glibc
import WaymarkOnboarding
import WaymarkSystem

/// Where commands write: results to standard output, diagnostics to standard error. Nothing else writes there, so that
/// no text of a stranger (of a code, a file name, a camera, a scene) reaches a terminal with controls in it.
package enum Output {
  /// A line of the result for a person.
  package static func line(_ text: String) { data(Data((DisplayText.lines(text) + "\n").utf8)) }

  /// Lines of the result with colours that `Terminal` put in; what a stranger wrote must be escaped already.
  package static func styled(_ text: String) { data(Data(text.utf8)) }

  /// A line of JSON for programs. What would act on a terminal is spelt as an escape, which means the same.
  package static func json(_ line: some StringProtocol) { data(Data((DisplayText.json(line) + "\n").utf8)) }

  /// A value as JSON, members in the order of its type.
  package static func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLineEncoder.encode(value), as: UTF8.self)
  }

  /// A value as a line of JSON, members in the order of their names.
  package static func record(_ value: some Encodable) throws {
    json(try JSONParser.parse(JSONLineEncoder.encode(value)).sorted.compactText)
  }

  /// Bytes of the result.
  ///
  /// A reader that went away (`| head`) is not a failure of the command, but there is nobody left to work for: it ends there. A disk that
  /// is full is one.
  package static func data(_ bytes: Data) {
    switch Self.write(bytes, to: STDOUT_FILENO) {
    case nil: break
    case EPIPE: exit(0)
    case let code?:
      diagnostic("waymark: the result cannot be written: \(String(cString: strerror(code)))")
      exit(ExitStatus.cannotWrite.rawValue)
    }
  }

  /// A line for the person at the terminal.
  package static func diagnostic(_ text: String) { draw(DisplayText.lines(text) + "\n") }

  /// Text with cursor movements of our own, such as a progress bar, for the person at the terminal.
  package static func draw(_ text: String) { _ = write(Data(text.utf8), to: STDERR_FILENO) }

  /// Says what is wrong and ends the command.
  package static func fail(_ status: ExitStatus, _ message: String, hint: String) -> Never {
    diagnostic("waymark: \(message)" + (hint.isEmpty ? "" : "\n  \(hint)"))
    exit(status.rawValue)
  }

  /// Writes a file as `DurableFile.write` does, or ends the command with 74.
  package static func file(_ path: String, _ bytes: [UInt8]) {
    do throws(FileError) {
      try DurableFile.write(bytes, to: path)
    } catch {
      fail(.cannotWrite, error.message, hint: "Name a file in a folder that exists and that you may write in.")
    }
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

extension JSONValue {
  /// The same value with the members of every object in the order of their names.
  fileprivate var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(members.sorted { $0.name < $1.name }.map { Member($0.name, $0.value.sorted) })
    default: self
    }
  }
}
