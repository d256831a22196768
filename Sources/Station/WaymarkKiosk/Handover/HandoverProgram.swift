import Foundation
import Glibc
import WaymarkConfiguration
import WaymarkSystem

/// Runs the integrator's program for one result, with limits on time and output. `HandoverWay` below is the configured program, and
/// `HandedResult` the result.
///
/// The result is in a temporary folder. The program is started directly, never by a shell. It gets the result's description as JSON
/// on its standard input, a few environment variables, and none of the kiosk's file descriptors. Its process group is killed when
/// its time is over; the program itself is also killed when the kiosk ends.
struct HandoverProgram: Sendable {
  enum Outcome: Equatable, Sendable {
    /// The program exited with status 0.
    case done
    /// The program exited with status 75, EX_TEMPFAIL of sysexits.h: it may succeed later.
    case later
    /// The program exited with another status, or a signal ended it. The value is the status, or the number of the signal.
    case failed(Int32)
    /// It was killed after `HandoverWay.seconds`.
    case tooLong
    /// It could not be started, with the reason.
    case notStarted(String)
  }

  /// The bytes of output that are kept for the journal.
  static let outputLimit = 2 << 10
  private static let temporaryFailure: Int32 = 75
  /// The environment variables of a program: variables with fixed values, and the names of variables that are copied from the
  /// kiosk.
  private static let fixed = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
  private static let variables = ["HOME", "USER", "TZ", "CUPS_SERVER"]

  /// The beginning of the names of temporary folders, and the number of characters that mkdtemp(3) adds.
  private static let (prefix, suffixLength) = ("waymark-handover-", 6)
  /// The program of util-linux that arranges for another program to be killed when its parent ends (PR_SET_PDEATHSIG), and then
  /// becomes this program.
  private static let launcher = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--"]

  let way: HandoverWay
  /// The folder in which a temporary folder for the result is made.
  var folder = NSTemporaryDirectory()

  /// Runs the program until it ends.
  ///
  /// - Parameters:
  ///   - result: the bytes, with the extension of their file's name.
  ///   - number: the number of the result for visitor and staff.
  ///   - description: further members of the program's description.
  /// - Returns: the outcome and the beginning of the program's output.
  func run(
    _ result: HandedResult, number: String, description: [JSONValue.Member]
  ) async -> (outcome: Outcome, output: String) {
    await withCheckedContinuation { continuation in
      // Runs on its own thread, which waits until the program ends.
      Thread.detachNewThread { continuation.resume(returning: runAndWait(result, number, description)) }
    }
  }

  private func runAndWait(
    _ result: HandedResult, _ number: String, _ description: [JSONValue.Member]
  ) -> (outcome: Outcome, output: String) {
    let place: String
    do throws(FileError) {
      place = try Folder.makeTemporary(in: folder, prefix: Self.prefix)
    } catch {
      return (.notStarted(error.message), "")
    }
    // Held as long as this process uses the folder, so that `sweep` leaves it.
    let lock = Self.lock(place)
    defer {
      try? FileManager.default.removeItem(atPath: place)
      if let lock { close(lock) }
    }
    let file = "\(place)/\(number).\(result.ending)"
    let request = JSONValue.object(
      [
        JSONValue.Member("way", .string(way.name)), JSONValue.Member("number", .string(number)),
        JSONValue.Member("file", .string(file)), JSONValue.Member("type", .string(result.contentType)),
      ] + description)
    do {
      try Data(result.bytes).write(to: URL(fileURLWithPath: file))
      // A file is used because a pipe would block if the program does not read it.
      try Data((request.compactText + "\n").utf8).write(to: URL(fileURLWithPath: "\(place)/request.json"))
    } catch {
      return (.notStarted(error.localizedDescription), "")
    }
    let known = ProcessInfo.processInfo.environment.filter { Self.variables.contains($0.key) }
    let confinement = ChildProgram.Confinement(
      environment: Self.fixed.merging(known) { own, _ in own }, timeout: Double(way.seconds))
    // Without a slash it would be looked up in `PATH`.
    let program = way.program.contains("/") ? way.program : "./" + way.program
    guard access(program, X_OK) == 0 else { return (.notStarted(systemMessage(errno)), "") }
    let launcher = access(Self.launcher[0], X_OK) == 0 ? Self.launcher : []
    do throws(FileError) {
      let ended = try ChildProgram.capture(
        launcher + [program] + way.arguments(file: file, number: number), input: "\(place)/request.json",
        outputLimit: Self.outputLimit, isJoined: true, confinement: confinement)
      return (Self.outcome(ended), String(decoding: ended.output, as: UTF8.self))
    } catch {
      return (.notStarted(error.message), "")
    }
  }

  /// Removes the temporary folders that killed kiosks left behind, with results and answers of visitors.
  static func sweep(_ folder: String = NSTemporaryDirectory()) {
    for name in (try? Folder.names(folder)) ?? []
    where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + suffixLength {
      let place = (folder as NSString).appendingPathComponent(name)
      guard let lock = lock(place) else { continue }
      try? FileManager.default.removeItem(atPath: place)
      close(lock)
    }
  }

  /// Locks a folder of this user; nil if the folder is in use, belongs to another user, or is not a folder. Closing the descriptor
  /// releases the lock, as does the end of the process.
  private static func lock(_ folder: String) -> Int32? {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
      return descriptor
    }
    close(descriptor)
    return nil
  }

  private static func outcome(_ ended: ChildProgram.Result) -> Outcome {
    if ended.isOverdue { return .tooLong }
    if let signal = ended.signal { return .failed(signal) }
    return switch ended.status {
    case 0: .done
    case temporaryFailure: .later
    default: .failed(ended.status)
    }
  }
}

/// A program of the integrator to which results are handed over, such as for printing or mail.
struct HandoverWay: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// The pages of a document, as a PDF.
    case document
    /// A count, as a table.
    case count
    /// The receipt of a form.
    case form
  }

  /// The largest number of ways: each has a button beside the result.
  static let limit = 4
  /// The largest size of a visitor's answer in bytes of UTF-8.
  private static let answerLimit = 254
  /// The default of `seconds`.
  static let usualSeconds = 60

  /// The name that identifies the way in requests of the page and in the program's description of a result.
  let name: String
  /// The path of the program's file.
  let program: String
  /// The program's arguments; `{file}` and `{number}` are replaced by the file and the number of a result.
  let arguments: [String]
  /// The kinds of results that the program takes.
  let kinds: Set<Kind>
  /// The seconds after which the program is killed.
  let seconds: Int
  /// True if the visitor is asked a question first, such as an address.
  let asks: Bool
  /// The regular expression for the whole answer; nil for any answer.
  let pattern: String?

  init(
    name: String, program: String, arguments: [String] = ["{file}"], kinds: Set<Kind> = Set(Kind.allCases),
    seconds: Int = HandoverWay.usualSeconds, asks: Bool = false, pattern: String? = nil
  ) {
    self.name = name
    self.program = program
    self.arguments = arguments
    self.kinds = kinds
    self.seconds = seconds
    self.asks = asks
    self.pattern = pattern
  }

  /// Reads a way from the page's file; nil if its name or program is missing, which `HandoverReview` reports.
  init?(_ node: SourceNode, in document: ConfigurationDocument) {
    guard let name = node["name"]?.string, let program = node["program"]?.string else { return nil }
    self.init(
      name: name, program: document.resolved(program),
      arguments: node["arguments"].map { $0.elements.compactMap(\.string) } ?? ["{file}"],
      kinds: node["of"].map { Set($0.elements.compactMap { $0.string.flatMap(Kind.init) }) } ?? Set(Kind.allCases),
      seconds: node["seconds"]?.int ?? Self.usualSeconds, asks: node["ask"] != nil, pattern: node["pattern"]?.string)
  }

  /// Returns whether a visitor's answer may be handed over: it must be one line without control characters and match the pattern,
  /// if there is a pattern. A pattern that cannot be read matches nothing.
  func accepts(answer: String) -> Bool {
    guard (1...Self.answerLimit).contains(answer.utf8.count), !answer.unicodeScalars.contains(where: \.isControl) else {
      return false
    }
    return pattern.map { (try? RegularExpression($0))?.matches(answer) ?? false } ?? true
  }

  /// Returns the arguments for a result. No shell splits them.
  func arguments(file: String, number: String) -> [String] {
    arguments.map { $0.replacing("{file}", with: file).replacing("{number}", with: number) }
  }
}

/// A result of the page: a text, or a document that the service saved.
struct HandedResult: Equatable, Sendable {
  private static let types = [
    "csv": "text/csv", "json": "application/json", "txt": "text/plain", "pdf": "application/pdf",
  ]

  /// The extension of its file name, without the dot.
  let ending: String
  let contentType: String
  let bytes: [UInt8]

  /// Reads a text and its `type` from a request of the page; nil if the type is unknown or the text is empty.
  static func text(_ json: JSONValue?) -> HandedResult? {
    guard let ending = json?["type"]?.string, ending != "pdf", let type = types[ending],
      let text = json?["text"]?.string, !text.isEmpty
    else { return nil }
    return HandedResult(ending: ending, contentType: "\(type); charset=utf-8", bytes: Array(text.utf8))
  }

  /// Reads the document at a path by `read`, which returns nil for a document that the page may not have. Returns nil in this case,
  /// and for an unknown extension.
  static func document(_ path: String, read: (String) -> [UInt8]?) -> HandedResult? {
    let ending = (path as NSString).pathExtension.lowercased()
    guard let type = types[ending], let bytes = read(path) else { return nil }
    return HandedResult(ending: ending, contentType: type, bytes: bytes)
  }
}
