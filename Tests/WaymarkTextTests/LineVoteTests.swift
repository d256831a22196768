import Testing
import WaymarkImage

@testable import WaymarkText

@Suite struct LineVoteTests {
  private func reading(_ text: String, _ confidence: Double = 0.9) -> [ReadSymbol] {
    text.map { ReadSymbol(String($0), confidence: confidence) }
  }

  private func text(_ readings: [[ReadSymbol]]) -> String { LineVote.settle(readings).map(\.text).joined() }

  @Test func mostReadingsWin() {
    #expect(text([reading("A8C"), reading("ABC"), reading("ABC")]) == "ABC")
  }

  @Test func aSureReadingOutweighsAnUnsureOne() {
    #expect(text([reading("A8C", 0.4), reading("ABC", 0.95)]) == "ABC")
  }

  @Test func whatOneReadingMissesIsKept() {
    #expect(text([reading("12345"), reading("1245"), reading("12345")]) == "12345")
    #expect(text([reading("1245"), reading("12X45", 0.3), reading("1245")]) == "1245")
  }

  @Test func doubtAmongReadingsIsDoubtOfTheResult() {
    let settled = LineVote.settle([reading("O"), reading("0"), reading("0")])
    #expect(settled.first?.text == "0")
    #expect((settled.first?.confidence ?? 1) < 0.8)
    #expect(settled.first?.choices.first?.text == "O")
  }

  @Test func nothingGivesNothing() {
    #expect(LineVote.settle([]).isEmpty)
    #expect(LineVote.settle([[], []]).isEmpty)
  }
}

@Suite struct LineFinderTests {
  /// Bars where letters would stand.
  private func picture(_ width: Int, _ height: Int, lines: [(x: Int, y: Int)], isLight: Bool = false) -> GrayImage {
    let (paper, ink): (UInt8, UInt8) = isLight ? (40, 220) : (220, 40)
    return GrayImage(width: width, height: height) { pixels in
      pixels.update(repeating: paper)
      for line in lines {
        for letter in 0..<12 {
          for y in 0..<20 {
            for x in 0..<10 where x < 3 || y > 16 { pixels[(line.y + y) * width + line.x + 14 * letter + x] = ink }
          }
        }
      }
    }
  }

  @Test(arguments: [false, true]) func linesAreFoundWhereTheyStand(_ isLight: Bool) {
    let image = picture(640, 480, lines: [(100, 100), (200, 300)], isLight: isLight)
    let outlines = image.withView { LineFinder().lines(in: $0) }
    #expect(outlines.count == 2)
    guard outlines.count == 2 else { return }
    #expect(abs(outlines[0].center.x - 182) < 6)
    #expect(abs(outlines[0].center.y - 110) < 4)
    #expect(abs(outlines[1].center.x - 282) < 6)
    #expect(abs(outlines[1].center.y - 310) < 4)
  }

  @Test func aPictureOfOneLineIsTakenWhole() {
    let image = picture(200, 36, lines: [(10, 8)])
    let outlines = image.withView { LineFinder().lines(in: $0) }
    #expect(outlines.map(\.corners) == [[Point2(0, 0), Point2(199, 0), Point2(199, 35), Point2(0, 35)]])
  }

  /// A picture whose pixels are ink where `isInk` says so of a place along and across a line that runs through its middle.
  private func tilted(_ degrees: Double, _ isInk: (Int, Int) -> Bool) -> GrayImage {
    let (c, s) = (Double.cosine(degrees * .pi / 180), Double.sine(degrees * .pi / 180))
    return GrayImage(width: 640, height: 480) { pixels in
      for y in 0..<480 {
        for x in 0..<640 {
          let (dx, dy) = (Double(x) - 320, Double(y) - 240)
          let along = Int((dx * c + dy * s).rounded(.down)) + 150
          let across = Int((dy * c - dx * s).rounded(.down)) + 10
          pixels[y * 640 + x] = isInk(along, across) ? 40 : 220
        }
      }
    }
  }

  /// Returns whether a place is on one of twenty letters of 10×20 pixels, 15 apart.
  private static func isLetter(_ along: Int, _ across: Int) -> Bool {
    (0..<300).contains(along) && (0..<20).contains(across) && along % 15 < 10 && (along % 15 < 3 || across > 16)
  }

  @Test(arguments: [-11.0, 7, 11]) func aTiltedLineIsOutlinedWithoutSlant(_ degrees: Double) throws {
    let image = tilted(degrees, Self.isLetter)
    let outline = try #require(image.withView { LineFinder().lines(in: $0) }.first)
    let across = outline.topRight - outline.topLeft
    let down = outline.bottomLeft - outline.topLeft
    #expect(abs(Double.arcTangent(y: across.y, x: across.x) * 180 / .pi - degrees) < 1.5)
    #expect(abs(across.x * down.x + across.y * down.y) < 1e-6 * across.length * down.length)
    #expect(down.length < 44)
  }

  @Test func dotsFarApartAreOneLine() {
    // Five by seven dots of 4 pixels, 7 apart, and 14 between letters.
    let image = tilted(0) { along, across in
      (0..<490).contains(along + 90) && (0..<49).contains(across) && (along + 90) % 49 < 35
        && (along + 90) % 7 < 4 && across % 7 < 4
    }
    let outlines = image.withView { LineFinder().lines(in: $0) }
    #expect(outlines.count == 1)
    #expect(outlines.first.map { $0.topLeft.x < 85 && $0.topRight.x > 550 } == true)
  }

  @Test(arguments: [false, true]) func shadingIsNoInk(_ isLight: Bool) throws {
    // The ink stands out by less than the ground changes along the line.
    let image = GrayImage(width: 300, height: 36) { pixels in
      for y in 0..<36 {
        for x in 0..<300 {
          let ink = Self.isLetter(x, y - 8) ? (isLight ? 30 : -30) : 0
          pixels[y * 300 + x] = UInt8(100 + x / 3 + ink)
        }
      }
    }
    let line = try #require(image.withView { LinePicture($0, on: .flat) })
    for letter in 0..<20 {
      #expect(line.plane.pixels[18 * 300 + 15 * letter + 1] < 90)
      #expect(line.plane.pixels[18 * 300 + 15 * letter + 7] > 165)
    }
  }

  @Test(arguments: [
    ("\"DATE:1", "DATE:1"), ("\\SUM:", "SUM:"), ("\"A\"B", "\"A\"B"), ("A(S}:1", "A(S):1"), ("[A)(B]", "[A](B)"),
    ("A)B", "A)B"), ("SUM(A;", "SUM(A)"), ("A(B);", "A(B);"), ("QTY\"", "QTY:"), ("5\"", "5\""), ("\"A\"", "\"A\""),
  ])
  func straySignsAndBracketsAreSetRight(_ read: String, _ text: String) throws {
    let image = picture(200, 36, lines: [(10, 8)])
    let reader = TextReader { _, _, _ in read.map { ReadSymbol(String($0), confidence: 0.99) } }
    #expect(try image.withView { try reader.read($0) }.map(\.text) == [text])
  }

  @Test func nothingIsReadWhereNothingIs() throws {
    for size in [1, 3, 4, 7, 8, 100] {
      let reader = TextReader { _, _, _ in [] }
      #expect(try GrayImage(width: size, height: size, value: 128).withView { try reader.read($0) }.isEmpty)
    }
  }

  @Test func aDrawnLineHasItsCapitalsAsHighAsAsked() throws {
    let image = picture(200, 36, lines: [(10, 8)])
    let line = try #require(image.withView { LinePicture($0) })
    #expect(abs(line.capitalHeight - 20) <= 1)
    let drawn = line.drawn(LinePicture.Style(capitals: 40, blur: 0))
    #expect(abs(drawn.height - (72 + 28)) <= 4)
  }

  @Test func whereAnotherNetworkDiffersAReadingIsLessSure() {
    func read(_ text: String) -> [ReadSymbol] { text.map { ReadSymbol(String($0), confidence: 0.9) } }
    let weighed = LineVote.weighed(read("ABCD"), against: read("ABXD"))
    #expect(weighed.map(\.text).joined() == "ABCD")
    #expect(weighed.map { $0.confidence > 0.8 } == [true, true, false, true])
    #expect(weighed[2].choices.map(\.text) == ["X"])
    #expect(LineVote.agreement(read("ABCD"), read("ABXD")) == 0.75)
    #expect(LineVote.agreement(read("ABCD"), read("BC")) == 2 * 2.0 / 6)
    #expect(LineVote.agreement(read("AB"), []) == 0)
  }
}

/// Texts that lattices say together, held to a pattern and its check digit.
struct LatticeVoteTests {
  private static let alphabet = Array("0123456789A -")

  /// A column a character and one of nothing behind it; `doubts` gives the alternatives of some places and their likelihoods.
  private func lattice(
    _ text: String, doubts: [Int: (Character, Double)] = [:], share: Double = 0.95
  ) -> LineLattice {
    func label(_ character: Character) -> Int { (Self.alphabet.firstIndex(of: character) ?? 0) + 1 }
    let columns = text.enumerated().flatMap { place, character -> [LineLattice.Column] in
      var choices = [LineLattice.LabelShare(label: label(character), share: share), .init(label: 0, share: 1 - share)]
      if let (other, likely) = doubts[place] {
        choices[0].share = share - likely
        choices.append(.init(label: label(other), share: likely))
      }
      return [.init(choices: choices.sorted { $0.share > $1.share }), .init(choices: [.init(label: 0, share: 1)])]
    }
    return LineLattice(alphabet: Self.alphabet, columns: columns)
  }

  private func outcome(_ lattices: LineLattice..., pattern: String = "gtin-13") throws -> LatticeVote.Outcome? {
    var steps = TextMatcher.stepLimit
    return LatticeVote(lattices, try TextMatcher(try TextPattern.named(pattern)))?.outcome(steps: &steps)
  }

  @Test func aViewIsSpelledOnceForAPattern() throws {
    let memory = LatticeVote.Memory()
    var made = 0
    func ask(_ text: String, _ pattern: String) throws {
      _ = memory.segments(of: lattice(text), by: try TextPattern.named(pattern)) {
        made += 1
        return []
      }
    }
    for _ in 0..<3 { try ask("4006381333931", "gtin-13") }
    #expect(made == 1)
    try ask("4006381333931", "imei")
    try ask("4006381333932", "gtin-13")
    #expect(made == 3)
    // The views of long ago are forgotten.
    for number in 0..<LatticeVote.Memory.limit { try ask("\(number)", "gtin-13") }
    try ask("4006381333931", "gtin-13")
    #expect(made == 4 + LatticeVote.Memory.limit)
  }

  @Test func aBeamFindsTheTextsThatColumnsSpell() {
    let lattice = lattice("120", doubts: [1: ("7", 0.3)])
    let digits = Set(1...10)
    let spellings = lattice.spellings(in: lattice.columns.indices, of: digits, limit: 5)
    #expect(spellings.prefix(2).map(\.text) == ["120", "170"])
    let expected = Double.naturalLogarithm(0.95 * 0.65 * 0.95)
    #expect(abs(spellings[0].score - expected) < 1e-3)
    // Summed over all ways to say it, as the beam does.
    for spelling in spellings.prefix(4) {
      #expect(abs(lattice.score(of: spelling.text, in: lattice.columns.indices) - spelling.score) < 1e-3)
    }
    #expect(lattice.score(of: "x", in: lattice.columns.indices) == -.infinity)
    #expect(lattice.spellings(in: lattice.columns.indices, of: digits, limit: 2).allSatisfy { $0.text.count <= 2 })
  }

  @Test func charactersThatStandTwiceAreTwo() {
    let lattice = lattice("1100")
    #expect(lattice.spellings(in: lattice.columns.indices, of: Set(1...10), limit: 8).first?.text == "1100")
    #expect(
      lattice.score(of: "10", in: lattice.columns.indices) < lattice.score(of: "1100", in: lattice.columns.indices))
  }

  @Test func groupsMayStandApart() throws {
    let vote = try #require(try outcome(lattice("4006 3813 33931")))
    #expect(vote.text == "4006381333931")
    #expect(vote.lead > 4.6)
    #expect(vote.span.lowerBound < 0.05 && vote.span.upperBound > 0.9)
    #expect(try outcome(lattice("400-6381333931"))?.text == "4006381333931")
  }

  /// Each frame reads another digit wrongly: none alone is sure, both together are.
  @Test func framesThatErrInDifferentPlacesAgree() throws {
    let one = lattice("4006381338931", doubts: [9: ("3", 0.4)])
    let two = lattice("4006381333937", doubts: [12: ("1", 0.4)])
    let alone = try #require(try outcome(one))
    #expect(alone.text == "4006381333931")
    #expect(alone.lead < 0)
    let both = try #require(try outcome(one, two))
    #expect(both.text == "4006381333931")
    #expect(both.lead > 4.6)
  }

  @Test func aNumberWhoseCheckDigitIsWrongIsNotTakenForAnother() throws {
    let wrong = lattice("4006381333932", doubts: [12: ("1", 0.2)])
    let vote = try #require(try outcome(wrong, wrong, wrong))
    #expect(vote.text == "4006381333931")
    #expect(vote.lead < 0)
    #expect(try outcome(lattice("12")) == nil)
  }

  @Test func aPartOfALongerNumberIsNotTried() throws {
    #expect(try outcome(lattice("4006381333931 4711")) == nil)
    #expect(try outcome(lattice("AA 4006381333931"))?.text == "4006381333931")
  }

  @Test func patternsWithoutACheckDigitHaveNone() throws {
    #expect(try outcome(lattice("123"), pattern: "digits") == nil)
    #expect(try outcome(pattern: "gtin") == nil)
  }

  /// The grammar of Lithuania's plates has three letters first; the likelihood of a letter at the first place decides.
  @Test(arguments: [(0.4, false), (0.1, true)])
  func aPlateIsTheLikeliestReadingOfItsGrammar(_ likely: Double, isDoubtful: Bool) throws {
    let outline = Quadrilateral(
      topLeft: Point2(0, 0), topRight: Point2(100, 0), bottomRight: Point2(100, 20), bottomLeft: Point2(0, 20))
    let acceptance = try TextAcceptance([try TextPattern.named("plate-LT")])
    var line = ReadLine("4AA123".map { ReadSymbol(String($0), confidence: 0.9) }, outline: outline)
    line.lattices = [lattice("4AA-123", doubts: [0: ("A", likely)])]
    let accepted = acceptance.accepted(in: [line])
    #expect(accepted.map(\.text) == ["AAA123"])
    #expect(accepted.map(\.isDoubtful) == [isDoubtful])
    line.lattices = [lattice("4AA-123")]
    #expect(acceptance.accepted(in: [line]).isEmpty)
    // Characters beside it belong to a longer plate.
    line = ReadLine("99 AAA123".filter { $0 != " " }.map { ReadSymbol(String($0), confidence: 0.9) }, outline: outline)
    line.lattices = [lattice("99 AAA123")]
    #expect(acceptance.accepted(in: [line]).isEmpty)
  }

  @Test func whatFramesSayTogetherIsAccepted() throws {
    let outline = Quadrilateral(
      topLeft: Point2(0, 0), topRight: Point2(100, 0), bottomRight: Point2(100, 20), bottomLeft: Point2(0, 20))
    var line = ReadLine("4006381338931".map { ReadSymbol(String($0), confidence: 0.6) }, outline: outline)
    let acceptance = try TextAcceptance([try TextPattern.named("gtin-13")])
    #expect(acceptance.accepted(in: [line]).isEmpty)
    line.lattices = [
      lattice("4006381338931", doubts: [9: ("3", 0.4)]), lattice("4006381333937", doubts: [12: ("1", 0.4)]),
    ]
    let accepted = acceptance.accepted(in: [line])
    #expect(accepted.map(\.text) == ["4006381333931"])
    #expect(accepted.map(\.isDoubtful) == [false])
    // A text that the characters say and the lattices do not is doubtful.
    var other = ReadLine("4006381333931".map { ReadSymbol(String($0), confidence: 0.6) }, outline: outline)
    other.lattices = [lattice("9780201379624")]
    let doubted = acceptance.accepted(in: [other])
    #expect(doubted.map(\.text) == ["4006381333931"])
    #expect(doubted.map(\.isDoubtful) == [true])
    #expect(doubted.first?.others == ["9780201379624"])
  }
}
