package import WaymarkGeometry
package import WaymarkImage

/// Reads the lines of a picture: finds them, draws each as the network likes it, and makes one reading of several.
package struct TextReader {
  /// Reads a picture of one line: all languages or the first alone, only characters of an alphabet.
  package typealias Recognizer = (GrayImage, _ asksAll: Bool, LineAlphabet) throws -> [ReadSymbol]

  /// The characters that lines may have.
  package var alphabet = LineAlphabet.any
  /// How each line is drawn: all ways for a picture, one for a frame that is followed by others.
  package var styles = LinePicture.Style.all
  /// Waymark's own network, where it is there.
  package var lattice: OwnReading.Network?
  /// Asked before each line and before each further drawing of it: once it is false, the rest of the picture is not read. Bounds the
  /// cost of a picture.
  package var goesOn: () -> Bool = { true }
  /// A reading that is as sure is turned by no half turn to see whether that is surer.
  private static let sureEnough = 0.6
  private let finder = LineFinder()
  private let recognize: Recognizer

  package init(_ recognize: @escaping Recognizer) { self.recognize = recognize }

  /// The lines of a picture, or of the part of it within `region`, with their places in the whole picture.
  package func read(_ view: ImageView, region: (x: Int, y: Int, width: Int, height: Int)? = nil) throws -> [ReadLine] {
    try readAsFar(view, region: region).lines
  }

  /// The lines as far as `goesOn` allowed, and how many outlines of lines were left unread.
  package func readAsFar(
    _ view: ImageView, region: (x: Int, y: Int, width: Int, height: Int)? = nil
  ) throws -> (lines: [ReadLine], skipped: Int) {
    let region = region ?? (0, 0, view.width, view.height)
    let part = view.cropped(x: region.x, y: region.y, width: region.width, height: region.height)
    guard part.width > 0, part.height > 0 else { return ([], 0) }
    let offset = Homography.translation(Point2(Double(max(0, region.x)), Double(max(0, region.y))))
    var (outlines, leftOut) = finder.search(part)
    if alphabet == .zone { outlines = Self.evened(outlines) }
    var lines: [ReadLine] = []
    for (index, outline) in outlines.enumerated() {
      guard goesOn() else { return (lines, outlines.count - index + leftOut) }
      guard let picture = Self.rectified(part, outline) else { continue }
      if alphabet == .zone, let line = Self.zoneLine(part, outline) {
        lines.append(ReadLine(line.symbols, outline: offset.apply(line.outline)))
        continue
      }
      // Where no pitch is found, as in perspective.
      if alphabet == .zone, let lattice, let symbols = try OwnReading.zone(in: picture, lattice) {
        lines.append(ReadLine(symbols, outline: offset.apply(outline)))
        continue
      }
      var reading = try self.reading(of: picture)
      var place = outline
      if reading.confidence < Self.sureEnough, outlines.count > 1 || part.height > 120, goesOn() {
        let turned = try self.reading(of: Self.turned(picture))
        if turned.confidence > reading.confidence + 0.1 {
          reading = turned
          place = outline.turned(by: 2)
        }
      }
      // A place that no rendering is sure of is texture.
      guard !reading.symbols.isEmpty, outlines.count == 1 || reading.confidence > 0.35 else { continue }
      var line = ReadLine(reading.symbols, outline: offset.apply(place))
      line.readings = reading.all
      lines.append(line)
    }
    return (lines, leftOut)
  }

  /// Outlines of lines that are equally long, as those of a machine-readable zone are: parts of one line are joined, and what was found of a
  /// line reaches as far as the longest one beside it.
  static func evened(_ outlines: [Quadrilateral]) -> [Quadrilateral] {
    func length(_ outline: Quadrilateral) -> Double { outline.topLeft.distance(to: outline.topRight) }
    func height(_ outline: Quadrilateral) -> Double { outline.topLeft.distance(to: outline.bottomLeft) }
    func direction(_ outline: Quadrilateral) -> Point2 {
      (outline.topRight - outline.topLeft) / max(1, length(outline))
    }
    func along(_ from: Point2, _ to: Point2, _ line: Quadrilateral) -> Double {
      let (step, own) = (to - from, direction(line))
      return step.x * own.x + step.y * own.y
    }
    /// How far a line's middle is above or below another one's.
    func across(_ line: Quadrilateral, _ other: Quadrilateral) -> Double {
      let step = (other.topLeft + other.bottomRight - line.topLeft - line.bottomRight) / 2
      let own = direction(line)
      return abs(step.y * own.x - step.x * own.y)
    }
    var kept: [(place: Int, outline: Quadrilateral)] = []
    for (place, outline) in outlines.enumerated().sorted(by: { length($0.element) > length($1.element) }) {
      let longer = kept.first { line in
        let reach = 2 * height(line.outline)
        return length(line.outline) > 10 * height(line.outline) && across(line.outline, outline) < 2 * reach
          && along(line.outline.topLeft, outline.topLeft, line.outline) > -reach
          && along(line.outline.topRight, outline.topRight, line.outline) < reach
      }
      guard let longer = longer?.outline else {
        kept.append((place, outline))
        continue
      }
      if kept.contains(where: { across($0.outline, outline) < 0.5 * height(longer) }) { continue }
      // A short piece does not tell its direction well.
      let own = direction(2 * length(outline) < length(longer) ? longer : outline)
      let left = own * min(0, -along(longer.topLeft, outline.topLeft, longer))
      let right = own * max(0, -along(longer.topRight, outline.topRight, longer))
      let even = Quadrilateral(
        topLeft: outline.topLeft + left, topRight: outline.topRight + right, bottomRight: outline.bottomRight + right,
        bottomLeft: outline.bottomLeft + left)
      kept.append((place, even))
    }
    return kept.sorted { $0.place < $1.place }.map(\.outline)
  }

  /// A line of a machine-readable zone, whichever way up; nil where it is none.
  private static func zoneLine(
    _ view: ImageView, _ outline: Quadrilateral
  ) -> (symbols: [ReadSymbol], outline: Quadrilateral)? {
    // A little longer: fillers at an end are easily left out.
    let across = outline.topRight - outline.topLeft
    let length = outline.topLeft.distance(to: outline.topRight)
    guard length > 0 else { return nil }
    let more = across * (1.5 * outline.topLeft.distance(to: outline.bottomLeft) / length)
    let outline = Quadrilateral(
      topLeft: outline.topLeft - more, topRight: outline.topRight + more, bottomRight: outline.bottomRight + more,
      bottomLeft: outline.bottomLeft - more)
    guard let picture = rectified(view, outline) else { return nil }
    if let symbols = ZoneLineReader(picture)?.read() { return (symbols, outline) }
    return ZoneLineReader(turned(picture))?.read().map { ($0, outline.turned(by: 2)) }
  }

  /// The result for one line, and what it was made of.
  private struct Reading {
    var symbols: [ReadSymbol]
    var all: [[ReadSymbol]]

    var confidence: Double { ReadLine.confidence(of: symbols) }
  }

  /// Reads a picture of one line with all networks that are there. Waymark's own decides where all its views say the same, and it is surer than
  /// Tesseract's: where it was trained on such print it is sure, and where it was not its views differ.
  private func reading(of image: GrayImage) throws -> Reading {
    let views =
      try lattice.map { try OwnReading.readings(of: image, views: styles.count, limitedTo: alphabet, $0) } ?? []
    let own = Reading(symbols: LineVote.surest(views), all: [])
    let drawn = goesOn() || own.symbols.isEmpty ? try readings(of: image) : []
    let theirs = Reading(symbols: LineVote.surest(drawn), all: drawn)
    guard !own.symbols.isEmpty else { return theirs }
    // Its views are not independent: as witness for a check digit they count as one.
    let all = [own.symbols] + drawn
    let isAgreed = Set(views.map(ReadLine.text(of:))).count == 1
    let isBelieved = theirs.symbols.isEmpty || isAgreed && own.confidence > theirs.confidence
    return Reading(symbols: isBelieved ? own.symbols : theirs.symbols, all: all)
  }

  /// Reads a picture of one line, once for each way in which it is drawn.
  private func readings(of image: GrayImage) throws -> [[ReadSymbol]] {
    let plain = styles.contains { !$0.isFlat } ? image.withView { LinePicture($0) } : nil
    let flat = styles.contains(where: \.isFlat) ? image.withView { LinePicture($0, on: .flat) } : nil
    var isFirst = true
    return try styles.compactMap { style in
      guard let line = style.isFlat ? flat : plain, isFirst || goesOn() else { return nil }
      isFirst = false
      return try Self.paired(
        Self.trimmed(recognize(line.drawn(style), style.asksAll, alphabet).map(Self.plain)))
    }
  }

  /// The marks that networks trained on books read on labels, and the plain ones.
  private static let marks = ["“": "\"", "”": "\"", "„": "\"", "‘": "'", "’": "'", "—": "-", "–": "-"]

  private static func plain(_ symbol: ReadSymbol) -> ReadSymbol {
    guard let mark = marks[symbol.text] else { return symbol }
    var symbol = symbol
    symbol.text = mark
    return symbol
  }

  /// Without what specks and borders at the ends of a line are taken for.
  private static func trimmed(_ symbols: [ReadSymbol]) -> [ReadSymbol] {
    let specks: Set<String> = ["\"", "'", "|", "_", "-", "~", "\\", "{", "}", "`", ".", ","]
    func isSpeck(_ symbol: ReadSymbol, _ most: Double) -> Bool {
      specks.contains(symbol.text) && symbol.confidence < most
    }
    var rest = symbols[...]
    // However sure: a text that begins with a quotation mark has another one, and none begins with the others.
    let stray: Set<String> = ["\"", "\\", "`", "~"]
    if let first = rest.first, rest.count > 1, stray.contains(first.text),
      rest.count(where: { $0.text == first.text }) == 1
    {
      rest = rest.dropFirst()
    }
    while let first = rest.first, rest.count > 1, isSpeck(first, 0.7) { rest = rest.dropFirst() }
    while let last = rest.last, rest.count > 1, isSpeck(last, 0.35) { rest = rest.dropLast() }
    return Array(rest)
  }

  /// Brackets closed by those of the kind that was opened: the kinds differ by little in print. The last mark of a line is corrected to what
  /// alone can stand there: a bracket that is open is closed, and a word that no quotation mark precedes is followed by a colon.
  private static func paired(_ symbols: [ReadSymbol]) -> [ReadSymbol] {
    let closing = ["(": ")", "[": "]", "{": "}"]
    var open: [String] = []
    var paired = symbols.map { symbol in
      var symbol = symbol
      if let close = closing[symbol.text] {
        open.append(close)
      } else if closing.values.contains(symbol.text), let close = open.popLast() {
        symbol.text = close
      }
      return symbol
    }
    guard paired.count > 1, let mark = paired.last?.text else { return paired }
    let isAfterLetter = paired[paired.count - 2].text.allSatisfy(\.isLetter)
    if mark == ";", let close = open.last {
      paired[paired.count - 1].text = close
    } else if mark == "\"", isAfterLetter, paired.count(where: { $0.text == mark }) == 1 {
      paired[paired.count - 1].text = ":"
    }
    return paired
  }

  /// The part within an outline as a picture of its own; nil for an outline that is not a quadrilateral.
  package static func rectified(_ view: ImageView, _ outline: Quadrilateral) -> GrayImage? {
    let whole = LineFinder.outline(of: view)
    if outline == whole { return GrayImage(copying: view) }
    let across = outline.topRight - outline.topLeft
    let down = outline.bottomLeft - outline.topLeft
    let (width, height) = (
      Int(outline.topLeft.distance(to: outline.topRight)), Int(outline.topLeft.distance(to: outline.bottomLeft))
    )
    guard (4...8000).contains(width), (4...2000).contains(height) else { return nil }
    let (stepX, stepY) = (across / Double(width), down / Double(height))
    return GrayImage(width: width, height: height) { target in
      for y in 0..<height {
        for x in 0..<width {
          let p = outline.topLeft + stepX * (Double(x) + 0.5) + stepY * (Double(y) + 0.5)
          target[y * width + x] = UInt8(max(0, min(255, view.bilinear(p) + 0.5)))
        }
      }
    }
  }

  private static func turned(_ image: GrayImage) -> GrayImage {
    GrayImage(width: image.width, height: image.height) { target in
      let count = image.width * image.height
      image.withView { view in
        for i in 0..<count { target[count - 1 - i] = view.base[i] }
      }
    }
  }
}
