import Glibc
import WaymarkSystem

/// The progress file of a scan of many pictures: the scan can stop at any time and resume. It has one line of JSON for each input,
/// written after its result, so that an interrupted scan repeats at most one result and omits none.
final class ResumeFile {
  /// The first line: the settings of the run. A run with other settings does not resume.
  private struct Head: Codable, Equatable {
    let waymark: String
    let settings: String
  }

  /// A finished input.
  private struct Entry: Codable {
    let input: String
    let file: FileState?
    let status: Int32
  }

  private let descriptor: Int32
  private let path: String
  private var done: [String: Entry] = [:]

  /// 256 MiB, enough for two million inputs.
  private static let byteLimit = 256 << 20

  /// Opens the file, or creates it.
  ///
  /// - Parameter settings: a description of the options that affect the results.
  /// - Throws: `FileError` if the file cannot be opened, is in use by another scan, or belongs to one with other settings.
  init(_ path: String, settings: String) throws(FileError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0o600)
    self.path = path
    guard descriptor >= 0 else { throw FileError(path, cannotBe: "written", number: errno) }
    // Errors thrown from here on close the descriptor: a class whose properties all have values is deinitialized.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw FileError(.inUse, "\(path) is in use by another scan.", hint: "Wait for it, or name another file.")
    }
    let bytes = try WholeFile.read(path, limit: Self.byteLimit)
    // An incomplete line is ignored.
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

  /// Returns the status of a finished input whose file has not changed; else `nil`.
  func status(of input: ScanInput) -> ExitStatus? {
    guard let entry = done[input.name], entry.file == input.state, entry.file != nil else { return nil }
    return ExitStatus(rawValue: entry.status)
  }

  /// Records that the result of an input was written; has no effect for pipes, whose contents differ the next time.
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
