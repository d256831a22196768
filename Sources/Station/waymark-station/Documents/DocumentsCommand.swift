import ArgumentParser
import Foundation
import WaymarkCommands
import WaymarkDocuments
import WaymarkImage
import WaymarkProtocol
import WaymarkStation
import WaymarkSystem

/// `waymark documents`: finds pages in pictures and makes clean files of them. Its subcommand `find` is in this file,
/// with the result that it prints (`PageReport`).
struct DocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Finds the page in a picture, and makes a clean PDF or picture of it.",
    subcommands: [DocumentsFindCommand.self, DocumentsScanCommand.self])
}

/// Loads the models for finding pages; ends the command if they cannot be used.
func pageModels() throws -> PageModels {
  do {
    return try PageModels.load()
  } catch {
    try fail(error)
  }
}

/// `waymark documents find`: finds the page in each picture.
struct DocumentsFindCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Print where the page is in each picture.",
    discussion: """
      Reads JPEG, PNG, WebP, BMP, GIF and PNM files by their contents, with the package waymark-pictures also TIFF, HEIC, AVIF, \
      JPEG XL and the pages of PDF; folders with everything below them; - is standard input. \
      Corners are in pixels of the upright picture, clockwise from the page's top left.

      Exit codes, the first that applies to any input: 64 usage, 66 a file cannot be opened, 65 a file is not a picture \
      or damaged, 1 no page found, 0 all well.
      Example:
        waymark documents find page.jpg --json
      """)

  @Argument(help: ArgumentHelp("Pictures, folders, or - for standard input.", valueName: "picture"))
  var inputs: [String]

  @Flag(help: "Print one JSON object per picture.")
  var json = false

  @Flag(
    help: ArgumentHelp(
      "Print the features of each quadrilateral, in colour and in gray, that its score is computed from.",
      visibility: .hidden))
  var evidence = false

  @Option(
    name: .letter(.jobs),
    help: "Pictures that are worked on at the same time (default: one per processor).")
  var jobs: Int?

  @Option(help: ArgumentHelp("Refuse pictures of more pixels.", valueName: "count"))
  var maxPixels = PictureDecoder.defaultPixelLimit

  func validate() throws {
    try ScanInput.check(inputs, maxPixels: maxPixels, jobs: jobs)
  }

  func run() throws {
    let decoder = PictureDecoder(pixelLimit: maxPixels)
    let models = try pageModels()
    if evidence { return try printEvidence(decoder, PageDetector(models)) }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    var worst = ExitStatus.success
    OrderedTasks.run(ScanInput.expand(inputs), jobs: jobs ?? cores) { () -> (ScanInput) -> [PageReport] in
      let detector = PageDetector(models)
      return { InputPage.pages(of: $0, keepsColour: true).map { PageReport(of: $0, decoder, detector) } }
    } deliver: { reports in
      for report in reports {
        report.show(json: json)
        worst = max(worst, report.exitStatus)
      }
      return true
    }
    if worst != .success { throw ExitCode(worst.rawValue) }
  }
}

extension DocumentsFindCommand {
  private struct Evidence: Encodable {
    struct Hypothesis: Encodable {
      var corners: [[Double]]
      var values: [Double]

      init(_ hypothesis: (outline: Quadrilateral, values: [Double])) {
        corners = hypothesis.outline.corners.map { [$0.x, $0.y] }
        values = hypothesis.values
      }
    }

    var input: String
    var first: [Hypothesis]
    var traced: [Hypothesis]
  }

  private func printEvidence(_ decoder: PictureDecoder, _ detector: PageDetector) throws {
    for item in ScanInput.expand(inputs) {
      do {
        let bytes = try item.read(keepsColour: true)
        // The service searches files in colours, and frames in gray.
        let colours = detector.evidence(in: try decoder.rgb(bytes).image)
        let gray = try decoder.gray(bytes).image.withView { detector.evidence(in: $0) }
        for found in [colours, gray] {
          let record = Evidence(
            input: item.name, first: found.first.map(Evidence.Hypothesis.init),
            traced: found.traced.map(Evidence.Hypothesis.init))
          Output.data(Data(try JSONLineEncoder.line(record)))
        }
      } catch {
        try fail(error)
      }
    }
  }
}

/// The result for one picture, or one page of a file: the object that `--json` prints.
struct PageReport: Sendable, Encodable {
  let input: String
  /// The number of the page in a file of several, from 1.
  let number: Int?
  /// Seconds of processor time for finding the page in the decoded picture.
  private(set) var elapsed: Double?
  private(set) var page: DetectedPage?
  /// The other pages in the picture.
  private(set) var others: [DetectedPage] = []
  private(set) var shape: PageShape?
  private(set) var error: ImageError?

  init(of filePage: InputPage, _ decoder: PictureDecoder, _ detector: PageDetector) {
    input = filePage.input.name
    number = filePage.number
    do {
      let picture = try decoder.rgb(try filePage.read()).image
      let start = ProcessorClock.thread
      page = detector.detect(picture)
      elapsed = ProcessorClock.thread - start
      others = page.map { detector.others(beside: $0) } ?? []
      shape = page.map {
        PageShape(outline: $0.outline, width: Double(picture.width), height: Double(picture.height))
      }
    } catch {
      self.error = error
    }
  }

  var exitStatus: ExitStatus {
    if let error { return error.exitStatus }
    return page == nil ? .nothingFound : .success
  }

  func show(json: Bool) {
    let name = DisplayText.escaped(InputPage.name(input, number))
    if let error { Output.diagnostic("waymark: \(name): \(error.message)\n  \(error.hint)") }
    if json {
      // Encoding does not fail, as all numbers are finite.
      Output.data(Data((try? JSONLineEncoder.line(self)) ?? []))
    } else if error == nil {
      Output.line("\(name): \(text)")
    }
  }

  private var text: String {
    guard let page else { return "no page" }
    let corners = page.outline.corners.map { "(\(Int($0.x.rounded())), \(Int($0.y.rounded())))" }
    let kind = shape?.format.map { ", \($0.rawValue)" } ?? ""
    let further = others.isEmpty ? "" : ", \(others.count) more beside it"
    return "page at \(corners.joined(separator: " "))\(kind), score \((page.score * 100).rounded() / 100)\(further)"
  }

  private struct Other: Encodable {
    var corners: [[Double]]
    var score: Double

    init(_ page: DetectedPage) {
      corners = page.outline.corners.map { [$0.x, $0.y] }
      score = page.score
    }
  }

  private enum Key: String, CodingKey {
    case input, page, elapsed, corners, score, format, others, error
    case code, message, hint
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(input, forKey: .input)
    try container.encodeIfPresent(number, forKey: .page)
    try container.encode(elapsed, forKey: .elapsed)
    try container.encode(page?.outline.corners.map { [$0.x, $0.y] }, forKey: .corners)
    try container.encode(page?.score, forKey: .score)
    try container.encode(shape?.format?.rawValue, forKey: .format)
    try container.encode(others.map(Other.init), forKey: .others)
    if let error {
      var object = container.nestedContainer(keyedBy: Key.self, forKey: .error)
      try object.encode(error.code.rawValue, forKey: .code)
      try object.encode(error.message, forKey: .message)
      try object.encode(error.hint, forKey: .hint)
    }
  }
}
