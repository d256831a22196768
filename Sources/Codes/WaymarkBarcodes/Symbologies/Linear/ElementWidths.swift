/// The widths of bars or of spaces in a character of the GS1 DataBar family: as many elements of so many modules together. A
/// character's value is the rank of its widths among all that the symbology allows (ISO/IEC 24724, annex B).
struct ElementWidths: Sendable {
  private let elements: Int
  private let modules: Int
  private let widest: Int
  /// True if one of the elements must be a module wide.
  private let needsNarrow: Bool
  /// How many sequences of so many elements have so many modules, where each element has at least one, and where each has two.
  private let ways: [[Int]]
  private let wideWays: [[Int]]

  init(elements: Int, modules: Int, widest: Int, needsNarrow: Bool) {
    (self.elements, self.modules, self.widest, self.needsNarrow) = (elements, modules, widest, needsNarrow)
    func ways(from narrowest: Int) -> [[Int]] {
      var ways = [[1] + [Int](repeating: 0, count: modules)]
      for _ in 0..<elements {
        let fewer = ways[ways.count - 1]
        ways.append(
          (0...modules).map { sum in
            stride(from: narrowest, through: min(sum, widest), by: 1).reduce(0) { $0 + fewer[sum - $1] }
          })
      }
      return ways
    }
    self.ways = ways(from: 1)
    wideWays = ways(from: 2)
  }

  /// How many sequences are allowed.
  var count: Int { count(elements, modules, hasNarrow: false) }

  /// The rank of a sequence among the allowed ones, from 0; nil for one that is not allowed.
  ///
  /// A rank is counted and not looked up: GS1 DataBar Limited has 53,608 sequences.
  func rank(of widths: [Int]) -> Int? {
    guard widths.count == elements, widths.allSatisfy({ (1...widest).contains($0) }), widths.reduce(0, +) == modules,
      !needsNarrow || widths.contains(1)
    else { return nil }
    var (rank, rest, hasNarrow) = (0, modules, false)
    for (index, width) in widths.enumerated() {
      // What comes before: the same up to here, and then a narrower element.
      for narrower in 1..<width {
        rank += count(elements - index - 1, rest - narrower, hasNarrow: hasNarrow || narrower == 1)
      }
      rest -= width
      hasNarrow = hasNarrow || width == 1
    }
    return rank
  }

  /// How many sequences of so many elements and modules can end one that has, or has not, an element a module wide.
  private func count(_ elements: Int, _ modules: Int, hasNarrow: Bool) -> Int {
    ways[elements][modules] - (needsNarrow && !hasNarrow ? wideWays[elements][modules] : 0)
  }

  /// The whole numbers of a given sum, each at least 1, that are nearest to measured widths in modules, and how far these are
  /// off: the sum of squares.
  static func nearest(_ measured: [Double], sum: Int) -> (widths: [Int], off: Double) {
    var widths = measured.map { max(1, Int(min(max($0, 0), 50).rounded())) }
    var rest = sum - widths.reduce(0, +)
    while rest != 0 {
      let step = rest > 0 ? 1 : -1
      var best: (index: Int, cost: Double)?
      for i in widths.indices where widths[i] + step >= 1 {
        let (now, then) = (measured[i] - Double(widths[i]), measured[i] - Double(widths[i] + step))
        let cost = then * then - now * now
        if cost < best?.cost ?? .infinity { best = (i, cost) }
      }
      guard let best else { return (widths, .infinity) }
      widths[best.index] += step
      rest -= step
    }
    let off = zip(measured, widths).reduce(0) { $0 + ($1.0 - Double($1.1)) * ($1.0 - Double($1.1)) }
    return (widths, off)
  }
}
