import ArgumentParser
import Foundation
import WaymarkBarcodes
import WaymarkClient
import WaymarkCommands
import WaymarkImage
import WaymarkProtocol
import WaymarkStation
import WaymarkSystem

/// `waymark count`: counts the codes on a shelf.
struct CountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Count the codes on a shelf, each once, in pictures or over a moving camera.",
    discussion: """
      Copies of a code are distinguished by their places. Each picture is another shelf, unless --moving says that they \
      are views of one shelf, in the order in which they were taken. --live takes them from the service's camera until \
      Ctrl-C or --seconds. When the view is lost, copies seen before and after the gap may count twice: a warning says so.
      Examples:
        waymark count shelf.jpg
        waymark count --live --by content --csv

      Exit codes: 64 usage, 66 a file cannot be opened, 65 a file is not a picture or damaged, 69 no service, 1 nothing \
      found, 0 all well.
      """)

  @OptionGroup var place: SocketOptions

  @Argument(help: ArgumentHelp("Pictures, folders, or - for standard input.", valueName: "input"))
  var inputs: [String] = []

  @Flag(help: "The pictures are views of one shelf, by a camera that moves along it.")
  var moving = false

  @Flag(help: "Count what the service's camera sees.")
  var live = false

  @Option(help: "End after so many seconds (--live).")
  var seconds: Double?

  @Option(help: "What counts once: place (copies count) or content (they do not).")
  var by = "place"

  @Option(
    help: "Views that must show a code before it counts (default: 2 over a moving camera, else 1).")
  var agreement: Int?

  @Option(
    help: ArgumentHelp("Count only these symbologies, separated by commas.", valueName: "list"),
    transform: SymbologyList.init)
  var formats: SymbologyList?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print CSV: RFC 4180, every text quoted.")
  var csv = false

  private var identity: CountReport.Identity? { CountReport.Identity(rawValue: by) }

  func validate() throws {
    guard identity != nil else { throw ValidationError("--by takes place or content.") }
    guard live != !inputs.isEmpty else { throw ValidationError("Name pictures or folders, or use --live.") }
    guard !(json && csv) else { throw ValidationError("--json and --csv exclude each other.") }
    guard seconds == nil || live else { throw ValidationError("--seconds needs --live.") }
    guard seconds.map({ $0.isFinite && $0 > 0 }) ?? true else {
      throw ValidationError("--seconds takes a number above 0.")
    }
    guard agreement.map({ (1...100).contains($0) }) ?? true else {
      throw ValidationError("--agreement takes 1 to 100.")
    }
  }

  func run() async throws {
    let isMoving = live || moving
    var configuration = isMoving ? ScanConfiguration.live(formats?.symbologies ?? Symbology.common) : .still
    if let formats { configuration.symbologies = formats.symbologies }
    do {
      var tally = Tally(
        count: CodeCounter(agreement: agreement ?? (isMoving ? 2 : 1)), scanner: try BarcodeScanner(configuration),
        isMoving: isMoving)
      if live { try await follow(&tally) } else { look(at: ScanInput.expand(inputs), &tally) }
      finish(tally)
      let outcome: ExitStatus = tally.count.result.isEmpty ? .nothingFound : .success
      let status = max(tally.worst, outcome)
      if status != .success { throw ExitCode(status.rawValue) }
    } catch let error as BarcodeError {
      Output.fail(.unavailable, error.message, hint: error.hint)
    } catch {
      try fail(error)
    }
  }

  /// The counter, the scanner that reads the codes for it, and the names of the pictures that were read.
  private struct Tally: ~Copyable {
    var count: CodeCounter
    var scanner: BarcodeScanner
    let isMoving: Bool
    var names: [String] = []
    var worst = ExitStatus.success

    mutating func look(_ image: GrayImage, name: String) {
      let reading = image.withView { scanner.scan($0) }
      if !isMoving { count.endStretch() }
      count.look(
        reading.symbols.map {
          ObservedCode(
            content: CodeContent(symbology: $0.symbology.rawValue, text: $0.text), quad: $0.corners)
        }, size: Double(max(image.width, image.height)))
      names.append(name)
    }
  }

  private func look(at inputs: [ScanInput], _ tally: inout Tally) {
    let decoder = PictureDecoder()
    for input in inputs {
      do throws(ImageError) {
        tally.look(try decoder.gray(try input.read(keepsColour: false)).image, name: input.name)
      } catch {
        // Files of a folder that are not pictures are skipped without a message.
        if input.isFound, [.unknownFormat, .unsupportedFormat, .emptyFile].contains(error.code) { continue }
        Output.diagnostic("waymark: \(input.name): \(error.message)\n  \(error.hint)")
        tally.worst = max(tally.worst, error.exitStatus)
      }
    }
  }

  /// Counts in pictures of the service's camera.
  private func follow(_ tally: inout Tally) async throws {
    let client = try await WaymarkClient.connect(to: place.path)
    let (end, over) = (seconds.map { MonotonicClock.now + $0 }, StopSignal())
    let signals = EndSignals.received([SIGINT])
    let waiting = Task { for await _ in signals { over.raise() } }
    defer { waiting.cancel() }
    let decoder = PictureDecoder()
    var shown = -1
    for try await picture in try client.pictures(MediaPreviewRequest(rate: 15)) {
      if over.isRaised || end.map({ MonotonicClock.now >= $0 }) ?? false { return }
      // A truncated frame is skipped.
      guard let image = try? decoder.gray(picture.bytes).image else { continue }
      tally.look(image, name: "live")
      let total = tally.count.result.reduce(0) { $0 + $1.amount }
      if total != shown, isatty(STDERR_FILENO) == 1 { Output.draw("\r\(total) counted ") }
      shown = total
    }
  }

  private func finish(_ tally: borrowing Tally) {
    let report = CountReport(tally.count, by: identity ?? .place, inputs: tally.names, isMoving: tally.isMoving)
    if isatty(STDERR_FILENO) == 1, live { Output.draw("\r") }
    if json {
      try? Output.record(report)
    } else if csv {
      // The output is read by programs, so control characters are not escaped.
      Output.data(Data(report.csv.utf8))
    } else {
      Output.line(report.text)
    }
    if let stretches = report.stretches, stretches > 1, identity == .place {
      Output.diagnostic(
        "waymark: the camera's position was lost \(stretches - 1) times: codes seen on both sides of a gap may count twice.\n"
          + "  Keep at least two different codes in view while moving, or use --by content.")
    }
  }
}
