import Testing
import WaymarkImage

@testable import WaymarkText

@Suite struct TextFollowerTests {
  static func outline(_ y: Double, height: Double = 20) -> Quadrilateral {
    Quadrilateral(
      topLeft: Point2(100, y), topRight: Point2(300, y), bottomRight: Point2(300, y + height),
      bottomLeft: Point2(100, y + height))
  }

  private func line(_ text: String, y: Double = 100, _ confidence: Double = 0.9) -> ReadLine {
    let words = text.split(separator: " ")
    let symbols = words.flatMap { word in
      word.enumerated().map { ReadSymbol(String($1), confidence: confidence, beginsWord: $0 == 0) }
    }
    return ReadLine(symbols, outline: Self.outline(y))
  }

  private func follower(_ patterns: String...) throws -> TextFollower {
    try TextFollower(try patterns.map { try TextPattern.named($0) })
  }

  /// Plays frames a tenth of a second apart, and returns the number of the frame in which a text was accepted, and which.
  private func accepted(_ frames: [String], by patterns: String...) throws -> (frame: Int, text: String)? {
    var follower = try TextFollower(try patterns.map { try TextPattern.named($0) })
    for (number, text) in frames.enumerated() {
      if let found = follower.see([line(text)], at: Double(number) / 10).accepted { return (number, found.text) }
    }
    return nil
  }

  @Test func oneFrameIsNotEnough() throws {
    let number = "4006381333931"
    #expect(try accepted([number], by: "gtin") == nil)
    let found = try #require(try accepted([number, number], by: "gtin"))
    #expect(found == (1, number))
  }

  @Test func whatHasNoCheckDigitMustBeSeenMoreOften() throws {
    let found = try #require(try accepted(Array(repeating: "AB1234", count: 6), by: "/[A-Z]{2}[0-9]{4}/"))
    #expect(found == (2, "AB1234"))
  }

  @Test func errorsThatComeAndGoAreVotedAway() throws {
    // Another digit is wrong in each frame; only the first one is right as it stands.
    let found = try accepted(
      ["4006381333931", "4006381338931", "4086381333931", "4006381333937", "4006381333931"], by: "gtin")
    #expect(found?.text == "4006381333931")
  }

  @Test func aNumberThatSatisfiesItByChanceIsNotAccepted() throws {
    // Frames that agree on nothing: each happens to carry a right check digit.
    #expect(
      try accepted(["4006381333931", "4006381333948", "4006381333955", "4006381333962"], by: "gtin") == nil)
  }

  @Test func twoNumbersSideBySideAreLeftToAPerson() throws {
    var follower = try follower("gtin")
    for frame in 0..<6 {
      let outcome = follower.see(
        [line("4006381333931", y: 100), line("5901234123457", y: 200)], at: Double(frame) / 10)
      #expect(outcome.accepted == nil)
      #expect(Set(outcome.candidates.map(\.text)) == ["4006381333931", "5901234123457"])
    }
  }

  @Test func doubtIsNeverAcceptedByItself() throws {
    var follower = try follower("/[A-Z0-9]{6}/")
    for frame in 0..<8 {
      let outcome = follower.see([line("AB0123")], at: Double(frame) / 10)
      #expect(outcome.accepted == nil)
      #expect(outcome.candidates.first?.isDoubtful == true)
      #expect(outcome.candidates.first?.others.contains("ABO123") == true)
    }
  }

  @Test func withoutAPatternLinesAreCandidatesOnly() throws {
    var follower = try TextFollower([])
    for frame in 0..<8 {
      let outcome = follower.see([line("SN 4711"), line("...", y: 300, 0.2)], at: Double(frame) / 10)
      #expect(outcome.accepted == nil)
      #expect(outcome.candidates.map(\.text) == ["SN 4711"])
    }
  }

  @Test func whatWasSeenLongAgoDoesNotCount() throws {
    var follower = try follower("gtin")
    _ = follower.see([line("4006381333931")], at: 0)
    #expect(follower.see([line("4006381333931")], at: 10).accepted == nil)
    // A source that starts over: time goes back.
    #expect(follower.see([line("4006381333931")], at: 1).accepted == nil)
    #expect(follower.see([line("4006381333931")], at: 1.1).accepted?.text == "4006381333931")
  }

  @Test func whatComesInThePlaceOfALineIsNotVotedWithIt() throws {
    var follower = try follower("digits")
    for frame in 0..<4 { _ = follower.see([line("1111111111")], at: Double(frame) / 10) }
    let outcome = follower.see([line("2222222222")], at: 0.4)
    #expect(outcome.candidates.map(\.text) == ["2222222222"])
  }

  @Test func theSurestDrawingIsTakenWholeAndDoubtedWhereOthersDiffer() {
    func reading(_ text: String, _ confidence: Double) -> [ReadSymbol] {
      text.map { ReadSymbol(String($0), confidence: confidence) }
    }
    let surest = LineVote.mostConfident([reading("AB8", 0.9), reading("ABB", 0.98), reading("AB8", 0.91)])
    #expect(surest.map(\.text).joined() == "ABB")
    #expect(surest[2].confidence < 0.7 && surest[1].confidence > 0.9)
    #expect(surest[2].choices.first?.text == "8")
    // A mark that was read surely is not more than a line that was read nearly as surely.
    #expect(LineVote.mostConfident([reading("-", 0.97), reading("12.50", 0.96)]).count == 5)
    #expect(LineVote.mostConfident([]).isEmpty)
  }

  @Test func aPartOfANumberIsDoubtful() throws {
    let acceptance = try TextAcceptance([try TextPattern.named("gtin")])
    // 96385074 satisfies it; the digits beside it may belong to it.
    let found = acceptance.accepted(in: [line("96385074 123")])
    #expect(found.map(\.text) == ["96385074"])
    #expect(found.first?.isDoubtful == true)
    #expect(acceptance.accepted(in: [line("EAN 96385074")]).first?.isDoubtful == false)
  }
}
