import ArgumentParser
import Foundation
import WaymarkCommands
import WaymarkImage
import WaymarkProtocol
import WaymarkService
import WaymarkStation
import WaymarkSystem
import WaymarkText

/// `waymark text`: reads printed text in pictures. `FrameFollower` below reads a sequence as the service does, and
/// `TextReport` is the printed result.
struct TextCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "text",
    abstract: "Read lines of printed text in pictures.",
    discussion: """
      Reads JPEG, PNG, WebP, BMP, GIF and PNM files by their contents, with the package waymark-pictures also TIFF, HEIC, AVIF, \
      JPEG XL and the pages of PDF; folders with everything below them; - is standard input. \
      Lines stand in any direction, dark on light or light on dark. A pattern is a name (digits, date, number, mrz, expiry, lot, \
      luhn, imei, gtin, gtin-8, gtin-12, gtin-13, gtin-14, sscc, iban, vin, mod97-10, mod11-2, mod37-36, or plate-DE and others by \
      country) or a regular expression for the whole text between slashes (/[A-Z]{2}[0-9]{4}/); what \
      satisfies one is accepted. With --frames the pictures of a folder are frames of one camera, a tenth of a second apart, and a text is \
      accepted once frames agree on it, as the service does it. Needs the package waymark-text.

      Exit codes, the first that applies to any input: 64 usage, 66 a file cannot be opened, 65 a file is not a picture or damaged, 69 \
      the package or a language is not installed, 1 nothing was read or, with a pattern, nothing accepted, 0 all well.
      Examples:
        waymark text plate.jpg
        waymark text --pattern '/[A-Z]{2}[0-9]{4}/' --json plate.jpg
      """)

  @Argument(help: ArgumentHelp("Pictures, folders, or - for standard input.", valueName: "picture"))
  var inputs: [String]

  @Flag(help: "Print one JSON object per picture.")
  var json = false

  @Option(
    name: .letter(.pattern),
    help: ArgumentHelp(
      "The pattern: a name, or a regular expression as /…/ or re:…; may be repeated.", valueName: "pattern"))
  var pattern: [String] = []

  @Option(help: ArgumentHelp("Read within this part of the picture only, in pixels.", valueName: "x,y,width,height"))
  var region: String?

  @Flag(help: "Treat the pictures of a folder as frames of one camera, and vote over them.")
  var frames = false

  @Option(help: ArgumentHelp("The languages of the text, as Tesseract names its models.", valueName: "eng+deu"))
  var languages = TextEngine.usualLanguages.joined(separator: "+")

  @Option(help: ArgumentHelp("Refuse pictures of more pixels.", valueName: "count"))
  var maxPixels = PictureDecoder.defaultPixelLimit

  func validate() throws {
    try ScanInput.check(inputs, maxPixels: maxPixels)
    guard region == nil || area != nil else {
      throw ValidationError("--region takes four whole numbers: x,y,width,height, width and height above 0.")
    }
  }

  private var area: (x: Int, y: Int, width: Int, height: Int)? {
    guard let region else { return nil }
    let numbers = region.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    let known = numbers.compactMap { $0 }.filter { (0...1_000_000).contains($0) }
    guard numbers.count == 4, known.count == 4, known[2] > 0, known[3] > 0 else { return nil }
    return (known[0], known[1], known[2], known[3])
  }

  /// Seconds after which no further line of a picture is read.
  static let pictureLimit = 20.0

  func run() throws {
    let acceptance: TextAcceptance
    let engine: TextEngine
    var alphabet = LineAlphabet.any
    var patterns: [TextPattern] = []
    do {
      for word in pattern { patterns.append(try TextPattern.named(word)) }
      acceptance = try TextAcceptance(patterns)
      if patterns.count == 1 { alphabet = LineAlphabet(patterns[0]) }
      engine = try TextEngine(languages: languages.split(separator: "+").map(String.init))
    } catch {
      try fail(error)
    }
    var reader = engine.reader()
    reader.alphabet = alphabet
    var follower = FrameFollower(patterns, languages.split(separator: "+").map(String.init))
    let decoder = PictureDecoder(pixelLimit: maxPixels)
    var worst = ExitStatus.success
    var isAnyFound = false
    for item in ScanInput.expand(inputs).lazy.flatMap({ InputPage.pages(of: $0, keepsColour: false) }) {
      var report = TextReport(input: item.input.name, page: item.number)
      do {
        let picture = try decoder.gray(try item.read()).image
        let began = MonotonicClock.now
        if frames {
          try follower.see(picture, named: item.input.name, region: area, &report)
        } else {
          let end = began + Self.pictureLimit
          reader.continues = { MonotonicClock.now < end }
          (report.lines, report.skipped) = try picture.withView { view throws in
            try reader.readAsFar(view, region: area)
          }
          report.accepted = acceptance.accepted(in: report.lines)
        }
        report.elapsed = MonotonicClock.now - began
      } catch let error as ImageError {
        report.error = .init(error.code.rawValue, error.message, error.hint, error.exitStatus)
      } catch let error as TextError {
        report.error = .init(error.code.rawValue, error.message, error.hint, error.exitStatus)
      }
      report.show(json: json)
      let isFound = pattern.isEmpty ? !report.lines.isEmpty : !report.accepted.isEmpty
      isAnyFound = isAnyFound || isFound || report.candidates?.isEmpty == false && pattern.isEmpty
      // A frame without an accepted text is not a failure.
      worst = max(worst, report.error?.status ?? (isFound || frames ? .success : .nothingFound))
    }
    if frames, !isAnyFound { worst = max(worst, .nothingFound) }
    if worst != .success { throw ExitCode(worst.rawValue) }
  }
}

/// Reads pictures as the service reads frames: the lines of each picture are drawn in one `LinePicture.Style`, and the
/// pictures vote.
private struct FrameFollower {
  /// The assumed seconds between two pictures.
  private static let step = 0.1
  private let engineHost = TextEngineHost()
  private var seeker: TextProcessor?
  private var folder = ""
  private var count = 0
  private let patterns: [TextPattern]
  private let languages: [String]

  init(_ patterns: [TextPattern], _ languages: [String]) {
    self.patterns = patterns
    self.languages = languages
  }

  mutating func see(
    _ picture: GrayImage, named name: String, region: (x: Int, y: Int, width: Int, height: Int)?,
    _ report: inout TextReport
  ) throws {
    let own = String(name.lastIndex(of: "/").map { name[..<$0] } ?? "")
    // The pictures of another folder are frames of another camera, so following starts over.
    if seeker == nil || own != folder {
      let engineHost = engineHost
      seeker = TextProcessor(
        { image, asksAll, alphabet, languages in
          try engineHost.read(image, asksAll: asksAll, alphabet: alphabet, languages: languages, now: 0)
        }, lattice: { try engineHost.lattice($0, languages: $1, now: 0) })
      (folder, count) = (own, 0)
    }
    let (width, height) = (Double(picture.width), Double(picture.height))
    let part = region.flatMap { part in
      let (x, y) = (Double(part.x) / width, Double(part.y) / height)
      return ScanRegion([x, y, min(1 - x, Double(part.width) / width), min(1 - y, Double(part.height) / height)])
    }
    let task = TextTask(region: part ?? .whole, patterns: patterns, languages: languages)
    let reading = picture.withView { seeker?.look($0, at: Self.step * Double(count), task) }
    count += 1
    if let failure = reading?.failure { throw failure }
    report.candidates = reading?.candidates ?? []
    report.accepted = reading?.accepted.map { [$0] } ?? []
  }
}

extension TextErrorCode: CommandErrorCode {
  var exitStatus: ExitStatus { self == .badPattern ? .usage : .unavailable }
}

/// The result for one picture, or one page of a file: the object that `--json` prints.
struct TextReport: Encodable {
  struct Failure: Encodable {
    let code: String
    let message: String
    let hint: String
    let status: ExitStatus

    init(_ code: String, _ message: String, _ hint: String, _ status: ExitStatus) {
      self.code = code
      self.message = message
      self.hint = hint
      self.status = status
    }

    private enum CodingKeys: CodingKey { case code, message, hint }
  }

  let input: String
  /// The number of the page in a file of several, from 1.
  let page: Int?
  /// Seconds from the decoded picture to the accepted texts.
  var elapsed: Double?
  var lines: [ReadLine] = []
  /// The number of lines that were not read within `TextCommand.pictureLimit`, or that exceed `LineFinder.lineLimit`.
  var skipped = 0
  /// The candidates of the frames so far; nil without `--frames`.
  var candidates: [AcceptedText]?
  var accepted: [AcceptedText] = []
  var error: Failure?

  init(input: String, page: Int?) {
    self.input = input
    self.page = page
  }

  func show(json: Bool) {
    let name = DisplayText.escaped(InputPage.name(input, page))
    if let error { Output.diagnostic("waymark: \(name): \(error.message)\n  \(error.hint)") }
    if skipped > 0 {
      Output.diagnostic(
        "waymark: \(name): \(skipped) more lines were not read: of a picture at most "
          + "\(LineFinder().lineLimit) lines are read, for at most \(Int(TextCommand.pictureLimit)) seconds.\n  Read a part of it with --region."
      )
    }
    if error == nil, lines.isEmpty, skipped == 0, candidates == nil {
      Output.diagnostic("waymark: \(name): no text was found.")
    }
    if json {
      // Encoding does not fail, as all numbers are finite.
      Output.json(
        (try? JSONLineEncoder.line(self)).map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines) }
          ?? "")
    } else if error == nil {
      for line in lines { Output.line("\(name): \(DisplayText.escaped(line.text))") }
      for text in accepted {
        let doubt = text.isDoubtful ? " (doubtful)" : ""
        Output.line("\(name): \(text.pattern): \(DisplayText.escaped(text.text))\(doubt)")
      }
    }
  }

  private struct Line: Encodable {
    let text: String
    let corners: [[Double]]
    let confidence: Double

    init(_ line: ReadLine) {
      text = line.text
      corners = line.outline.corners.map { [$0.x, $0.y] }
      confidence = line.confidence
    }
  }

  private enum Key: CodingKey { case input, page, elapsed, lines, skipped, candidates, accepted, error }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(input, forKey: .input)
    try container.encodeIfPresent(page, forKey: .page)
    try container.encodeIfPresent(elapsed, forKey: .elapsed)
    try container.encode(lines.map(Line.init), forKey: .lines)
    if skipped > 0 { try container.encode(skipped, forKey: .skipped) }
    try container.encodeIfPresent(candidates?.map(TextCandidate.init), forKey: .candidates)
    try container.encode(accepted.map(TextCandidate.init), forKey: .accepted)
    try container.encodeIfPresent(error, forKey: .error)
  }
}
