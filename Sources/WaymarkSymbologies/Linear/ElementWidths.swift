/// The widths of bars or of spaces in a character of the GS1 DataBar family: as many elements of so many modules together. A
/// character's value is the rank of its widths among all that the symbology allows (ISO/IEC 24724, annex B).
struct ElementWidths: Hashable {
  let elements: Int
  let modules: Int
  let widest: Int
  /// True if one of the elements must be a module wide.
  let needsNarrow: Bool

  /// All allowed sequences, in the order of their ranks.
  var sequences: [[Int]] {
    var found: [[Int]] = []
    var open: [Int] = []
    func extend(_ rest: Int) {
      if open.count == elements {
        if rest == 0, !needsNarrow || open.contains(1) { found.append(open) }
        return
      }
      let left = elements - open.count - 1
      for width in 1...widest where rest - width >= left && rest - width <= left * widest {
        open.append(width)
        extend(rest - width)
        open.removeLast()
      }
    }
    extend(modules)
    return found
  }

  /// Each allowed sequence with its rank.
  var ranks: [[Int]: Int] {
    Dictionary(uniqueKeysWithValues: sequences.enumerated().map { ($0.element, $0.offset) })
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
