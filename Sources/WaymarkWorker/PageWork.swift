package import WaymarkDocuments
package import WaymarkGeometry
import WaymarkImage
import WaymarkSystem

/// What is to be made of a picture of a page: all of it happens where the picture is decoded.
package struct PageOrder: Hashable, Sendable {
  /// What is wanted.
  package enum Wish: Hashable, Sendable {
    /// Where the page is: near that place, whatever is there; nil: anywhere, if there is one.
    case place(near: Quadrilateral?)
    /// The page as a JPEG file, no wider than that many pixels.
    case jpeg(width: Int?)
    /// The page as a PNG file.
    case png
    /// The page as a PDF holds it.
    case coded
  }

  /// What is wanted.
  package var wish: Wish
  /// Where the page is; nil: the whole picture is one.
  package var outline: Quadrilateral?
  /// How its sides bend: `SideBends.numbers`.
  package var bends: [Double]?
  /// What is done to it.
  package var filter: PageFilter
  /// Quarter turns, clockwise.
  package var turns: Int

  /// An order.
  package init(
    _ wish: Wish, outline: Quadrilateral? = nil, bends: [Double]? = nil, filter: PageFilter = .photo, turns: Int = 0
  ) {
    self.wish = wish
    self.outline = outline
    self.bends = bends
    self.filter = filter
    self.turns = turns
  }

  /// What was made.
  package enum Result: Hashable, Sendable {
    /// Where the page is; nil: none was found.
    case place(PagePlace?)
    /// A file, or what a PDF holds, and its size on paper.
    case picture(CodedPage, paper: PDFWriter.PaperSize)
  }

  /// Does it.
  func result(_ file: UnsafeRawBufferPointer) throws(ImageError) -> Result {
    let image = try PictureDecoder().rgb(file).image
    if case .place(let near) = wish {
      let detector = PageDetector()
      let found = near.map { detector.follow(image, from: $0) } ?? detector.detect(image)
      return .place(found.map { PagePlace($0, width: image.width, height: image.height) })
    }
    let rectifier = PageRectifier()
    var format: PageFormat?
    var page = image
    if let outline {
      guard let drawn = rectifier.rectify(image, outline: outline, bends: bends.flatMap { SideBends(numbers: $0) })
      else {
        throw ImageError(
          .cannotEncode, "the corners are no page's outline",
          hint: "Give them clockwise from the page's top left, without a turn inwards.")
      }
      page = drawn
      format = PageShape(outline: outline, width: Double(image.width), height: Double(image.height)).format
    }
    var filtered = filter.apply(page).turned(turns)
    if case .jpeg(let width?) = wish { filtered = filtered.reduced(width: width) }
    let (width, height) = filtered.size
    let paper = PDFWriter.PaperSize(format: format, width: width, height: height)
    switch wish {
    case .jpeg:
      return .picture(
        CodedPage(coding: .colour, width: width, height: height, bytes: try filtered.jpeg(quality: 88)), paper: paper)
    case .png:
      return .picture(CodedPage(coding: .colour, width: width, height: height, bytes: try filtered.png()), paper: paper)
    default: return .picture(try CodedPage(filtered, size: paper), paper: paper)
    }
  }
}

/// Where a page is in a picture.
package struct PagePlace: Hashable, Sendable {
  package var outline: Quadrilateral
  /// `SideBends.numbers`; nil where its sides are straight.
  package var bends: [Double]?
  package var score: Double
  /// Of the picture, in pixels.
  package var width: Int
  package var height: Int

  init(_ page: DetectedPage, width: Int, height: Int) {
    outline = page.outline
    bends = SideBends(page)?.numbers
    score = page.score
    self.width = width
    self.height = height
  }
}

// MARK: - The wire between daemon and worker

extension PageOrder {
  /// No order has more bytes than this.
  static let byteLimit = 256
  private static let far = -1e6...1e6
  private static let sizes = PictureDecoder.defaultPixelLimit

  func write(to wire: inout WireWriter) {
    switch wish {
    case .place(let near):
      wire.number(0)
      Self.write(near, to: &wire)
    case .jpeg(let width):
      wire.number(1)
      wire.count(width ?? 0)
    case .png: wire.number(2)
    case .coded: wire.number(3)
    }
    Self.write(outline, to: &wire)
    wire.list(bends ?? []) { $0.real($1) }
    wire.number(filter.place)
    wire.count(((turns % 4) + 4) % 4)
  }

  init(_ wire: inout WireReader) throws(WireReader.Malformed) {
    switch try wire.number() {
    case 0: wish = .place(near: try Self.outline(&wire))
    case 1:
      let width = try wire.count(upTo: Self.sizes)
      wish = .jpeg(width: width == 0 ? nil : width)
    case 2: wish = .png
    case 3: wish = .coded
    default: throw WireReader.Malformed()
    }
    outline = try Self.outline(&wire)
    let numbers = try wire.list(upTo: 8) { wire throws(WireReader.Malformed) in try wire.real(within: -4...4) }
    bends = numbers.isEmpty ? nil : numbers
    filter = try wire.choice(PageFilter.self)
    turns = try wire.count(upTo: 3)
  }

  fileprivate static func write(_ outline: Quadrilateral?, to wire: inout WireWriter) {
    wire.list(outline?.corners.flatMap { [$0.x, $0.y] } ?? []) { $0.real($1) }
  }

  fileprivate static func outline(_ wire: inout WireReader) throws(WireReader.Malformed) -> Quadrilateral? {
    let n = try wire.list(upTo: 8) { wire throws(WireReader.Malformed) in try wire.real(within: far) }
    guard n.count == 8 else {
      guard n.isEmpty else { throw WireReader.Malformed() }
      return nil
    }
    return Quadrilateral(
      topLeft: Point2(n[0], n[1]), topRight: Point2(n[2], n[3]), bottomRight: Point2(n[4], n[5]),
      bottomLeft: Point2(n[6], n[7]))
  }
}

extension PageOrder.Result {
  func write(to wire: inout WireWriter) {
    switch self {
    case .place(let place):
      wire.number(0)
      PageOrder.write(place?.outline, to: &wire)
      guard let place else { return }
      wire.list(place.bends ?? []) { $0.real($1) }
      wire.real(place.score)
      wire.count(place.width)
      wire.count(place.height)
    case .picture(let page, let paper):
      wire.number(1)
      wire.number(page.coding.place)
      wire.count(page.width)
      wire.count(page.height)
      wire.real(paper.width)
      wire.real(paper.height)
      wire.raw(page.bytes)
    }
  }

  init(_ wire: inout WireReader) throws(WireReader.Malformed) {
    let limit = PictureDecoder.defaultPixelLimit
    switch try wire.number() {
    case 0:
      guard let outline = try PageOrder.outline(&wire) else {
        self = .place(nil)
        return
      }
      let bends = try wire.list(upTo: 8) { wire throws(WireReader.Malformed) in try wire.real(within: -4...4) }
      let score = try wire.real(within: 0...1)
      let (width, height) = (try wire.count(upTo: limit), try wire.count(upTo: limit))
      self = .place(
        PagePlace(outline: outline, bends: bends.isEmpty ? nil : bends, score: score, width: width, height: height))
    case 1:
      let coding = try wire.choice(CodedPage.Coding.self)
      let (width, height) = (try wire.count(upTo: limit), try wire.count(upTo: limit))
      let paper = (try wire.real(within: 0.1...10_000), try wire.real(within: 0.1...10_000))
      var size = PDFWriter.PaperSize(format: nil, width: width, height: height)
      (size.width, size.height) = paper
      let page = CodedPage(
        coding: coding, width: width, height: height, bytes: try wire.raw(upTo: WorkerArena.outputLimit))
      self = .picture(page, paper: size)
    default: throw WireReader.Malformed()
    }
  }
}

extension PagePlace {
  fileprivate init(outline: Quadrilateral, bends: [Double]?, score: Double, width: Int, height: Int) {
    self.outline = outline
    self.bends = bends
    self.score = score
    self.width = width
    self.height = height
  }
}
