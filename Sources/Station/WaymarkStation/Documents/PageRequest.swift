package import WaymarkDocuments
package import WaymarkImage
import WaymarkSystem
package import WaymarkWorker

/// A request to the worker that decodes the picture of a page. `PageLocation` below is its answer about the position of
/// a page.
package struct PageRequest: Hashable, Sendable {
  package enum Operation: Hashable, Sendable {
    /// Finds the page near an outline, or anywhere if nil.
    case place(near: Quadrilateral?)
    /// Finds the page near an outline, or anywhere if `nil`: its exact outline, its bends, and the outlines of further
    /// pages.
    case settled(near: Quadrilateral?)
    /// Finds the bends of a page outlined by a person, and its exact outline if it `snaps`.
    case adjusted(Quadrilateral, snaps: Bool)
    /// Encodes the page as JPEG, at most `width` pixels wide; nil for its full width.
    case jpeg(width: Int?)
    /// Encodes the page as PNG.
    case png
    /// Encodes the page as image data of a PDF.
    case coded
  }

  package var operation: Operation
  /// The outline of the page; nil for the whole picture.
  package var outline: Quadrilateral?
  /// `PageBends.numbers`; nil for a flat page.
  package var bends: [Double]?
  package var filter: PageFilter
  /// Quarter turns, clockwise.
  package var turns: Int

  package init(
    _ operation: Operation, outline: Quadrilateral? = nil, bends: [Double]? = nil, filter: PageFilter = .photo,
    turns: Int = 0
  ) {
    self.operation = operation
    self.outline = outline
    self.bends = bends
    self.filter = filter
    self.turns = turns
  }

  package enum Result: Hashable, Sendable {
    /// The page; nil if none was found.
    case place(PageLocation?)
    /// A picture file, or the picture data of a PDF's page, with the size on paper.
    case picture(CodedPage, paper: PDFWriter.PaperSize)
  }

  /// Returns the embedded models. Errors are converted to errors that a worker can report.
  private static func models() throws(ImageError) -> PageModels {
    do throws(ModelError) {
      return try PageModels.load()
    } catch {
      throw ImageError(.cannotOpen, error.message, hint: error.hint, cause: error.cause)
    }
  }

  /// Decodes a picture file and runs the request on it.
  ///
  /// - Throws: `ImageError` if the file cannot be decoded, the models cannot be read, the outline cannot be a page, or the result
  ///   cannot be encoded.
  package func result(_ file: UnsafeRawBufferPointer) throws(ImageError) -> Result {
    let image = try PictureDecoder().rgb(file).image
    switch operation {
    case .place(let near):
      let detector = PageDetector(try Self.models())
      let found = near.map { detector.follow(image, from: $0) } ?? detector.detect(image)
      return .place(found.map { PageLocation($0, bends: PageBends(sidesOf: $0), in: image) })
    case .settled(let near):
      let detector = PageDetector(try Self.models())
      guard let found = near.map({ detector.settle(image, near: $0) }) ?? detector.detect(image) else {
        return .place(nil)
      }
      var place = PageLocation(found, bends: PageBends(found, in: image), in: image)
      place.others = detector.others(beside: found).map(\.outline)
      return .place(place)
    case .adjusted(let outline, snaps: true):
      let found = PageDetector(try Self.models()).follow(image, from: outline)
      return .place(found.map { PageLocation($0, bends: PageBends($0, in: image), in: image) })
    case .adjusted(let outline, snaps: false):
      return .place(PageLocation(outline, bends: PageBends(outline: outline, in: image), score: 1, in: image))
    case .jpeg, .png, .coded: break
    }
    let rectifier = PageRectifier()
    var format: PageFormat?
    var page = image
    if let outline {
      guard let drawn = rectifier.rectify(image, outline: outline, bends: bends.flatMap { PageBends(numbers: $0) })
      else {
        throw ImageError(
          .cannotEncode, "the corners do not form the outline of a page",
          hint: "List them clockwise from the page's top left, as a convex quadrilateral.")
      }
      page = drawn
      format = PageShape(outline: outline, width: Double(image.width), height: Double(image.height)).format
    }
    var filtered = filter.apply(page).turned(turns)
    if case .jpeg(let width?) = operation { filtered = filtered.reduced(width: width) }
    let (width, height) = filtered.size
    let paper = PDFWriter.PaperSize(format: format, width: width, height: height)
    switch operation {
    case .jpeg:
      return .picture(
        CodedPage(coding: .colour, width: width, height: height, bytes: try filtered.jpeg(quality: JPEGQuality.page)),
        paper: paper)
    case .png:
      return .picture(CodedPage(coding: .colour, width: width, height: height, bytes: try filtered.png()), paper: paper)
    default: return .picture(try CodedPage(filtered, size: paper), paper: paper)
    }
  }
}

/// The position of a page in a picture.
package struct PageLocation: Hashable, Sendable {
  package var outline: Quadrilateral
  /// `PageBends.numbers`; nil if the page is flat.
  package var bends: [Double]?
  package var score: Double
  /// The outlines of further pages, likeliest first; only from `settled`.
  package var others: [Quadrilateral] = []
  /// The size of the picture in pixels.
  package var width: Int
  package var height: Int

  package init(
    outline: Quadrilateral, bends: [Double]?, score: Double, others: [Quadrilateral] = [], width: Int, height: Int
  ) {
    self.outline = outline
    self.bends = bends
    self.score = score
    self.others = others
    self.width = width
    self.height = height
  }

  fileprivate init(_ page: DetectedPage, bends: PageBends?, in image: RGBImage) {
    self.init(page.outline, bends: bends, score: page.score, in: image)
  }

  fileprivate init(_ outline: Quadrilateral, bends: PageBends?, score: Double, in image: RGBImage) {
    self.init(
      outline: outline, bends: bends?.numbers, score: score, width: image.width, height: image.height)
  }
}

// MARK: - Wire format

extension PageRequest: WorkerTask {
  /// `PageBends.numbers`, if there are any.
  fileprivate static let bendNumbers: Wire<[Double]?> =
    Wire<Double>.real(within: -4...4).list(upTo: PageBends.numberLimit).optional
  private static let width: Wire<Int?> = Wire<Int>.count(from: 1, upTo: PictureDecoder.defaultPixelLimit).optional
  private static let nothing: Wire<Int> = Wire<Int>.count(upTo: 0)

  private static let place = WireForm<Operation>(
    Quadrilateral.wire.optional, { .place(near: $0) }, { if case .place(let near) = $0 { .some(near) } else { nil } })
  private static let settled = WireForm<Operation>(
    Quadrilateral.wire.optional, { .settled(near: $0) },
    { if case .settled(let near) = $0 { .some(near) } else { nil } })
  private static let adjusted = WireForm<Operation>(
    inOrder(Quadrilateral.wire, Wire<Bool>.flag), { .adjusted($0, snaps: $1) },
    { if case .adjusted(let outline, let snaps) = $0 { (outline, snaps) } else { nil } })
  private static let jpeg = WireForm<Operation>(
    width, { .jpeg(width: $0) }, { if case .jpeg(let width) = $0 { .some(width) } else { nil } })
  private static let png = WireForm<Operation>(nothing, { _ in .png }, { $0 == .png ? 0 : nil })
  private static let coded = WireForm<Operation>(nothing, { _ in .coded }, { $0 == .coded ? 0 : nil })

  private static let fields = inOrder(
    Wire<Operation>.forms(place, jpeg, png, coded, settled, adjusted), Quadrilateral.wire.optional, bendNumbers,
    Wire<PageFilter>.choice,
    Wire<Int>.count(upTo: 3))

  package static let wire: Wire<PageRequest> = fields.map(
    { PageRequest($0.0, outline: $0.1, bends: $0.2, filter: $0.3, turns: $0.4) },
    { ($0.operation, $0.outline, $0.bends, $0.filter, (($0.turns % 4) + 4) % 4) })
}

extension PageRequest.Result: WireValue {
  private static let length: Wire<Double> = Wire<Double>.real(within: 0.1...10_000)
  private static let paper: Wire<PDFWriter.PaperSize> = inOrder(length, length).map(
    { width, height -> PDFWriter.PaperSize? in
      var paper = PDFWriter.PaperSize(format: nil, width: 1, height: 1)
      (paper.width, paper.height) = (width, height)
      return paper
    }, { ($0.width, $0.height) })
  private static let page: Wire<CodedPage> = inOrder(
    Wire<CodedPage.Coding>.choice, ArenaPictureSize.wire, Wire<[UInt8]>.raw(upTo: WorkerArena.outputLimit)
  ).map(
    { CodedPage(coding: $0.0, width: $0.1.width, height: $0.1.height, bytes: $0.2) },
    { ($0.coding, ArenaPictureSize(width: $0.width, height: $0.height), $0.bytes) })

  private static let placeForm = WireForm<PageRequest.Result>(
    PageLocation.wire.optional, { .place($0) }, { if case .place(let place) = $0 { .some(place) } else { nil } })
  private static let pictureForm = WireForm<PageRequest.Result>(
    inOrder(page, paper), { .picture($0.0, paper: $0.1) },
    { if case .picture(let page, let paper) = $0 { (page, paper) } else { nil } })

  package static let wire: Wire<PageRequest.Result> = Wire<PageRequest.Result>.forms(placeForm, pictureForm)
}

extension PageLocation: WireValue {
  private static let fields = inOrder(
    Quadrilateral.wire, PageRequest.bendNumbers, Wire<Double>.real(within: 0...1), ArenaPictureSize.wire,
    Quadrilateral.wire.list(upTo: PageDetector.mostOthers))

  package static let wire: Wire<PageLocation> = fields.map(
    { outline, bends, score, size, others in
      PageLocation(
        outline: outline, bends: bends, score: score, others: others, width: size.width, height: size.height)
    },
    { ($0.outline, $0.bends, $0.score, ArenaPictureSize(width: $0.width, height: $0.height), $0.others) })
}
