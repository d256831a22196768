import Testing
import WaymarkBarcodes

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
