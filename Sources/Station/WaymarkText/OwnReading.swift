package import WaymarkImage

/// The readings of a line by Waymark's own network from several views: with larger and smaller margins, and drawn wider,
/// because views seldom have the same errors. A picture cut out for one line is also viewed whole, because on a spotted
/// background the rows of its ink may not be found. `TesseractReading` below reads the line with Tesseract.
package struct OwnReading {
  /// Reads a picture of one line, drawn for the network; `nil` if it cannot be read.
  package typealias Network = (GrayImage) throws -> LineLattice?

  /// The margin of each view above and below the ink, as a share of its height, and the ratio of the horizontal to the vertical
  /// scale.
  private static let views: [(margin: Double, stretch: Double)] = [(0.15, 1), (0.28, 1), (0.05, 1.15)]
  /// The ratio of the horizontal to the vertical scale of the whole picture.
  private static let wholeStretch = 1.5

  /// The largest distance of neighbouring characters, in units of the common pitch.
  private static let wideStep = 1.7

  /// The least log-likelihood that a text gets in a view, so that a single view does not exclude it.
  private static let least = -15.0

  /// The weight of the network of words relative to all views of the network of lines together.
  private static let wordWeight = 1.0
  /// The confidence of the network of lines below which the network of words decides on characters that its alphabet lacks.
  private static let leastOfForeign = 0.5
  /// The factor of the confidence of a line on which both networks disagree.
  private static let disputed = 0.85

  private let image: GrayImage
  private let rows: ClosedRange<Int>?
  /// True if the line fills the picture.
  private let isCutOut: Bool
  private let alphabet: LineAlphabet
  /// The views, limited to the allowed characters.
  private(set) var lattices: [LineLattice]
  /// The characters of each view.
  private(set) var readings: [[ReadSymbol]]
  /// The reading of the network of words; `nil` before `look` and if that network is not available.
  private(set) var word: (lattice: LineLattice, symbols: [ReadSymbol])?
  /// The first view, not limited to the allowed characters.
  let first: LineLattice
  /// The confidence of the first view over all characters; low for texture.
  let glance: Double

  /// Views a line once; `nil` if the network cannot read it or returns no column.
  ///
  /// - Parameters:
  ///   - rows: The rows of the line's characters; `nil` to find them by the ink.
  ///   - isCutOut: True if the picture was cut out for one line, which fills it.
  init?(
    _ image: GrayImage, rows: ClosedRange<Int>? = nil, isCutOut: Bool = false, limitedTo alphabet: LineAlphabet,
    _ network: Network
  ) throws {
    self.image = image
    self.isCutOut = isCutOut
    self.alphabet = alphabet
    self.rows = rows ?? image.withView { LinePicture($0)?.inkRows }
    guard let seen = try Self.view(0, of: image, self.rows, network), !seen.columns.isEmpty else { return nil }
    first = seen
    glance = ReadLine.confidence(of: seen.symbols())
    lattices = [seen.limited(to: alphabet)]
    readings = lattices.map { $0.symbols() }
    symbols = readings[0]
  }

  /// Adds views of the line until there are `count`, one view of the whole picture if it was cut out and `count` is more
  /// than 1, and then the reading of the network of words.
  mutating func look(times count: Int, _ network: Network, words: Network? = nil) throws {
    func add(_ seen: LineLattice?) {
      guard let seen else { return }
      lattices.append(seen.limited(to: alphabet))
      readings.append(lattices[lattices.count - 1].symbols())
    }
    for number in Self.views.indices.prefix(count).dropFirst(lattices.count) {
      add(try Self.view(number, of: image, rows, network))
    }
    if isCutOut, count > 1 {
      let whole = image.withView { LatticePicture.drawn($0, rows: nil, margin: 0, stretch: Self.wholeStretch) }
      add(try whole.flatMap(network))
    }
    if count > 1, let words { try readWord(words) }
    let all = readings + (word.map { [$0.symbols] } ?? [])
    symbols = LineVote.mostConfident(all, leader: leader)
    guard let word, word.symbols.map(\.text) != symbols.map(\.text) || !isBacked else { return }
    for i in symbols.indices { symbols[i].confidence *= Self.disputed }
  }

  /// Reads the line with the network of words, unless it was read before.
  mutating func readWord(_ words: Network) throws {
    guard word == nil, let picture = image.withView({ LatticePicture.word($0, rows: isCutOut ? nil : rows) }),
      let seen = try words(picture)
    else { return }
    let lattice = seen.limited(to: alphabet)
    word = (lattice, lattice.symbols())
  }

  /// True if a view of the network of lines has the text of `symbols`.
  private var isBacked: Bool {
    let text = symbols.map(\.text)
    return readings.contains { $0.map(\.text) == text }
  }

  private static func view(
    _ number: Int, of image: GrayImage, _ rows: ClosedRange<Int>?, _ network: Network
  ) throws -> LineLattice? {
    let (margin, stretch) = views[number]
    return try image.withView { LatticePicture.drawn($0, rows: rows, margin: margin, stretch: stretch) }.flatMap(
      network)
  }

  /// The likeliest characters in all views, with less confidence where a view differs.
  private(set) var symbols: [ReadSymbol]

  /// The index of the reading that is likeliest in all views together, so that one confident view does not overrule two others;
  /// `nil` if all views agree. The index after the last view is the reading of the network of words.
  private var leader: Int? {
    var texts = readings.map { $0.map(\.text).joined() }
    if let word { texts.append(word.symbols.map(\.text).joined()) }
    guard Set(texts).count > 1 else { return nil }
    func score(_ text: String, _ lattice: LineLattice) -> Double {
      max(Self.least, lattice.score(of: text, in: lattice.columns.indices))
    }
    var scores = texts.map { text in
      text.isEmpty ? -.infinity : lattices.reduce(0) { $0 + score(text, $1) } / Double(lattices.count)
    }
    let own = scores.indices.max { (scores[$0], $1) < (scores[$1], $0) }
    guard let word else { return own }
    // The network of words cannot read characters outside its alphabet, so a text with such characters is left to the network of
    // lines.
    if let own, readings.indices.contains(own), ReadLine.confidence(of: readings[own]) >= Self.leastOfForeign,
      !texts[own].allSatisfy(word.lattice.alphabet.contains)
    {
      return own
    }
    for i in texts.indices where !texts[i].isEmpty { scores[i] += Self.wordWeight * score(texts[i], word.lattice) }
    return scores.indices.max { (scores[$0], $1) < (scores[$1], $0) }
  }

  /// The largest group of characters at about one pitch: the digits of a display, without false characters from its rim and
  /// reflections.
  var group: [ReadSymbol] {
    let symbols = symbols
    let places = symbols.map { ($0.span.lowerBound + $0.span.upperBound) / 2 }
    let steps = zip(places.dropFirst(), places).map { $0 - $1 }
    guard steps.count > 1 else { return symbols }
    let pitch = steps.sorted()[steps.count / 2]
    var groups = [[symbols[0]]]
    for (symbol, step) in zip(symbols.dropFirst(), steps) {
      if symbol.beginsWord || step > Self.wideStep * pitch {
        groups.append([symbol])
      } else {
        groups[groups.count - 1].append(symbol)
      }
    }
    return groups.max { ($0.count, ReadLine.confidence(of: $0)) < ($1.count, ReadLine.confidence(of: $1)) } ?? symbols
  }

  /// The lattice of the most confident view with the text of `symbols`.
  var lattice: LineLattice {
    let text = ReadLine.text(of: symbols)
    let place = readings.indices.filter { ReadLine.text(of: readings[$0]) == text }
      .max { ReadLine.confidence(of: readings[$0]) < ReadLine.confidence(of: readings[$1]) }
    return lattices[place ?? 0]
  }

  /// The number of readings with the text of `symbols`; the reading of the network of words counts twice.
  var witnesses: Int {
    let text = ReadLine.text(of: symbols)
    return readings.count { ReadLine.text(of: $0) == text }
      + (word.map { ReadLine.text(of: $0.symbols) == text ? 2 : 0 } ?? 0)
  }

  /// True if all views of the network of lines have the same text, or one of them has the text of the network of words; texture
  /// yields neither.
  var isSteady: Bool {
    let texts = Set(readings.map { ReadLine.text(of: $0) })
    return texts.count == 1 || word.map { texts.contains(ReadLine.text(of: $0.symbols)) } ?? false
  }

  /// True if all readings have the text of `symbols`.
  var isAgreed: Bool {
    let text = ReadLine.text(of: symbols)
    return (readings + (word.map { [$0.symbols] } ?? [])).allSatisfy { ReadLine.text(of: $0) == text }
  }

  /// The likelihood that all characters are correct; 0 without characters.
  var likelihood: Double { symbols.isEmpty ? 0 : symbols.reduce(1) { $0 * $1.confidence } }

  /// Reads a line of a machine-readable zone from its first view; `nil` if it is not such a line.
  static func zone(in image: GrayImage, _ network: Network) throws -> [ReadSymbol]? {
    let rows = image.withView { LinePicture($0)?.inkRows }
    return try view(0, of: image, rows, network).flatMap(ZoneLattice.symbols)
  }
}

/// Reads a line with Tesseract's networks, once for each style of drawing, and corrects their known errors.
package enum TesseractReading {
  /// Reads a picture of one line with all languages or only the first, limited to an alphabet.
  package typealias Recognizer = (GrayImage, _ asksAll: Bool, LineAlphabet) throws -> [ReadSymbol]

  /// Reads each drawing of a picture of one line.
  ///
  /// - Parameter continues: Called with each reading; once it returns false, no further drawing is read.
  static func readings(
    of image: GrayImage, drawn styles: [LinePicture.Style], limitedTo alphabet: LineAlphabet,
    continues: ([ReadSymbol]) -> Bool,
    _ recognize: Recognizer
  ) throws -> [[ReadSymbol]] {
    let asIs = styles.contains { !$0.isFlat } ? image.withView { LinePicture($0) } : nil
    let flat = styles.contains(where: \.isFlat) ? image.withView { LinePicture($0, on: .flat) } : nil
    var readings: [[ReadSymbol]] = []
    for style in styles {
      guard let line = style.isFlat ? flat : asIs, readings.last.map(continues) ?? true else { break }
      readings.append(try paired(trimmed(recognize(line.drawn(style), style.asksAll, alphabet).map(plain))))
    }
    return readings
  }

  /// Typographic marks that networks trained on books read on labels, and their plain forms.
  private static let marks = ["“": "\"", "”": "\"", "„": "\"", "‘": "'", "’": "'", "—": "-", "–": "-"]

  private static func plain(_ symbol: ReadSymbol) -> ReadSymbol {
    guard let mark = marks[symbol.text] else { return symbol }
    var symbol = symbol
    symbol.text = mark
    return symbol
  }

  /// Removes the false characters of specks and borders at the ends of a line.
  private static func trimmed(_ symbols: [ReadSymbol]) -> [ReadSymbol] {
    let specks: Set<String> = ["\"", "'", "|", "_", "-", "~", "\\", "{", "}", "`", ".", ","]
    func isSpeck(_ symbol: ReadSymbol, _ most: Double) -> Bool {
      specks.contains(symbol.text) && symbol.confidence < most
    }
    var rest = symbols[...]
    // These are removed at any confidence: a quotation mark at the beginning must have a partner, and no text begins with the others.
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

  /// Corrects closing brackets to the kind that was opened, because the kinds differ little in print. Corrects the last mark
  /// of a line to the only possible one: an open bracket is closed, and a word without an opening quotation mark is followed
  /// by a colon.
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
}
