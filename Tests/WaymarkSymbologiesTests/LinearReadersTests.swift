import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Codes that stand too close to other things for libzbar. The bars are zint's (`zint -b … -d … --dump`), a digit of sixteen for four
/// modules.
@Suite struct CrowdedReadersTests {
  private static let code128 = "D21D1A8C768BB14631758E9B939B3974CF498EB"
  private static let gs1 = "D39EBADC648C5163B0963AC"
  private static let code39 = "96D66AB52D96ADA96A5B565AA695B6CAACB52DA"
  private static let itf = "AE8AE3BA28E8E2A2B8E8E8EBA"

  private func modules(_ dump: String) -> [Bool] {
    var bits = dump.compactMap(\.hexDigitValue).flatMap { digit in (0..<4).map { digit >> (3 - $0) & 1 == 1 } }
    while bits.last == false { bits.removeLast() }
    return bits
  }

  /// A line of pixels, four a module, with so many light modules on either side and something dark beyond.
  private func line(_ modules: [Bool], quiet: Int) -> LinearLine {
    let dark = [Bool](repeating: true, count: 6), light = [Bool](repeating: false, count: quiet)
    let all: [Bool] = [[false], dark, light, modules, light, dark, [false]].flatMap { $0 }
    var edges: [Double] = []
    for i in all.indices.dropFirst() where all[i] != all[i - 1] { edges.append(Double(4 * i)) }
    return LinearLine(edges: edges, length: Double(4 * all.count))
  }

  private func read(_ line: LinearLine) -> [CrowdedReaders.Found] {
    CrowdedReaders.read(line, CrowdedReaders.symbologies)
  }

  @Test(arguments: [
    (code128, 2, Symbology.code128, "WAYMARK-128"), (gs1, 2, .code128, "42094043"),
    (code39, 2, .code39, "WAYMARK-39"), (itf, 4, .itf, "1234567895"),
  ])
  func readsBetweenThingsThatTouchNearly(dump: String, quiet: Int, symbology: Symbology, text: String) throws {
    let bits = modules(dump)
    for isReversed in [false, true] {
      let found = read(line(isReversed ? bits.reversed() : bits, quiet: quiet))
      #expect(found.map(\.content.symbology) == [symbology])
      let first = try #require(found.first)
      #expect(String(decoding: first.content.bytes, as: UTF8.self) == text)
      #expect(first.content.isGS1 == (dump == Self.gs1))
      #expect(first.isReversed == isReversed)
      // A light module, six dark ones, the light zone.
      #expect(first.from == Double(4 * (7 + quiet)))
      #expect(first.to == Double(4 * (7 + quiet + bits.count)))
    }
  }

  /// Every even part of an ITF begins and ends like one, but for the light beside it.
  @Test func readsNoPartOfAnITF() {
    let bits = modules(Self.itf)
    for cut in 1..<30 {
      #expect(read(line(Array(bits.dropFirst(cut)), quiet: 1)).isEmpty)
      #expect(read(line(Array(bits.dropLast(cut)), quiet: 1)).isEmpty)
    }
    #expect(read(line(bits, quiet: 2)).isEmpty)
  }

  @Test func holdsCode128ToItsCheckCharacter() throws {
    var bits = modules(Self.code128)
    // The second character as another one of the table: the sum does not hold.
    bits.replaceSubrange(22..<33, with: modules("D98").prefix(11))
    #expect(read(line(bits, quiet: 2)).isEmpty)
  }

  @Test func readsNoCode39OfWhichAnElementIsBetweenWideAndNarrow() {
    let whole = line(modules(Self.code39), quiet: 2)
    #expect(!read(whole).isEmpty)
    // The second character ends half a module later: its last bar is neither.
    var edges = whole.edges
    edges[21] += 2
    #expect(read(LinearLine(edges: edges, length: edges[edges.count - 1] + 4)).isEmpty)
  }
}

@Suite struct ElementWidthsTests {
  /// Elements, modules, widest and whether one must be narrow: DataBar Limited's characters and check character (ISO/IEC 24724,
  /// tables 6 and 7), DataBar Expanded's characters (table 9).
  static let kinds: [(Int, Int, Int, Bool)] = [
    (7, 17, 6, false), (7, 13, 5, false), (7, 9, 3, false), (7, 15, 5, false), (7, 11, 4, false), (7, 19, 8, false),
    (7, 7, 1, false), (7, 9, 3, true), (7, 13, 4, true), (7, 17, 6, true), (7, 11, 4, true), (7, 15, 5, true),
    (7, 7, 1, true), (7, 19, 8, true), (6, 8, 3, false), (4, 12, 7, true), (4, 10, 5, true), (4, 4, 1, true),
    (4, 5, 2, false), (4, 13, 8, false),
  ]

  @Test("Ranks are the places among all allowed sequences in their order", arguments: kinds)
  func ranks(elements: Int, modules: Int, widest: Int, needsNarrow: Bool) {
    let widths = ElementWidths(elements: elements, modules: modules, widest: widest, needsNarrow: needsNarrow)
    var sequences: [[Int]] = []
    func extend(_ open: [Int], _ rest: Int) {
      if open.count == elements {
        if rest == 0, !needsNarrow || open.contains(1) { sequences.append(open) }
        return
      }
      for width in stride(from: 1, through: min(widest, rest), by: 1) { extend(open + [width], rest - width) }
    }
    extend([], modules)
    #expect(widths.count == sequences.count)
    #expect(sequences.map { widths.rank(of: $0) } == Array(sequences.indices))
  }

  @Test("The groups of DataBar Limited hold as many characters as the standard's table 6 says")
  func counts() {
    func characters(_ modules: Int, _ widest: Int) -> Int {
      ElementWidths(elements: 7, modules: modules, widest: widest, needsNarrow: false).count
        * ElementWidths(elements: 7, modules: 26 - modules, widest: 9 - widest, needsNarrow: true).count
    }
    #expect(characters(17, 6) == 183_064)
    #expect(characters(13, 5) == 820_064 - 183_064)
    #expect(characters(9, 3) == 1_000_776 - 820_064)
    #expect(characters(15, 5) == 1_491_021 - 1_000_776)
    #expect(characters(11, 4) == 1_979_845 - 1_491_021)
    #expect(characters(19, 8) == 1_996_939 - 1_979_845)
  }

  @Test("What is not allowed has no rank")
  func refused() {
    let widths = ElementWidths(elements: 4, modules: 12, widest: 7, needsNarrow: true)
    #expect(widths.rank(of: [1, 1, 3, 7]) != nil)
    #expect(widths.rank(of: [3, 3, 3, 3]) == nil)
    #expect(widths.rank(of: [1, 1, 2, 8]) == nil)
    #expect(widths.rank(of: [1, 1, 3, 6]) == nil)
    #expect(widths.rank(of: [1, 4, 7]) == nil)
    #expect(widths.rank(of: [0, 1, 4, 7]) == nil)
  }
}

@Suite("The text of GS1 DataBar Expanded")
struct DataBarExpandedTextTests {
  @Test("a latch to digits behind FNC1, which goes there by itself, changes nothing")
  func latchBehindFNC1() {
    func characters(_ bits: String) -> [Int] {
      let bits = Array(bits.filter { $0 != " " })
      return stride(from: 0, to: bits.count - 11, by: 12).compactMap { Int(String(bits[$0..<($0 + 12)]), radix: 2) }
    }
    // 10 12, latch, A, FNC1, 42 21 23, and what fills up.
    let head = "0 00 00 0010011 0010101 0000 100000 01111"
    let tail = "0110110 0011111 0100001 0000 00100 00100"
    #expect(DataBarExpandedText.decode(characters(head + tail)) == "1012A\u{1D}422123")
    #expect(DataBarExpandedText.decode(characters(head + "000" + tail)) == "1012A\u{1D}422123")
  }

  @Test("whatever the characters are, they are decoded or refused")
  func hostile() {
    var random = RandomSource(seed: 23)
    for _ in 0..<3000 {
      let characters = (0..<Int(3 + random.next() % 19)).map { _ in Int(random.next() % 4096) }
      if let text = DataBarExpandedText.decode(characters) { #expect(!text.isEmpty && text.count < 160) }
    }
  }
}
