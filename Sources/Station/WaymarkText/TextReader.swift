package import WaymarkImage

/// Reads the lines of a picture: finds them, draws each for the networks, and combines the readings.
package struct TextReader {
  /// The allowed characters of lines.
  package var alphabet = LineAlphabet.any
  /// The styles in which each line is drawn: all for a picture, one for a frame of a stream.
  package var styles = LinePicture.Style.all
  /// Waymark's own network, if it is available.
  package var lattice: OwnReading.Network?
  /// The network of words, which is used with `lattice` for pictures, not for frames.
  package var words: OwnReading.Network?
  /// Called before each line and each further drawing of it. Once it returns false, the rest of the picture is not read,
  /// which limits the time per picture.
  package var continues: () -> Bool = { true }
  /// The confidence of the first view below which a line in the orientation of the others is also read turned by 180°.
  private static let leastUprightConfidence = 0.6
  /// The confidence of Tesseract alone below which the line is also read in other orientations.
  private static let leastPlainConfidence = 0.9
  /// The confidence of the first view of Waymark's own network below which a line is taken as texture.
  private static let leastOfText = 0.3
  /// The confidence below which a line that was not expected is taken as texture.
  private static let leastConfidence = 0.5
  /// The confidence below which one or two characters are taken as texture, which easily yields them.
  private static let leastOfFew = 0.8
  /// The largest number of lines that are viewed upside down to find the orientation of all.
  private static let sharedLimit = 6
  /// The share of characters on which both networks agree below which a line is taken as texture; on lines that Tesseract
  /// reads correctly they agree on nearly all.
  private static let leastAgreement = 0.5
  /// The likelihood of the first view from which a line is not viewed again.
  private static let clear = 0.99
  /// The likelihood of the reading of Waymark's own network at or above which Tesseract is not used.
  private static let believed = 0.9
  /// The margin above and below a panel's characters, as a share of its height without its rim.
  private static let panelMargin = 0.1
  /// The ratio of height to width from which a cut-out may show a vertical line.
  private static let tall = 1.5
  /// The largest height in pixels of a picture that is taken as an upright cut-out of a line.
  private static let cutHeight = 120
  /// The least number of characters of a row, and the most of a line that may be a part of a row, or texture.
  private static let leastOfRow = 4
  private var finder = LineFinder()
  /// The largest number of lines of a picture that are read.
  package var lineLimit: Int {
    get { finder.lineLimit }
    set { finder.lineLimit = newValue }
  }
  private let recognize: TesseractReading.Recognizer

  package init(_ recognize: @escaping TesseractReading.Recognizer) { self.recognize = recognize }

  /// Returns the lines of a picture, or of its part within `region`, with outlines in the whole picture.
  package func read(_ view: ImageView, region: (x: Int, y: Int, width: Int, height: Int)? = nil) throws -> [ReadLine] {
    try readAsFar(view, region: region).lines
  }

  /// Returns the lines read until `continues` returned false, and the number of lines that were found but not read.
  ///
  /// - Throws: the errors of the networks.
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
    let shared = alphabet == .zone ? SharedWay() : try sharedWay(of: outlines, in: part)
    for (index, outline) in outlines.enumerated() {
      guard continues() else { return (lines, outlines.count - index + found.leftOut) }
      guard let picture = Self.rectified(part, outline) else { continue }
      if alphabet == .zone, let line = Self.zoneLine(part, outline) {
        lines.append(ReadLine(line.symbols, outline: offset.apply(line.outline)))
        continue
      }
      // This is for zones without a regular pitch, as in perspective.
      if alphabet == .zone, let lattice, let symbols = try OwnReading.zone(in: picture, lattice) {
        lines.append(ReadLine(symbols, outline: offset.apply(outline)))
        continue
      }
      // A cut-out picture certainly shows a line.
      let isSure = found.isWhole && part.height <= Self.cutHeight
      let turns = found.isWhole ? Self.turns(part) : [2]
      guard
        let reading = try reading(
          of: picture, isSure: isSure, turns: turns, likely: Self.likely(outline, isWhole: found.isWhole),
          known: shared.ways[index] ?? [],
          shared: shared.turn),
        !reading.symbols.isEmpty, isSure || reading.isText
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
    // The picture may be a word on a spotted background, cut out by hand or by another program.
    if lines.isEmpty, !found.isWhole, alphabet != .zone, part.height <= Self.cutHeight, continues() {
      let reading = try reading(of: GrayImage(copying: part), isSure: true, turns: [2])
      if let reading, reading.isText {
        lines.append(Self.line(reading, offset.apply(LineFinder.outline(of: part).turned(by: reading.turn))))
      }
    }
    // Lines of texture may outweigh a row of characters, such as a plate on a car.
    if styles.count > 1, alphabet != .zone, part.height > Self.cutHeight,
      lines.allSatisfy({ $0.symbols.count <= Self.leastOfRow })
    {
      for row in finder.rows(in: part) where continues() {
        let height = row.topLeft.distance(to: row.bottomLeft)
        guard !outlines.contains(where: { $0.cornerDistance(to: row) < height / 8 }),
          let picture = Self.rectified(part, row), let reading = try reading(of: picture, isSure: false, turns: [2])
        else { continue }
        let line = Self.line(reading, offset.apply(row.turned(by: reading.turn)))
        let count = line.symbols.count
        let parts = lines.filter { $0.outline.overlaps(line.outline) }
        guard reading.isText, count >= Self.leastOfRow, parts.allSatisfy({ $0.symbols.count < count }) else { continue }
        lines.removeAll { $0.outline.overlaps(line.outline) }
        lines.append(line)
      }
    }
    return (lines, found.leftOut)
  }

  /// Returns the numbers of quarter turns by which a line that fills a picture may be rotated, other than 0.
  private static func turns(_ part: ImageView) -> [Int] {
    let (width, height) = (Double(part.width), Double(part.height))
    return height > tall * width ? [1, 3] : height > width ? [2, 1, 3] : [2]
  }

  /// Returns the numbers of quarter turns that are likely for a line: the numbers that make a tall picture of one line level,
  /// otherwise 0; empty for a line that is closer to vertical than to level.
  private static func likely(_ outline: Quadrilateral, isWhole: Bool) -> [Int] {
    let step = outline.topRight - outline.topLeft
    guard isWhole else { return abs(step.x) >= abs(step.y) ? [0] : [] }
    return outline.topLeft.distance(to: outline.bottomLeft) > tall * step.length ? [1, 3] : [0]
  }

  private static func line(_ reading: Reading, _ outline: Quadrilateral) -> ReadLine {
    var line = ReadLine(reading.symbols, outline: outline)
    line.readings = reading.all
    line.lattices = reading.lattices
    return line
  }

  /// Reads lines that fill panels, such as seven-segment digits, which Tesseract cannot read.
  private func onPanels(_ panels: [Quadrilateral], of part: ImageView) throws -> [ReadLine] {
    guard let lattice else { return [] }
    return try panels.compactMap { panel in
      guard continues(), let picture = Self.rectified(part, panel) else { return nil }
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

  /// The result for one line, and the readings from which it was combined.
  private struct Reading {
    var symbols: [ReadSymbol]
    var all: [[ReadSymbol]]
    /// The lattice of the likeliest view of Waymark's own network.
    var lattices: [LineLattice] = []
    /// The number of quarter turns by which the line is rotated.
    var turn = 0

    var confidence: Double { ReadLine.confidence(of: symbols) }
    /// True if the confidence suffices for a line that was not expected.
    var isText: Bool { confidence > (symbols.count < 3 ? TextReader.leastOfFew : TextReader.leastConfidence) }
  }

  /// The orientation that the lines of a picture have in common.
  private struct SharedWay {
    /// The number of quarter turns by which the lines are rotated; `nil` if the lines do not agree.
    var turn: Int?
    /// The orientations in which lines were viewed, by the index of the line.
    var ways: [Int: [LineWay]] = [:]
  }

  /// Views lines upright and upside down, the longest first, until one orientation is certain.
  private func sharedWay(of outlines: [Quadrilateral], in part: ImageView) throws -> SharedWay {
    var shared = SharedWay()
    guard outlines.count > 1, let lattice else { return shared }
    let lengths = outlines.map { $0.topLeft.distance(to: $0.topRight) }
    var odds = 0.0
    for index in outlines.indices.sorted(by: { lengths[$0] > lengths[$1] }).prefix(Self.sharedLimit) where continues() {
      guard let picture = Self.rectified(part, outlines[index]),
        let first = try LineWay(picture, turn: 0, limitedTo: alphabet, lattice)
      else { continue }
      shared.ways[index] = [first]
      if first.isCertain {
        odds += LineWay.certain
      } else if let turned = try LineWay(picture, turn: 2, limitedTo: alphabet, lattice) {
        shared.ways[index] = [first, turned]
        odds += max(-LineWay.certain, min(LineWay.certain, first.odds(against: turned)))
      }
      guard abs(odds) < LineWay.certain else {
        shared.turn = odds > 0 ? 0 : 2
        return shared
      }
    }
    return shared
  }

  /// Reads a picture of one line with all available networks, in several orientations; `nil` for texture, and for a line of
  /// uncertain orientation.
  ///
  /// - Parameters:
  ///   - isSure: True if the picture certainly shows a line, false if it may be texture.
  ///   - turns: The numbers of quarter turns by which the line may be rotated, other than 0.
  ///   - likely: The numbers of quarter turns that are a priori likelier than others.
  ///   - known: The orientations in which the line was already viewed.
  ///   - shared: The number of quarter turns by which the lines beside it are rotated, if known.
  private func reading(
    of image: GrayImage, isSure: Bool, turns: [Int], likely: [Int] = [0], known: [LineWay] = [], shared: Int? = nil
  ) throws -> Reading? {
    func way(_ turn: Int, _ lattice: OwnReading.Network) throws -> LineWay? {
      try known.first { $0.turn == turn }
        ?? LineWay(image, turn: turn, isCutOut: isSure, limitedTo: alphabet, lattice)
    }
    guard let lattice, let first = try way(shared ?? 0, lattice) else { return try tesseractAlone(image, turns: turns) }
    var best = first
    if shared == nil {
      let others = first.isCertain ? [] : try turns.compactMap { try way($0, lattice) }
      let ways = [first] + others
      let likeliest = LineWay.likeliest(ways, likely: likely)
      let isClear = likeliest.map { $0.own.glance >= Self.leastUprightConfidence } ?? false
      let byWords = isClear ? nil : try words.flatMap { try LineWay.readByWords(ways, likely: likely, $0) }
      guard let settled = byWords ?? likeliest else { return nil }
      best = settled
    } else if first.isDoubtful || first.own.glance < Self.leastUprightConfidence,
      let other = try way(2 - first.turn, lattice), other.odds(against: first) >= LineWay.certain
    {
      best = other
    }
    guard isSure || best.own.glance >= Self.leastOfText else { return nil }
    if best.own.likelihood < Self.clear { try best.own.look(times: styles.count, lattice, words: words) }
    var reading = try settled(best.own, best.picture, isSure: isSure)
    reading.lattices = [best.own.lattice]
    reading.turn = best.turn
    return reading
  }

  /// Combines the networks: Tesseract is used only if Waymark's own network is unsure, and overrules it only if more of its
  /// drawings agree on one text than views of Waymark's network.
  private func settled(_ own: OwnReading, _ image: GrayImage, isSure: Bool) throws -> Reading {
    let symbols = own.symbols
    let isAgreed = own.isAgreed
    if isAgreed, !symbols.isEmpty, own.likelihood >= Self.believed { return Reading(symbols: symbols, all: [symbols]) }
    func isText(_ theirs: [ReadSymbol]) -> Bool {
      isSure || own.isSteady || LineVote.agreement(symbols, theirs) >= Self.leastAgreement
    }
    let drawn = continues() || symbols.isEmpty ? try drawings(image) { continues() && isText($0) } : []
    let theirs = Reading(symbols: LineVote.mostConfident(drawn), all: drawn)
    guard !symbols.isEmpty else { return theirs }
    guard theirs.symbols.isEmpty || isText(theirs.symbols) else { return Reading(symbols: [], all: []) }
    // The views are not independent, so for a check digit they are one reading.
    let all = [symbols] + drawn
    // The network whose text occurs more often decides; on a tie, the calibrated one.
    let isBelieved =
      theirs.symbols.isEmpty
      || own.witnesses >= drawn.count { ReadLine.text(of: $0) == ReadLine.text(of: theirs.symbols) }
    return Reading(symbols: isBelieved ? symbols : LineVote.weighed(theirs.symbols, against: symbols), all: all)
  }

  /// Reads a line in a language that Waymark's own network does not support.
  private func tesseractAlone(_ image: GrayImage, turns: [Int]) throws -> Reading {
    func read(_ turn: Int) throws -> Reading {
      let drawn = try drawings(image.oriented(Orientation(quarterTurns: -turn))) { _ in continues() }
      return Reading(symbols: LineVote.mostConfident(drawn), all: drawn, turn: turn)
    }
    var best = try read(0)
    for turn in turns where best.confidence < Self.leastPlainConfidence && continues() {
      let turned = try read(turn)
      if turned.confidence > best.confidence + 0.1 { best = turned }
    }
    return best
  }

  private func drawings(_ image: GrayImage, continues: ([ReadSymbol]) -> Bool) throws -> [[ReadSymbol]] {
    try TesseractReading.readings(of: image, drawn: styles, limitedTo: alphabet, continues: continues, recognize)
  }

  /// Returns the part within an outline as an upright picture; `nil` if the outline is not a valid quadrilateral.
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

extension TextReader {
  /// Makes outlines equally long, as the lines of a machine-readable zone are: parts of one line are joined, and each line is
  /// extended to the ends of the longest one beside it.
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
    /// Returns the perpendicular distance of a line's middle from another line.
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
      // The direction of a short part is uncertain.
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

  /// Reads a line of a machine-readable zone, upright or upside down; `nil` if it is not such a line.
  static func zoneLine(
    _ view: ImageView, _ outline: Quadrilateral
  ) -> (symbols: [ReadSymbol], outline: Quadrilateral)? {
    // The outline is extended a little, because fillers at an end are easily missed.
    let across = outline.topRight - outline.topLeft
    let length = outline.topLeft.distance(to: outline.topRight)
    guard length > 0 else { return nil }
    let more = across * (1.5 * outline.topLeft.distance(to: outline.bottomLeft) / length)
    let outline = Quadrilateral(
      topLeft: outline.topLeft - more, topRight: outline.topRight + more, bottomRight: outline.bottomRight + more,
      bottomLeft: outline.bottomLeft - more)
    guard let picture = rectified(view, outline) else { return nil }
    if let symbols = ZoneLineReader(picture)?.read() { return (symbols, outline) }
    return ZoneLineReader(picture.oriented(.turn180))?.read().map { ($0, outline.turned(by: 2)) }
  }
}
