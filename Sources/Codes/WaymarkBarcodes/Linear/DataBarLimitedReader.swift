import WaymarkSystem

/// Reads GS1 DataBar Limited (ISO/IEC 24724, clause 6): two characters of 26 modules, with a check character of 18 modules
/// between them. `ElementWidths` below computes the values of characters for the whole GS1 DataBar family.
enum DataBarLimitedReader {
  /// Decodes a line in its direction; `nil` if it has no symbol with a right checksum.
  static func read(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    guard w.count >= 45 else { return nil }
    // The runs from the dark bar of the left guard to the dark bar of the right guard.
    for start in stride(from: 0, through: w.count - 45, by: 2) {
      let left = w[(start + 1)...(start + 14)].reduce(0, +)
      let check = w[(start + 15)...(start + 28)].reduce(0, +)
      let right = w[(start + 29)...(start + 42)].reduce(0, +)
      let module = (left + check + right) / 70
      guard abs(left - 26 * module) < 2 * module, abs(check - 18 * module) < 2 * module,
        abs(right - 26 * module) < 2 * module, w[start] < 2 * module, w[start + 43] < 2 * module,
        w[start + 44] < 2 * module, line.isQuiet(before: start, 0.5 * module),
        line.isQuiet(after: start + 44, 3 * module)
      else { continue }
      // In every check character nine modules are dark, so the sum of the dark runs gives the ink spread.
      let dark = stride(from: start + 16, through: start + 28, by: 2).reduce(0) { $0 + w[$1] }
      let spread = (2 * dark - check) / 14
      func elements(_ first: Int, _ modules: Double) -> (light: [Double], dark: [Double]) {
        let own = (first..<(first + 14)).map { w[$0] + ($0.isMultiple(of: 2) ? -spread : spread) }
        let size = own.reduce(0, +) / modules
        return (
          stride(from: 0, to: 14, by: 2).map { own[$0] / size }, stride(from: 1, to: 14, by: 2).map { own[$0] / size }
        )
      }
      guard let a = character(elements(start + 1, 26)), let b = character(elements(start + 29, 26)),
        let sum = checksum(elements(start + 15, 18))
      else { continue }
      var (weight, total) = (1, 0)
      for width in a.widths + b.widths {
        total += weight * width
        weight = weight * 3 % 89
      }
      guard total % 89 == sum else { continue }
      var number = a.value * 2_013_571 + b.value
      // An offset is added to the value if the symbol has a 2-D component.
      let isLinked = number >= linked
      if isLinked { number -= linked }
      guard number <= 1_999_999_999_999 else { continue }
      let item = number.digits(13)
      return LinearRead(
        symbology: .dataBarLimited, bytes: Array(("01" + item + GTIN.checkDigit(for: item)).utf8), first: start,
        last: start + 44, component: isLinked ? .microPDF417 : nil)
    }
    return nil
  }

  private static let linked = 2_015_133_531_096

  private static func character(_ own: (light: [Double], dark: [Double])) -> (value: Int, widths: [Int])? {
    var best: (value: Int, widths: [Int], off: Double)?
    for group in groups {
      let a = ElementWidths.nearest(own.light, sum: group.modules)
      let b = ElementWidths.nearest(own.dark, sum: 26 - group.modules)
      guard a.off + b.off < best?.off ?? 3, let odd = group.odd.rank(of: a.widths),
        let even = group.even.rank(of: b.widths)
      else { continue }
      let widths = zip(a.widths, b.widths).flatMap { [$0, $1] }
      best = (group.first + odd * group.even.count + even, widths, a.off + b.off)
    }
    return best.map { ($0.value, $0.widths) }
  }

  /// Returns the checksum in the check character; `nil` if it does not have twelve elements of at most three modules, and two of
  /// one module.
  private static func checksum(_ own: (light: [Double], dark: [Double])) -> Int? {
    let light = ElementWidths.nearest(own.light, sum: 9)
    let dark = ElementWidths.nearest(own.dark, sum: 9)
    guard light.off + dark.off < 3, light.widths[6] == 1, dark.widths[6] == 1,
      let a = checkWidths.rank(of: Array(light.widths.prefix(6))),
      let b = checkWidths.rank(of: Array(dark.widths.prefix(6)))
    else { return nil }
    return checks.firstIndex(of: a * 21 + b)
  }

  private struct Group {
    var first: Int
    var modules: Int
    var odd: ElementWidths
    var even: ElementWidths
  }

  /// Table 6: the groups of characters by the number of modules of their light elements.
  private static let groups: [Group] = [
    (0, 17, 6), (183_064, 13, 5), (820_064, 9, 3), (1_000_776, 15, 5), (1_491_021, 11, 4), (1_979_845, 19, 8),
    (1_996_939, 7, 1),
  ].map { first, modules, widest in
    Group(
      first: first, modules: modules,
      odd: ElementWidths(elements: 7, modules: modules, widest: widest, needsNarrow: false),
      even: ElementWidths(elements: 7, modules: 26 - modules, widest: 9 - widest, needsNarrow: true))
  }

  private static let checkWidths = ElementWidths(elements: 6, modules: 8, widest: 3, needsNarrow: false)

  /// Table 7: the ranks of the check characters for 0 to 88 among the 441 possible ones.
  private static let checks: [Int] = [
    0...43, 45...45, 52...52, 57...57, 63...66, 73...79, 82...82, 126...130, 132...132, 141...146, 210...217, 220...220,
    316...320, 322...323, 326...326, 337...337,
  ].flatMap { (range: ClosedRange<Int>) in Array(range) }
}

// MARK: - Element widths of DataBar

/// The widths of the bars, or of the spaces, in a character of the GS1 DataBar family: a fixed number of elements with a fixed sum
/// in modules. The value of a character is the rank of its widths among all allowed sequences (ISO/IEC 24724, annex B).
struct ElementWidths: Sendable {
  private let elements: Int
  private let modules: Int
  private let widest: Int
  /// True if at least one element must be one module wide.
  private let needsNarrow: Bool
  /// The number of sequences by numbers of elements and modules: in `ways` each element is at least one module wide, in `wideWays`
  /// at least two.
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

  /// The number of allowed sequences.
  var count: Int { count(elements, modules, hasNarrow: false) }

  /// Returns the rank of a sequence among the allowed ones, from 0; nil if it is not allowed.
  ///
  /// A rank is computed instead of looked up, because GS1 DataBar Limited has 53,608 sequences.
  func rank(of widths: [Int]) -> Int? {
    guard widths.count == elements, widths.allSatisfy({ (1...widest).contains($0) }), widths.reduce(0, +) == modules,
      !needsNarrow || widths.contains(1)
    else { return nil }
    var (rank, rest, hasNarrow) = (0, modules, false)
    for (index, width) in widths.enumerated() {
      // Adds the number of sequences that agree up to here and have a narrower element at this index: they rank lower.
      for narrower in 1..<width {
        rank += count(elements - index - 1, rest - narrower, hasNarrow: hasNarrow || narrower == 1)
      }
      rest -= width
      hasNarrow = hasNarrow || width == 1
    }
    return rank
  }

  /// Returns the sequence of a rank, which must be less than `count`.
  func sequence(at rank: Int) -> [Int] {
    var (rest, left, hasNarrow) = (rank, modules, false)
    var widths: [Int] = []
    for index in 0..<elements {
      var width = 1
      while width < widest {
        let ways = left < width ? 0 : count(elements - index - 1, left - width, hasNarrow: hasNarrow || width == 1)
        if rest < ways { break }
        rest -= ways
        width += 1
      }
      widths.append(width)
      left = max(0, left - width)
      hasNarrow = hasNarrow || width == 1
    }
    return widths
  }

  /// Returns the number of ways in which `elements` elements of `modules` modules can end a sequence. `hasNarrow` is true if
  /// an element before them is one module wide.
  private func count(_ elements: Int, _ modules: Int, hasNarrow: Bool) -> Int {
    ways[elements][modules] - (needsNarrow && !hasNarrow ? wideWays[elements][modules] : 0)
  }

  /// Returns the integers of a given sum, each at least 1, that are closest to measured widths in modules, and the sum of the
  /// squared deviations.
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
