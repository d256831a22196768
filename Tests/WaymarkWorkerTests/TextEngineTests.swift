import Foundation
import Testing
import WaymarkImage

@testable import WaymarkText
@testable import WaymarkWorker

/// The program that reads text, when it was compromised by the printed text: nothing that it says is trusted before it was looked at.
@Suite(.enabled(if: FakeTextEngine.isPossible, "needs python3"))
struct TextEngineTests {
  private let line = GrayImage(width: 60, height: 20, value: 200)

  private func read(_ engine: TextEngine) throws -> String {
    try engine.read(line, asksAll: true, alphabet: .any).map(\.text).joined()
  }

  /// Dense texture gives the network's readings odd forms: the answer holds what it may, and is an answer.
  @Test func anAnswerHoldsWhatItMay() throws {
    let damagedButDecoded = [
      ReadSymbol("", confidence: 1), ReadSymbol("a\u{7}", confidence: 1), ReadSymbol(" ", confidence: 1),
      ReadSymbol("ffffffffffffffffi", confidence: 1),
      ReadSymbol("é", confidence: 1.5, choices: (0..<9).map { .init("\($0)", -1) }, span: -3...7),
      ReadSymbol("b", confidence: .nan, choices: [.init("\n", 0.5), .init("c", .infinity)], span: 0.75...0.75),
    ]
    let reply = TextReply.fitting(
      damagedButDecoded + (0..<2000).map { _ in ReadSymbol("x", confidence: 0.5, span: 0.1...0.2) })
    #expect(reply.symbols.count == TextReply.symbolLimit)
    #expect(reply.symbols[0] == ReadSymbol("é", confidence: 1, choices: (0..<4).map { .init("\($0)", 0) }, span: 0...1))
    #expect(reply.symbols[1] == ReadSymbol("b", confidence: 0, choices: [.init("c", 0)], span: 0.75...0.75))
    let bytes = reply.wireBytes
    #expect(bytes.count <= TextReply.byteLimit)
    #expect(try TextReply(wireBytes: bytes).symbols == reply.symbols)
  }

  /// An answer of Waymark's own network passes as it is; a label beyond the alphabet, or a character that cannot be shown, does not.
  @Test func aLatticeIsLookedAt() throws {
    func lattice(_ alphabet: String, _ label: Int) -> LineLattice {
      LineLattice(
        alphabet: Array(alphabet), columns: [.init(choices: [.init(label: label, share: 0.5)]), .init(choices: [])])
    }
    let good = LatticeReply(lattice: lattice("A é", 3))
    #expect(good.wireBytes.count <= LatticeReply.byteLimit)
    #expect(try LatticeReply(wireBytes: good.wireBytes).lattice == good.lattice)
    for bad in [lattice("A", 2), lattice("A\u{7}", 1), lattice("A\n", 1)] {
      #expect(throws: (any Error).self) { try LatticeReply(wireBytes: LatticeReply(lattice: bad).wireBytes) }
    }
    let fake = try FakeTextEngine("text('A')")
    let engine = try TextEngine(executable: fake.path)
    #expect(try engine.lattice(line)?.columns.isEmpty == true)
  }

  @Test func whatItSaysIsRead() throws {
    let fake = try FakeTextEngine("text('SN4711')")
    let engine = try TextEngine(executable: fake.path)
    #expect(try read(engine) == "SN4711")
    #expect(try read(engine) == "SN4711")
    #expect(Set(fake.asked).count == 1)
  }

  @Test(arguments: [
    // Too many symbols, a count that does not fit, texts that are too long, empty, unprintable or no UTF-8.
    "answer([symbol('A')] * 513)", "answer([symbol('A')], 2)", "answer([symbol('A')], 0)", "answer([], 2**32 - 1)",
    "answer([symbol('A' * 16)])", "answer([symbol('')])", "answer([symbol('\\x1b')])", "answer([symbol(' ')])",
    "answer([struct.pack('<I', 2) + b'\\xc3\\x28' + symbol('A')[5:]])",
    // Numbers that are not finite, or out of range.
    "answer([symbol('A', math.nan)])", "answer([symbol('A', math.inf)])", "answer([symbol('A', 1.5)])",
    "answer([symbol('A', 0.9, -0.1, 1)])", "answer([symbol('A', 0.9, 0, 2)])",
    "answer([symbol('A', 0.9, math.nan, 1)])",
    "answer([symbol('A', 0.9, 0.8, 0.2)])", "answer([symbol('A', 0.9, 0, 1, 2)])",
    "answer([symbol('A', 0.9, 0, 1, 0, [('B', 0.5)] * 5)])", "answer([symbol('A', 0.9, 0, 1, 0, [('B', math.nan)])])",
    // Lengths outside of the arena, more than was announced, half an answer.
    "say(0, 2**32 - 1)", "say(0, \(WorkerArena.outputLimit) + 1)", "say(0, \(TextReply.byteLimit) + 1)", "say(9, 4)",
    "os.write(3, b'abc')", "os.write(3, bytes(4096))",
  ]) func anAnswerWithoutSenseIsNotBelieved(_ body: String) throws {
    let fake = try FakeTextEngine(body)
    let engine = try TextEngine(executable: fake.path)
    #expect(throws: TextError.self) { try engine.read(line, asksAll: false, alphabet: .any) }
    #expect(engine.process == nil)
  }

  @Test func aLineThatIsGivenUpSaysNothingAndTheEngineStays() throws {
    let error = "word('damagedPicture') + word('No.') + word('Try again.')"
    let fake = try FakeTextEngine("e = \(error); arena[:len(e)] = e; say(1, len(e)) if asked == 1 else text('B')")
    let engine = try TextEngine(executable: fake.path)
    #expect(try read(engine) == "")
    let process = try #require(engine.process)
    #expect(try read(engine) == "B")
    #expect(engine.process == process)
  }

  @Test func oneThatDiesCostsTheLine() throws {
    let fake = try FakeTextEngine(
      "os.kill(os.getpid(), signal.SIGABRT) if not os.path.exists(__file__ + '.died') and not open(__file__ + '.died', 'w').close() else text('B')"
    )
    let engine = try TextEngine(executable: fake.path)
    #expect(throws: TextError.self) { try engine.read(line, asksAll: true, alphabet: .any) }
    #expect(try read(engine) == "B")
  }

  @Test func oneThatIsSilentCostsTheLineAndIsEnded() throws {
    let fake = try FakeTextEngine(
      "time.sleep(3600) if not os.path.exists(__file__ + '.hung') and not open(__file__ + '.hung', 'w').close() else text('C')"
    )
    let engine = try TextEngine(executable: fake.path, limit: 0.2)
    #expect(throws: TextError.self) { try engine.read(line, asksAll: true, alphabet: .any) }
    #expect(engine.process == nil)
    #expect(try read(engine) == "C")
  }

  @Test func missingPartsAreReported() {
    #expect(throws: TextError.self) { try TextEngine(languages: ["xx_unknown"]) }
    #expect(throws: TextError.self) { try TextEngine(languages: ["../../etc"]) }
    #expect(throws: TextError.self) { try TextEngine(languages: []) }
  }

  /// Times are those of the test.
  @Test func itIsStartedWhenAskedForAndEndedHalfAMinuteAfterItsLastLine() throws {
    let fake = try FakeTextEngine("text('A')")
    let desk = TextEngineHost { languages throws(TextError) in
      try TextEngine(languages: languages, executable: fake.path)
    }
    try desk.check(["eng"])
    #expect(desk.process == nil)
    #expect(desk.rest(now: 0) == nil)
    func read(_ languages: [String], _ now: Double) throws {
      _ = try desk.read(line, asksAll: true, alphabet: .any, languages: languages, now: now)
    }
    try read(["eng"], 100)
    let first = try #require(desk.process)
    #expect(desk.rest(now: 101) == 29)
    try read(["eng"], 120)
    #expect(desk.process == first)
    #expect(desk.rest(now: 130) == 20)
    #expect(desk.process == first)
    #expect(desk.rest(now: 150) == nil)
    #expect(desk.process == nil)
    #expect(kill(first, 0) != 0)
    // Another line, other languages: another program each.
    try read(["eng"], 1000)
    let second = try #require(desk.process)
    try read(["deu"], 1001)
    #expect(desk.process != second && kill(second, 0) != 0)
    desk.end()
    #expect(desk.process == nil)
  }
}
