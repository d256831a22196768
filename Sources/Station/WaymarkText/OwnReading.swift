package import WaymarkImage

/// A line as Waymark's own network reads it, which sees it a few times: with more and with less around its ink, and drawn wider. Errors of one view are
/// seldom those of the others. A picture that was cut out for one line is also seen whole: on a spotted
/// ground the rows of its ink may not be found.
package struct OwnReading {
  /// Reads a picture of one line, drawn as Waymark's own network wants it; nil where that is not to read it.
  package typealias Network = (GrayImage) throws -> LineLattice?

  /// The margin above and below the ink, as a share of its height, and how much wider than high it is drawn.
  private static let views: [(margin: Double, stretch: Double)] = [(0.15, 1), (0.28, 1), (0.05, 1.15)]
  /// How much wider than high a picture is drawn that is seen whole.
  private static let wholeStretch = 1.5

  /// Characters that stand further apart, compared with the pitch of most, do not belong together.
  private static let wideStep = 1.7

  /// A view counts no more than this against a text, as a logarithm.
  private static let least = -15.0

  private let image: GrayImage
  private let rows: ClosedRange<Int>?
  /// True if the line fills the picture.
  private let isCutOut: Bool
  private let alphabet: LineAlphabet
  /// The views, with the characters that are allowed alone.
  private(set) var lattices: [LineLattice]
  /// The characters that each view says.
  private(set) var readings: [[ReadSymbol]]
  /// How sure the first view is, whatever characters it says; texture leaves it unsure.
  let glance: Double

  /// Looks at a line once; nil where the network is not to read it, or told no column of it.
  ///
  /// - Parameters:
  ///   - rows: those of the line's characters; found by the ink where that is nil.
  ///   - isCutOut: true for a picture that was cut out for one line, which fills it.
  init?(
    _ image: GrayImage, rows: ClosedRange<Int>? = nil, isCutOut: Bool = false, limitedTo alphabet: LineAlphabet,
    _ network: Network
  ) throws {
    self.image = image
    self.isCutOut = isCutOut
    self.alphabet = alphabet
    self.rows = rows ?? image.withView { LinePicture($0)?.inkRows }
    guard let seen = try Self.view(0, of: image, self.rows, network), !seen.columns.isEmpty else { return nil }
    glance = ReadLine.confidence(of: seen.symbols())
    lattices = [seen.limited(to: alphabet)]
    readings = lattices.map { $0.symbols() }
    symbols = readings[0]
  }

  /// Looks on, until the line was seen so many times, and once whole where it was cut out; not where one look is all that is wanted.
  mutating func look(times count: Int, _ network: Network) throws {
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
    symbols = LineVote.surest(readings, leader: leader)
  }

  private static func view(
    _ number: Int, of image: GrayImage, _ rows: ClosedRange<Int>?, _ network: Network
  ) throws -> LineLattice? {
    let (margin, stretch) = views[number]
    return try image.withView { LatticePicture.drawn($0, rows: rows, margin: margin, stretch: stretch) }.flatMap(
      network)
  }

  /// The characters that all views together hold likeliest, less sure where a view says others.
  private(set) var symbols: [ReadSymbol]

  /// The number of the reading that is likeliest in all views: one that is sure of what it sees does not outdo two that see something else.
  private var leader: Int? {
    let texts = readings.map { $0.map(\.text).joined() }
    guard Set(texts).count > 1 else { return nil }
    let scores = texts.map { text in
      text.isEmpty
        ? -.infinity
        : lattices.reduce(0) { $0 + max(Self.least, $1.score(of: text, in: $1.columns.indices)) }
    }
    return scores.indices.max { (scores[$0], $1) < (scores[$1], $0) }
  }

  /// The largest group of characters that stand beside each other at about one pitch: on a display the digits, without what its rim and
  /// reflections were taken for.
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

  /// The lattice of the surest view.
  var lattice: LineLattice {
    let text = ReadLine.text(of: symbols)
    let place = readings.indices.filter { ReadLine.text(of: readings[$0]) == text }
      .max { ReadLine.confidence(of: readings[$0]) < ReadLine.confidence(of: readings[$1]) }
    return lattices[place ?? 0]
  }

  /// How many views say what the surest one says.
  var witnesses: Int {
    let text = ReadLine.text(of: symbols)
    return readings.count { ReadLine.text(of: $0) == text }
  }

  /// How likely the surest view takes all of its characters together to be right; 0 for none.
  var likelihood: Double { symbols.isEmpty ? 0 : symbols.reduce(1) { $0 * $1.confidence } }

  /// A line of a machine-readable zone, as the first view says it; nil where it is none.
  static func zone(in image: GrayImage, _ network: Network) throws -> [ReadSymbol]? {
    let rows = image.withView { LinePicture($0)?.inkRows }
    return try view(0, of: image, rows, network).flatMap(ZoneLattice.symbols)
  }
}
