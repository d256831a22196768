package import WaymarkImage

/// Reads the lines of a picture: finds them, draws each as the network likes it, and makes one reading of several.
package struct TextReader {
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
  /// A line counts as texture where Waymark's own network is less sure of it at first sight.
  private static let leastOfText = 0.3
  /// Where no line has to be, one that no network is as sure of is texture.
  private static let leastConfidence = 0.5
  /// The same for one or two characters: so little is in every texture.
  private static let leastOfFew = 0.8
  /// Networks that agree on less of their characters see texture; on those that Tesseract reads rightly they agree on nearly all.
  private static let leastAgreement = 0.5
  /// A line that Waymark's own network says with this likelihood at first sight is not looked at again.
  private static let clear = 0.99
  /// Tesseract does not read a line that Waymark's own network says with this likelihood.
  private static let believed = 0.9
  /// How much of a panel's height, without its rim, lies above and below its characters at most.
  private static let panelMargin = 0.1
  /// A cut-out that is so much higher than wide may hold a line that stands upright.
  private static let tall = 1.5
  /// A picture that is not higher, in pixels, was cut out of another one and is upright.
  private static let cutHeight = 120
  private var finder = LineFinder()
  /// More lines of a picture are not read.
  package var lineLimit: Int {
    get { finder.lineLimit }
    set { finder.lineLimit = newValue }
  }
  private let recognize: TesseractReading.Recognizer

  package init(_ recognize: @escaping TesseractReading.Recognizer) { self.recognize = recognize }

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
    let found = finder.search(part)
    var outlines = found.outlines
    if alphabet == .zone { outlines = Self.evened(outlines) }
    var lines: [ReadLine] = []
    for (index, outline) in outlines.enumerated() {
      guard goesOn() else { return (lines, outlines.count - index + found.leftOut) }
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
      // A picture that was cut out holds a line.
      let isSure = found.isWhole && part.height <= Self.cutHeight
      var turns = outlines.count > 1 || part.height > Self.cutHeight ? [2] : []
      if found.isWhole, Double(part.height) > Self.tall * Double(part.width) { turns += [1, 3] }
      guard let reading = try reading(of: picture, isSure: isSure, turns: turns), !reading.symbols.isEmpty,
        isSure || reading.isText
      else { continue }
      lines.append(Self.line(reading, offset.apply(outline.turned(by: reading.turn))))
    }
    if alphabet != .zone {
      for line in try onPanels(found.panels, of: part) {
        var line = line
        line.outline = offset.apply(line.outline)
        lines.append(line)
      }
    }
    // A word on a spotted ground, cut out by hand or by another program.
    if lines.isEmpty, !found.isWhole, alphabet != .zone, part.height <= Self.cutHeight, goesOn() {
      let reading = try reading(of: GrayImage(copying: part), isSure: true, turns: [])
      if let reading, reading.isText { lines.append(Self.line(reading, offset.apply(LineFinder.outline(of: part)))) }
    }
    return (lines, found.leftOut)
  }

  private static func line(_ reading: Reading, _ outline: Quadrilateral) -> ReadLine {
    var line = ReadLine(reading.symbols, outline: outline)
    line.readings = reading.all
    line.lattices = reading.lattices
    return line
  }

  /// Lines that fill panels: seven segments and the like, of which Tesseract knows nothing.
  private func onPanels(_ panels: [Quadrilateral], of part: ImageView) throws -> [ReadLine] {
    guard let lattice else { return [] }
    return try panels.compactMap { panel in
      guard goesOn(), let picture = Self.rectified(part, panel) else { return nil }
      let inner = Int(Self.panelMargin * Double(picture.height))
      let rows = inner...(picture.height - 1 - inner)
      guard var own = try OwnReading(picture, rows: rows, limitedTo: alphabet, lattice), own.glance >= Self.leastOfText
      else { return nil }
      try own.look(times: styles.count, lattice)
      let symbols = own.group
      guard ReadLine.confidence(of: symbols) > Self.leastConfidence else { return nil }
      return Self.line(Reading(symbols: symbols, all: [symbols], lattices: [own.lattice]), panel)
    }
  }

  /// The result for one line, and what it was made of.
  private struct Reading {
    var symbols: [ReadSymbol]
    var all: [[ReadSymbol]]
    /// The surest view that Waymark's own network had of it, where it saw it.
    var lattices: [LineLattice] = []
    /// By how many corners the line is turned.
    var turn = 0

    var confidence: Double { ReadLine.confidence(of: symbols) }
    /// True if it is sure enough where no line has to be.
    var isText: Bool { confidence > (symbols.count < 3 ? TextReader.leastOfFew : TextReader.leastConfidence) }
  }

  /// Reads a picture of one line with all networks that are there, whichever way up; nil for texture.
  ///
  /// - Parameters:
  ///   - isSure: true if a line stands there, false if it may be texture.
  ///   - turns: by how many corners it may be turned.
  private func reading(of image: GrayImage, isSure: Bool, turns: [Int]) throws -> Reading? {
    guard let lattice, var own = try OwnReading(image, isCutOut: isSure, limitedTo: alphabet, lattice) else {
      return try tesseractAlone(image, turns: turns)
    }
    var picture = image
    var turn = 0
    for other in turns where own.glance < Self.sureEnough {
      let over = image.oriented(Orientation(quarterTurns: -other))
      if let turned = try OwnReading(over, isCutOut: isSure, limitedTo: alphabet, lattice),
        turned.glance > own.glance + 0.1
      {
        (own, picture, turn) = (turned, over, other)
      }
    }
    guard isSure || own.glance >= Self.leastOfText else { return nil }
    if own.likelihood < Self.clear { try own.look(times: styles.count, lattice) }
    var reading = try settled(own, picture, isSure: isSure)
    reading.lattices = [own.lattice]
    reading.turn = turn
    return reading
  }

  /// Waymark's own network decides. Tesseract is asked only where that is unsure, and believed only where more of its drawings than views of
  /// the network say one text.
  private func settled(_ own: OwnReading, _ image: GrayImage, isSure: Bool) throws -> Reading {
    let symbols = own.symbols
    let isAgreed = own.witnesses == own.readings.count
    if isAgreed, !symbols.isEmpty, own.likelihood >= Self.believed { return Reading(symbols: symbols, all: [symbols]) }
    func isText(_ theirs: [ReadSymbol]) -> Bool {
      isSure || isAgreed || LineVote.agreement(symbols, theirs) >= Self.leastAgreement
    }
    let drawn = goesOn() || symbols.isEmpty ? try drawings(image) { goesOn() && isText($0) } : []
    let theirs = Reading(symbols: LineVote.surest(drawn), all: drawn)
    guard !symbols.isEmpty else { return theirs }
    guard theirs.symbols.isEmpty || isText(theirs.symbols) else { return Reading(symbols: [], all: []) }
    // Its views are not independent: as witness for a check digit they count as one.
    let all = [symbols] + drawn
    // The network that says its text more often decides, and of equals the one that is calibrated.
    let isBelieved =
      theirs.symbols.isEmpty
      || own.witnesses >= drawn.count { ReadLine.text(of: $0) == ReadLine.text(of: theirs.symbols) }
    return Reading(symbols: isBelieved ? symbols : LineVote.weighed(theirs.symbols, against: symbols), all: all)
  }

  /// Reads a line of a language that Waymark's own network does not know.
  private func tesseractAlone(_ image: GrayImage, turns: [Int]) throws -> Reading {
    func read(_ turn: Int) throws -> Reading {
      let drawn = try drawings(image.oriented(Orientation(quarterTurns: -turn))) { _ in goesOn() }
      return Reading(symbols: LineVote.surest(drawn), all: drawn, turn: turn)
    }
    var best = try read(0)
    for turn in turns where best.confidence < Self.sureEnough && goesOn() {
      let turned = try read(turn)
      if turned.confidence > best.confidence + 0.1 { best = turned }
    }
    return best
  }

  private func drawings(_ image: GrayImage, goesOn: ([ReadSymbol]) -> Bool) throws -> [[ReadSymbol]] {
    try TesseractReading.readings(of: image, drawn: styles, limitedTo: alphabet, goesOn: goesOn, recognize)
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
}
