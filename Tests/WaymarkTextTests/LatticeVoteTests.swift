import Testing
import WaymarkImage

@testable import WaymarkText

/// Texts that lattices say together, held to a pattern and its check digit.
struct LatticeVoteTests {
  private static let alphabet = Array("0123456789A -")

  /// A column a character and one of nothing behind it; `doubts` tells of some places what else they may be, and how likely.
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
