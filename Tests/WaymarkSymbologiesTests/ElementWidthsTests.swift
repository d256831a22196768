import Testing

@testable import WaymarkBarcodes

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
