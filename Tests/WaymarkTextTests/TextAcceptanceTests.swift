import Testing
import WaymarkImage

@testable import WaymarkText

@Suite struct TextAcceptanceTests {
  private func accepted(_ text: String, _ pattern: String, confidence: Double = 0.9) throws -> [AcceptedText] {
    var symbols: [ReadSymbol] = []
    for (place, character) in text.enumerated() where character != " " {
      let beginsWord = place > 0 && Array(text)[place - 1] == " "
      symbols.append(ReadSymbol(String(character), confidence: confidence, beginsWord: beginsWord))
    }
    let line = ReadLine(symbols, outline: TextFollowerTests.outline(0))
    return try TextAcceptance([try TextPattern.named(pattern)]).accepted(in: [line])
  }

  @Test(arguments: [
    ("LOT 12345", "12345"), ("Lot: A1234", "A1234"), ("LOT12345", "12345"), ("L0T 12345", "12345"),
    ("BATCH No. 7X221", "7X221"),
    ("Ch.-B.: 4711-2", "4711-2"), ("EXP 12/2026 LOT 12345", "12345"), ("L 123456", nil), ("L123456", "123456"),
    ("L0123", "0123"), ("LOTS 12345", nil), ("CHANGE5", nil), ("LOT ABC", nil), ("LOT", nil), ("LOT 12", nil),
    ("12345", nil),
  ]) func aLotFollowsItsWord(_ text: String, _ lot: String?) throws {
    let found = try accepted(text, "lot")
    #expect(found.map(\.text) == (lot.map { [$0] } ?? []))
    #expect(found.allSatisfy { !$0.isDoubtful })
  }

  @Test(arguments: ["LOT A10234", "LOT 1O234", "LOT 12345 678"]) func aLotThatNothingDecidesIsDoubtful(_ text: String)
    throws
  {
    #expect(try accepted(text, "lot").map(\.isDoubtful) == [true])
  }

  @Test func anUnsureLotIsDoubtful() throws {
    #expect(try accepted("LOT 12345", "lot", confidence: 0.5).map(\.isDoubtful) == [true])
  }

  @Test func theDayOfMakingIsNoExpiry() throws {
    #expect(try accepted("EXP 31.12.2026", "expiry").map(\.text) == ["31.12.2026"])
    #expect(try accepted("MFG 31.12.2026", "expiry").isEmpty)
    #expect(try accepted("PROD. 31.12.2026", "expiry").isEmpty)
    #expect(try accepted("05/06/2027", "expiry").map(\.isDoubtful) == [true])
  }
}
