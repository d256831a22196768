import CDispatch
package import FoundationEssentials
import Glibc
import WaymarkSystem

/// The output of commands: results to standard output, diagnostics to standard error. All output passes here, so that
/// no untrusted text (of a code, a file name, a camera, a scene) reaches a terminal with control characters. `Terminal`
/// below has the capabilities of these streams, and `NullEncoded` keeps a member of JSON that has no value.
package enum Output {
  /// Returns a number with its noun, in the plural unless it is 1.
  package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  /// Writes a line of the result for people.
  package static func line(_ text: String) { data(Data((DisplayText.lines(text) + "\n").utf8)) }

  /// Writes lines of the result with the colours of `Terminal`; untrusted text must be escaped already.
  package static func styled(_ text: String) { data(Data(text.utf8)) }

  /// Writes a line of JSON for programs. Characters that would control a terminal are written as JSON escapes.
  package static func json(_ line: some StringProtocol) { data(Data((DisplayText.json(line) + "\n").utf8)) }

  /// Returns a value as JSON, with members in the order in which its type encodes them.
  package static func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONLineEncoder.encode(value), as: UTF8.self)
  }

  /// Writes a value as a line of JSON, with members sorted by name.
  package static func record(_ value: some Encodable) throws {
    json(try JSONParser.parse(JSONLineEncoder.encode(value)).sorted.compactText)
  }

  /// Writes bytes of the result.
  ///
  /// Ends the command with 0 if the reader closed the pipe (`| head`), and with 74 on other errors, such as a full disk.
  package static func data(_ bytes: Data) {
    switch Self.write(bytes, to: STDOUT_FILENO) {
    case nil: break
    case EPIPE: exit(0)
    case let code?:
      diagnostic("waymark: the result cannot be written: \(String(cString: strerror(code)))")
      exit(ExitStatus.cannotWrite.rawValue)
    }
  }

  /// Writes a line for the person at the terminal to standard error.
  package static func diagnostic(_ text: String) { draw(DisplayText.lines(text) + "\n") }

  /// Writes text with cursor movements, such as a progress bar, to standard error; untrusted text must be escaped
  /// already.
  package static func draw(_ text: String) { _ = write(Data(text.utf8), to: STDERR_FILENO) }

  /// Prints an error and its hint to standard error, and ends the process with `status`.
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

  /// Writes all bytes, waiting for a slow reader; returns the `errno` if it fails.
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

/// An optional that is encoded as null instead of being left out.
@propertyWrapper
struct NullEncoded<Value: Encodable>: Encodable {
  var wrappedValue: Value?

  init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension JSONValue {
  /// The value with the members of every object sorted by name.
  fileprivate var sorted: JSONValue {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let members):
      .object(members.sorted { $0.name < $1.name }.map { Member($0.name, $0.value.sorted) })
    default: self
    }
  }
}

// MARK: - Terminals

/// The capabilities of a stream that may be a terminal.
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

  /// The number of columns; 80 if unknown.
  var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

// MARK: - Errors

/// Prints a `CommandError` to standard error and ends the process with its exit status; throws other errors.
package func fail(_ error: any Error) throws -> Never {
  guard let explained = error as? any CommandError else { throw error }
  Output.fail(explained.exitStatus, explained.message, hint: explained.hint)
}
