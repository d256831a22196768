/// Determines whether a DataBar declares a 2-D component. Its value is then larger by a constant (ISO/IEC 24724, 5.2.3), which
/// libzbar drops, so the first character of the symbol is compared with both characters that the number can have: with and without
/// the constant.
struct DataBarLink {
  /// The widths in modules of the eight elements, without and with a component.
  private let plain: [Int]
  private let linked: [Int]

  /// Creates the two first characters of a DataBar; nil for other contents.
  ///
  /// - Parameter text: the element string of a GTIN, with its identifier 01.
  init?(_ text: String) {
    guard text.count == 16, text.hasPrefix("01"), let value = Int(text.dropFirst(2).dropLast()),
      let plain = Self.widths(value), let linked = Self.widths(value + 10_000_000_000_000)
    else { return nil }
    (self.plain, self.linked) = (plain, linked)
  }

  /// Returns whether the symbol on a line, in its direction, declares a component; nil if the line does not cross the symbol.
  func isLinked(_ line: LinearLine) -> Bool? {
    let w = line.widths
    // Looks for three parts in a row: the first bar of the guard, the character, which begins with a light element, and the finder
    // pattern.
    for first in stride(from: 1, to: w.count - 13, by: 2) {
      let module = w[first..<(first + 8)].reduce(0, +) / 16
      guard abs(w[(first + 8)..<(first + 13)].reduce(0, +) - 15 * module) < 2.5 * module, w[first - 1] < 2.2 * module
      else { continue }
      // Distances between similar edges do not change with ink spread.
      func off(_ pattern: [Int]) -> Double {
        (0..<7).reduce(0) {
          max($0, abs((w[first + $1] + w[first + $1 + 1]) / module - Double(pattern[$1] + pattern[$1 + 1])))
        }
      }
      let (a, b) = (off(plain), off(linked))
      if min(a, b) < 0.6, abs(a - b) > 0.5 { return b < a }
    }
    return nil
  }

  /// Returns the widths of the elements of the first character of a value; nil if the value is too large.
  private static func widths(_ value: Int) -> [Int]? {
    let character = value / 4_537_077 / 1597
    guard let group = groups.last(where: { $0.first <= character }) else { return nil }
    let rank = character - group.first
    let (odd, even) = (rank / group.even.count, rank % group.even.count)
    guard odd < group.odd.count else { return nil }
    return zip(group.odd.sequence(at: odd), group.even.sequence(at: even)).flatMap { [$0, $1] }
  }

  /// Table 3: the groups of outer characters by the number of modules of their odd elements.
  private static let groups: [(first: Int, odd: ElementWidths, even: ElementWidths)] = [
    (0, 12, 8), (161, 10, 6), (961, 8, 4), (2015, 6, 3), (2715, 4, 1),
  ].map { first, modules, widest in
    (
      first, ElementWidths(elements: 4, modules: modules, widest: widest, needsNarrow: false),
      ElementWidths(elements: 4, modules: 16 - modules, widest: 9 - widest, needsNarrow: true)
    )
  }
}
