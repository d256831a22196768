import ArgumentParser
import Foundation
import WaymarkCommands
import WaymarkDocuments
import WaymarkImage
import WaymarkStation
import WaymarkSystem
import WaymarkText

/// `waymark documents scan`: makes clean pages from pictures. Below are its output (`PageFile`) and the values of its
/// options (`FilterName`, `FormatName`, `CornerList`).
struct DocumentsScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Make a clean PDF, JPEG or PNG of the pages in pictures.",
    discussion: """
      Each picture, and each page of a TIFF or PDF, gives one page of the PDF, in the order in which they are named; a picture in which \
      no page is found is used as a whole, with a warning. A .jpg or .png file takes one picture. The file appears completely or not at all.
      Examples:
        waymark documents scan page-1.jpg page-2.jpg -o letter.pdf
        waymark documents scan receipt.jpg --filter bw -o - | lp
        waymark documents scan letter.jpg --text -o letter.pdf

      Exit codes, the first that applies: 64 usage, 66 a file cannot be opened, 74 the result cannot be written, 65 a \
      file is not a picture or damaged, 69 the package waymark-text or a language is not installed, 0 all well.
      """)

  @Argument(help: ArgumentHelp("Pictures, folders, or - for standard input.", valueName: "picture"))
  var inputs: [String]

  @Option(
    name: .letter(.output),
    help: ArgumentHelp("The file to write: .pdf, .jpg or .png; - writes a PDF to standard output.", valueName: "file"),
    completion: .file())
  var output: String

  @Option(
    help: "How pages are filtered: colour (shadows removed), grayscale, bw (black and white) or photo (nothing).")
  var filter = FilterName.colour

  @Option(
    help: ArgumentHelp(
      "Where the page is, in pixels of the upright picture: x,y of the top left, top right, bottom right and bottom left corner.",
      valueName: "x,y,…"),
    transform: CornerList.init)
  var corners: CornerList?

  @Option(help: "The paper's format: A4, A5, Letter or ID-1 (default: from the page's shape).")
  var format: FormatName?

  @Option(help: ArgumentHelp("The title in the PDF (default: the name of the file).", valueName: "text"))
  var title: String?

  @Flag(
    help: "Put the text of the pages into the PDF, unseen, for searching and copying. Needs the package waymark-text.")
  var text = false

  @Option(help: ArgumentHelp("The languages of the text, as Tesseract names its models.", valueName: "eng+deu"))
  var languages = TextEngine.usualLanguages.joined(separator: "+")

  @Option(help: ArgumentHelp("Refuse pictures of more pixels.", valueName: "count"))
  var maxPixels = PictureDecoder.defaultPixelLimit

  private enum Kind { case pdf, jpeg, png }

  private var writesToStandardOutput: Bool { output == "-" }

  private var kind: Kind? {
    let name = output.lowercased()
    if writesToStandardOutput || name.hasSuffix(".pdf") { return .pdf }
    if name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") { return .jpeg }
    return name.hasSuffix(".png") ? .png : nil
  }

  func validate() throws {
    try ScanInput.check(inputs, maxPixels: maxPixels)
    guard let kind else { throw ValidationError("--output takes a .pdf, .jpg or .png file, or -, not \(output).") }
    guard kind == .pdf || inputs.count == 1 else {
      throw ValidationError("Several pictures go into one .pdf; a .jpg or .png holds one page.")
    }
    guard corners == nil || inputs.count == 1 else { throw ValidationError("--corners is for one picture.") }
    guard !text || kind == .pdf else { throw ValidationError("--text goes into a PDF, not \(output).") }
  }

  func run() throws {
    let items = ScanInput.expand(inputs)
    guard kind == .pdf || items.count == 1 else {
      throw ValidationError("\(inputs[0]) holds several pictures; they go into one .pdf.")
    }
    do {
      try write(items)
    } catch let problem as FileError {
      Output.fail(.cannotWrite, problem.message, hint: problem.hint)
    }
  }

  private func write(_ items: [ScanInput]) throws {
    var file = try PageFile(writesToStandardOutput ? nil : output)
    var worst = ExitStatus.success
    let detector = PageDetector(try pageModels())
    let wordReader = try wordReader()
    var writer = PDFWriter(
      PDFWriter.Metadata(
        title: title ?? URL(fileURLWithPath: output).deletingPathExtension().lastPathComponent,
        producer: "Waymark \(waymarkVersion)", created: Int(WallClock.now)))
    if kind == .pdf { try file.append(writer.begin()) }
    for item in items.lazy.flatMap({ pages(of: $0) }) {
      do {
        let picture = try PictureDecoder(pixelLimit: maxPixels).rgb(try item.read()).image
        let scanned = try scan(picture, item.name, detector)
        switch kind {
        case .pdf:
          let words = try words(of: scanned.upright, named: item.name, wordReader)
          try file.append(writer.add(scanned.page, size: scanned.size, words: words))
        case .png: try file.append(scanned.page.png())
        case .jpeg, nil: try file.append(scanned.page.jpeg(quality: JPEGQuality.file))
        }
      } catch let error as TextError {
        try fail(error)
      } catch let error as ImageError {
        Output.diagnostic("waymark: \(DisplayText.escaped(item.name)): \(error.message)\n  \(error.hint)")
        worst = max(worst, error.exitStatus)
      }
    }
    guard worst == .success else {
      Output.diagnostic(
        "waymark: \(writesToStandardOutput ? "the PDF" : output) was not written, because not every picture could be read"
      )
      throw ExitCode(worst.rawValue)
    }
    if kind == .pdf { try file.append(writer.end()) }
    try file.publish()
  }

  /// The reader of the pages' text; nil without `--text`.
  private func wordReader() throws -> PageWordReader? {
    guard text else { return nil }
    do {
      return try PageWordReader(languages: languages.split(separator: "+").map(String.init))
    } catch {
      try fail(error)
    }
  }

  /// Reads the words of a page; empty without `--text`.
  private func words(of page: RGBImage, named name: String, _ reader: borrowing PageWordReader?) throws -> [PageWord] {
    guard text, case .gray(let evenlyLit) = PageFilter.grayscale.apply(page),
      let read = try reader?.words(of: evenlyLit)
    else { return [] }
    if read.skipped > 0 {
      Output.diagnostic("waymark: \(DisplayText.escaped(name)): \(read.skipped) lines of text were not read.")
    }
    return read.words
  }

  /// Returns the pages of an input, or the first if the result is a single page.
  private func pages(of input: ScanInput) -> [InputPage] {
    let pages = InputPage.pages(of: input, keepsColour: true)
    guard kind != .pdf, pages.count > 1 else { return pages }
    Output.diagnostic(
      "waymark: \(DisplayText.escaped(input.name)): only the first of its \(pages.count) pages goes into \(output)\n"
        + "  Name a .pdf file for all of them.")
    return [pages[0]]
  }

  private func scan(
    _ picture: RGBImage, _ name: String, _ detector: PageDetector
  ) throws(ImageError) -> (page: FilteredPage, upright: RGBImage, size: PDFWriter.PaperSize) {
    let rectifier = PageRectifier()
    var rectified: RGBImage?
    var found: PageFormat?
    if let corners {
      rectified = rectifier.rectify(
        picture, outline: corners.outline, bends: PageBends(outline: corners.outline, in: picture))
      guard rectified != nil else {
        throw ImageError(
          .cannotEncode, "the corners do not form the outline of a page",
          hint: "List them clockwise from the page's top left, as a convex quadrilateral.")
      }
      found = PageShape(outline: corners.outline, width: Double(picture.width), height: Double(picture.height)).format
    } else if let page = detector.detect(picture) {
      rectified = rectifier.rectify(picture, page: page)
      found = PageShape(outline: page.outline, width: Double(picture.width), height: Double(picture.height)).format
    }
    if rectified == nil {
      Output.diagnostic(
        "waymark: \(DisplayText.escaped(name)): no page was found; the whole picture is used\n  Name its corners with --corners."
      )
    }
    let page = rectified ?? picture
    let size = PDFWriter.PaperSize(format: format?.value ?? found, width: page.width, height: page.height)
    return (filter.value.apply(page), page, size)
  }
}

/// The output: a file that appears at the end, completely or not at all, or standard output, which is written at the end.
private struct PageFile: ~Copyable {
  private let file: DraftFile?
  private var bytes: [UInt8] = []

  /// Begins the output file at a path; nil for standard output.
  init(_ path: String?) throws(FileError) { file = if let path { try DraftFile(path) } else { nil } }

  mutating func append(_ part: [UInt8]) throws(FileError) {
    if file == nil { bytes += part } else { try file?.append(part) }
  }

  consuming func publish() throws(FileError) {
    if let file { try file.publish() } else { Output.data(Data(bytes)) }
  }
}

/// The values of `--filter`.
enum FilterName: String, ExpressibleByArgument, CaseIterable {
  case colour
  case grayscale
  case blackAndWhite = "bw"
  case photo

  var value: PageFilter {
    switch self {
    case .colour: .colour
    case .grayscale: .grayscale
    case .blackAndWhite: .blackAndWhite
    case .photo: .photo
    }
  }
}

/// The values of `--format`: the paper formats that have a fixed size.
enum FormatName: String, ExpressibleByArgument, CaseIterable {
  case a4 = "A4"
  case a5 = "A5"
  case letter = "Letter"
  case id1 = "ID-1"

  var value: PageFormat {
    switch self {
    case .a4: .a4
    case .a5: .a5
    case .letter: .letter
    case .id1: .id1
    }
  }
}

/// The value of `--corners`: x and y of the four corners, clockwise from the page's top left.
struct CornerList: Sendable {
  let outline: Quadrilateral

  init(_ argument: String) throws {
    let numbers = argument.split(whereSeparator: { $0 == "," || $0 == " " }).map { Double($0) }
    let known = numbers.compactMap { $0 }.filter { $0.isFinite && abs($0) < 1e6 }
    guard numbers.count == 8, known.count == 8 else {
      throw ValidationError("--corners takes eight numbers: x,y of each corner, clockwise from the page's top left.")
    }
    outline = Quadrilateral(
      topLeft: Point2(known[0], known[1]), topRight: Point2(known[2], known[3]),
      bottomRight: Point2(known[4], known[5]), bottomLeft: Point2(known[6], known[7]))
  }
}
