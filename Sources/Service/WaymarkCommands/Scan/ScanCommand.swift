public import ArgumentParser
import FoundationEssentials
import Glibc
public import WaymarkBarcodes
import WaymarkConfiguration
import WaymarkImage
import WaymarkOnboarding
import WaymarkSystem

/// `waymark scan`: reads codes from picture files; with `--onboarding` judges them by a policy. `PassList` and
/// `SymbologyList` below are lists in its options, and `ResumeFile` records its progress for `--resume`.
struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Read codes from pictures, and say whether one may be used for onboarding.",
    discussion: """
      Reads JPEG, PNG, WebP, BMP, GIF and PNM files by their contents, with the package waymark-pictures also TIFF, HEIC, AVIF, \
      JPEG XL and the pages of PDF; folders with everything below them; - is standard input. \
      Results go to standard output, everything else to standard error.

      Exit codes, the first that applies to any input: 64 usage, 66 a file cannot be opened, 74 the results cannot be \
      written, 65 a file is not a picture or damaged, 2 a code was read but is not acceptable, 1 nothing found, 0 all well.
      Examples:
        waymark scan photo.jpg
        waymark scan --onboarding --json photos/
        waymark scan --formats ean13 --raw photo.jpg
      """)

  @Argument(help: ArgumentHelp("Pictures, folders, or - for standard input.", valueName: "input"))
  var inputs: [String]

  @Flag(help: "Judge the codes for onboarding: is one of them accepted?")
  var onboarding = false

  @OptionGroup var policy: PolicyOption

  @Option(
    help: ArgumentHelp(
      "Look only for these symbologies (with --onboarding: accept these), separated by commas; all: for every one.",
      valueName: "list"),
    transform: SymbologyList.init)
  var formats: SymbologyList?

  @Flag(help: "Print one JSON object per input.")
  var json = false

  @Flag(help: "Print only the bytes of each code (with --onboarding: of the accepted one), each ended by a new line.")
  var raw = false

  @Flag(name: [.short, .long], help: "Print no results: the exit code says whether a code was found.")
  var quiet = false

  @Flag(help: "Stop at the first code (with --onboarding: at the first accepted one).")
  var oneshot = false

  @Option(
    help: ArgumentHelp(
      "Draw what was found into a copy of the picture: a .png or .jpg file, or, for several inputs, a folder.",
      valueName: "out"))
  var annotate: String?

  @Option(
    name: .letter(.jobs),
    help: "Pictures that are worked on at the same time (default: one per processor).")
  var jobs: Int?

  @Option(
    help: "How hard to look: still (with every rescue), live (as for camera frames), plain (as the library does).")
  var effort = ScanConfiguration.Effort.still

  @Option(
    help: ArgumentHelp(
      "Leave out these passes of --effort still, separated by commas: to measure the effect of each.",
      valueName: "list",
      visibility: .hidden),
    transform: PassList.init)
  var without = PassList(passes: [])

  @Option(help: ArgumentHelp("Refuse pictures of more pixels.", valueName: "count"))
  var maxPixels = PictureDecoder.defaultPixelLimit

  @Option(help: ArgumentHelp("Read no further page of a file after so many seconds.", valueName: "count"))
  var maxSeconds = 600

  @Option(
    help: ArgumentHelp(
      "Note in this file what is done, and leave out what was done by an earlier run with it.", valueName: "file"))
  var resume: String?

  @Flag(help: "In folders, skip files that are not pictures without a message.")
  var picturesOnly = false

  func validate() throws {
    guard onboarding || policy.policy == nil else { throw ValidationError("--policy needs --onboarding.") }
    guard [json, raw, quiet].count(where: { $0 }) <= 1 else {
      throw ValidationError("--json, --raw and --quiet exclude each other.")
    }
    guard (1...86_400).contains(maxSeconds) else { throw ValidationError("--max-seconds takes 1 to 86400.") }
    guard resume == nil || !oneshot else { throw ValidationError("--resume and --oneshot exclude each other.") }
    try ScanInput.check(inputs, maxPixels: maxPixels, jobs: jobs)
  }

  func run() throws {
    let settings = try settings()
    var worst = ExitStatus.success
    var items = ScanInput.expand(inputs)
    if let annotate {
      let target = try AnnotationTarget(annotate, inputs: items)
      try target.keepInputs(items)
      for index in items.indices { items[index].annotation = target.paths[index] }
    }
    let journal = try openJournal()
    if let journal {
      items.removeAll { item in
        guard let status = journal.status(of: item) else { return false }
        worst = max(worst, status)
        return true
      }
    }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    var printer = ScanPrinter(mode: mode, isVerdict: onboarding, count: items.count)
    var found = false
    // The states of the files are taken before reading. A file that changes later is then read again by the next run.
    let states = resume == nil ? [] : items.map(\.state)
    var place = 0
    OrderedTasks.run(items, jobs: jobs ?? cores) { () -> (ScanInput) -> [ScanReport] in
      do throws(BarcodeError) {
        let scanner = try PictureScanner(settings)
        return { scanner.scan($0) }
      } catch {
        let problem = ImageError(.outOfMemory, error.message, hint: error.hint)
        return { input in
          var report = ScanReport(input: input.name)
          report.error = problem
          return [report]
        }
      }
    } deliver: { reports in
      var status = ExitStatus.success
      var hasFailed = false
      for report in reports where !(picturesOnly && report.isNoPicture) {
        printer.show(report)
        status = max(status, report.exitStatus)
        hasFailed = hasFailed || report.error != nil
      }
      worst = max(worst, status)
      printer.advance(failed: hasFailed)
      do throws(FileError) {
        try journal?.note(items[place], states.isEmpty ? nil : states[place], status)
      } catch {
        printer.finish()
        Output.fail(.cannotWrite, error.message, hint: error.hint)
      }
      place += 1
      found = found || reports.contains { $0.outcome == .successful }
      return !(oneshot && found)
    }
    printer.finish()
    // One code was requested and found, so pictures without a code do not matter.
    if oneshot && found && worst <= .invalid { worst = .success }
    if worst != .success { throw ExitCode(worst.rawValue) }
  }

  /// Opens the file of `--resume`, if the option is set.
  private func openJournal() throws -> ResumeFile? {
    guard let resume else { return nil }
    var words = ["effort \(effort.rawValue)", "max-pixels \(maxPixels)"]
    if let formats { words.append("formats \(formats.symbologies.map(\.rawValue).sorted().joined(separator: ","))") }
    if !without.passes.isEmpty {
      words.append("without \(without.passes.map(\.rawValue).sorted().joined(separator: ","))")
    }
    if onboarding { words.append("onboarding" + (policy.policy.map { " by \($0)" } ?? "")) }
    do throws(FileError) {
      return try ResumeFile(resume, settings: words.joined(separator: "; "))
    } catch {
      Output.fail(.cannotWrite, error.message, hint: error.hint)
    }
  }

  private func settings() throws -> PictureScanner.Settings {
    var settings = PictureScanner.Settings()
    settings.decoder.pixelLimit = maxPixels
    settings.fileLimit = Double(maxSeconds)
    settings.scan.effort = effort
    settings.scan.withheld = without.passes
    settings.onlyOne = oneshot
    // A verdict needs all codes, because the accepted code may not be the first.
    settings.scan.stopsAtFirst = oneshot && !onboarding
    if let formats {
      settings.scan.symbologies = formats.symbologies
      settings.onboardingSymbologies = formats.symbologies
    }
    if onboarding {
      settings.judge = try policy.configuration().judge(records: false)
    }
    return settings
  }

  private var mode: ScanPrinter.Mode {
    if json { return .json }
    if quiet { return .quiet }
    if raw { return .raw(separated: !oneshot) }
    return .text
  }
}

extension ScanConfiguration.Effort: ExpressibleByArgument {
  /// The values, the greatest effort first.
  public static var allValueStrings: [String] { ["still", "live", "plain"] }
}

/// The passes of the reader, as an argument of the command line.
struct PassList {
  var passes: Set<ScanPass>

  init(passes: Set<ScanPass>) { self.passes = passes }

  init(_ text: String) throws {
    passes = []
    for name in text.split(separator: ",") {
      guard let pass = ScanPass(rawValue: String(name)) else {
        let known = ScanPass.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no pass \"\(name)\"; known are \(known).")
      }
      passes.insert(pass)
    }
  }
}

/// Symbologies by name, separated by commas.
package struct SymbologyList: Sendable {
  package let symbologies: Set<Symbology>

  package init(_ argument: String) throws {
    var all: Set<Symbology> = []
    for word in argument.split(separator: ",") {
      guard let named = Symbology.named(String(word)) else {
        let known = Symbology.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("There is no symbology “\(DisplayText.escaped(String(word)))”. Known are \(known), all.")
      }
      all.formUnion(named)
    }
    guard !all.isEmpty else { throw ValidationError("--formats needs at least one symbology.") }
    symbologies = all
  }
}

// MARK: - Resuming

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
  /// - Throws: `FileError` if the file cannot be opened, is in use by another scan, or belongs to a scan with other settings.
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

  /// Records that the result of an input was written. Has no effect for pipes, whose contents differ in the next run.
  ///
  /// - Throws: `FileError` if the record cannot be written.
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
