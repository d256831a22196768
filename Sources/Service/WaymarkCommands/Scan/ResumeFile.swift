import Glibc
import WaymarkSystem

/// The file in which a scan of many pictures notes what is done, so that it can be ended at any time and gone on with. A line of JSON for
/// each input, written when its result is out: who is ended in between reports one input twice, and none never.
final class ResumeFile {
  /// The first line: what the run looks for. Results of another run are of no use.
  private struct Head: Codable, Equatable {
    let waymark: String
    let settings: String
  }

  /// One input that is done.
  private struct Entry: Codable {
    let input: String
    let file: FileState?
    let status: Int32
  }

  private let descriptor: Int32
  private let path: String
  private var done: [String: Entry] = [:]

  /// 256 MB: two million inputs.
  private static let byteLimit = 256 << 20

  /// Opens the file, or makes it.
  ///
  /// - Parameter settings: all that decides what is found, in words.
  init(_ path: String, settings: String) throws(FileError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
    self.path = path
    guard descriptor >= 0 else { throw FileError(path, cannotBe: "written", number: errno) }
    // What is thrown from here on closes it: a class whose properties all have values is deinitialized.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw FileError(.inUse, "\(path) is in use by another scan.", hint: "Wait for it, or name another file.")
    }
    let bytes = try WholeFile.read(path, limit: Self.byteLimit)
    // A line that was not finished is one that was not written.
    let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let lines = bytes[..<whole].split(separator: UInt8(ascii: "\n"))
    let head = Head(waymark: "scan", settings: settings)
    if let first = lines.first {
      guard let found = Self.decode(Head.self, first), found.waymark == head.waymark else {
        throw FileError(.notAFile, "\(path) was not written by --resume.", hint: "Name another file.")
      }
      guard found == head else {
        throw FileError(
          .failed, "\(path) belongs to a scan with other options: \(found.settings).",
          hint: "Use these options, name another file, or delete it.")
      }
    } else if !bytes.isEmpty {
      throw FileError(.notAFile, "\(path) was not written by --resume.", hint: "Name another file.")
    }
    for line in lines.dropFirst() {
      if let entry = Self.decode(Entry.self, line) { done[entry.input] = entry }
    }
    guard ftruncate(descriptor, off_t(whole)) == 0 else { throw FileError(path, cannotBe: "written", number: errno) }
    if lines.isEmpty { try append(head) }
  }

  deinit { close(descriptor) }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ line: ArraySlice<UInt8>) -> Value? {
    (try? JSONParser.parse(Array(line))).flatMap { try? JSONValueDecoder.decode(type, from: $0) }
  }

  /// How an input ended, if it is done and its file is as it was.
  func status(of input: ScanInput) -> ExitStatus? {
    guard let entry = done[input.name], entry.file == input.state, entry.file != nil else { return nil }
    return ExitStatus(rawValue: entry.status)
  }

  /// Notes that the result of an input is out. Nothing is noted of pipes: they differ the next time.
  func note(_ input: ScanInput, _ state: FileState?, _ status: ExitStatus) throws(FileError) {
    guard let state else { return }
    try append(Entry(input: input.name, file: state, status: status.rawValue))
  }

  private func append(_ value: some Encodable) throws(FileError) {
    guard let line = try? JSONLineEncoder.line(value) else { return }
    if let problem = DurableFile.writeAll(descriptor, Array(line)) {
      throw FileError(path, cannotBe: "written", number: problem)
    }
  }
}
