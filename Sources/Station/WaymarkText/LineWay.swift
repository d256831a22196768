import WaymarkImage

/// A line in one of its possible orientations, with the network's reading of it. The network reads a line that is upside down as
/// other characters and may be confident of them, so the readings of several orientations are compared.
struct LineWay {
  /// The number of clockwise quarter turns by which the line is rotated.
  let turn: Int
  /// The picture of the line, rotated back by `turn`.
  let picture: GrayImage
  /// The views of the picture.
  var own: OwnReading
  /// The evidence in log-odds for this orientation, from the reading.
  private let evidence: Double
  /// The number of confident characters that are hardly ever read from an upside-down line.
  private let telling: Int

  /// The log-odds from which one orientation is certain.
  static let certain = 3.0
  /// The log-odds from which a line alone in a picture is read.
  private static let least = 2.0
  /// The prior log-odds of the likely orientation of a line alone in a picture: upright and level, or, if it fills a
  /// tall picture, along that picture.
  private static let prior = 3.0
  /// The confidence from which a character is evidence.
  private static let leastConfidence = 0.9
  /// The value of `telling` from which the orientation is certain: of 1,161 rendered lines upside down, none had three.
  private static let leastTelling = 3
  /// The characters that were read at least eight times as often upright as upside down, in renders of 55 typefaces.
  private static let upright = Set("1245BCFGKPQRUYcfghijklmrv,".map { String($0) })
  /// The characters that were read at least about twice as often upside down as upright.
  private static let upsideDown = Set("EILSXZd[".map { String($0) })
  /// The weights in `evidence`, in log-odds: of each character in `upright` and in `upsideDown`, and of each unit of
  /// the reading's log-likelihood.
  private static let weights = (upright: 2.0, upsideDown: 1.0, likelihood: 8.0)
  /// The evidence, in log-odds, of a picture without characters, and the least log-likelihood that a reading contributes.
  private static let empty = -100.0

  /// Reads a picture of a line after rotating it back by quarter turns; `nil` if the network cannot read it.
  init?(
    _ image: GrayImage, turn: Int, isCutOut: Bool = false, limitedTo alphabet: LineAlphabet,
    _ network: OwnReading.Network
  ) throws {
    picture = turn == 0 ? image : image.oriented(Orientation(quarterTurns: -turn))
    guard let own = try OwnReading(picture, isCutOut: isCutOut, limitedTo: alphabet, network) else { return nil }
    self.turn = turn
    self.own = own
    let symbols = own.first.symbols()
    let certain = symbols.lazy.filter { $0.confidence >= Self.leastConfidence }
    telling = certain.count { Self.upright.contains($0.text) }
    let text = symbols.map(\.text).joined()
    evidence =
      text.isEmpty
      ? Self.empty
      : Self.weights.likelihood * max(Self.empty, own.first.score(of: text, in: own.first.columns.indices))
        + Self.weights.upright * Double(telling)
        - Self.weights.upsideDown * Double(certain.count { Self.upsideDown.contains($0.text) })
  }

  /// True if this orientation is certain, so that the line turned by 180° need not be read.
  var isCertain: Bool { telling >= Self.leastTelling }

  /// True if the reading has no character whose shape shows the orientation.
  var isDoubtful: Bool { telling == 0 }

  /// Returns the log-odds that this orientation is right rather than another.
  func odds(against other: LineWay) -> Double { evidence - other.evidence }

  /// Returns the likeliest of several orientations; `nil` if another orientation is about as likely and reads differently.
  ///
  /// - Parameter likely: The numbers of quarter turns that are a priori likelier than others; empty if all are equal.
  static func likeliest(_ ways: [LineWay], likely: [Int]) -> LineWay? {
    func weight(_ way: LineWay) -> Double { way.evidence + (likely.contains(way.turn) ? prior : 0) }
    guard let best = ways.max(by: { weight($0) < weight($1) }) else { return nil }
    let (text, margin) = (best.own.symbols.map(\.text), likely.isEmpty ? certain : least)
    let isClear = ways.allSatisfy { way in
      way.turn == best.turn || weight(best) - weight(way) >= margin || way.own.symbols.map(\.text) == text
    }
    return isClear ? best : nil
  }

  /// The conditions for a choice by the network of words: its least mean confidence, the least lead over the confidence in any
  /// other orientation, and the amount added to the confidence in a likely orientation.
  private static let byWords = (confidence: 0.6, lead: 0.1, likely: 0.15)

  /// Returns the orientation in which the network of words is most confident; `nil` if that is unclear.
  static func readByWords(_ ways: [LineWay], likely: [Int], _ words: OwnReading.Network) throws -> LineWay? {
    let read = try ways.map { way in
      var way = way
      try way.own.readWord(words)
      return way
    }
    let weights = read.map { way in
      (way.own.word.map { ReadLine.confidence(of: $0.symbols) } ?? 0) + (likely.contains(way.turn) ? byWords.likely : 0)
    }
    guard let best = weights.indices.max(by: { weights[$0] < weights[$1] }),
      ReadLine.confidence(of: read[best].own.word?.symbols ?? []) >= byWords.confidence,
      weights.indices.allSatisfy({ $0 == best || weights[best] - weights[$0] >= byWords.lead })
    else { return nil }
    return read[best]
  }
}
