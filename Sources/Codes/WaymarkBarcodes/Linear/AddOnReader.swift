import WaymarkImage

/// Reads the add-ons of two and five digits to the right of EAN-13, UPC-A and UPC-E (GS1 General Specifications, 5.2.1.4): issues
/// of periodicals and prices of books. An add-on has no other check than the parity of its digits, so it is read only on request,
/// and only beside a code that was read.
struct AddOnReader {
  let image: ImageView
  /// The add-ons to read: of two digits, of five, or both.
  let wanted: Set<Symbology>
  /// The regions that the bar search found in the picture.
  let bars: [BarRegion]

  static let symbologies: Set<Symbology> = [.ean2, .ean5]
  /// The symbologies that may have an add-on.
  static let carriers: Set<Symbology> = [.ean13, .upcA, .upcE]

  /// Returns the digits of the add-on beside a code; `nil` unless at least three lines agree on them, and more than twice as many as on
  /// all others.
  func read(_ symbol: Symbol) -> String? {
    guard Self.carriers.contains(symbol.symbology) else { return nil }
    // The margin contains the farthest bars of five digits and some light after them.
    let strip = BarStrip(region(of: symbol), bands: 18, margin: 0.85)
    for tone in [false, true] {
      var picture = strip.draw(image)
      if tone { picture = BarStrip.stretch(picture, block: 40, gain: 8) }
      var votes: [String: Int] = [:]
      picture.withView { view in
        for row in stride(from: 0, to: view.height, by: 2) {
          guard let line = LinearLine(view, row: row) else { continue }
          for digits in Set([line, line.reversed].compactMap { Self.digits($0, symbol.symbology == .upcE) })
          where wanted.contains(digits.count == 2 ? .ean2 : .ean5) {
            votes[digits, default: 0] += 1
          }
        }
      }
      let best = votes.max { $0.value < $1.value }
      let rest = votes.values.reduce(0, +) - (best?.value ?? 0)
      if let best, best.value >= 3, best.value > 2 * rest { return best.key }
    }
    return nil
  }

  /// Returns the region of a code's bars from the bar search, or else a region around its corners.
  private func region(of symbol: Symbol) -> BarRegion {
    let corners = symbol.corners
    let center = corners.center
    if let region = bars.first(where: { $0.corners.contains(center) }) { return region }
    return BarRegion(covering: corners)
  }

  // MARK: Lines

  /// Returns the digits of the add-on after the bars of a code; `nil` if the line does not show both.
  private static func digits(_ line: LinearLine, _ isUPCE: Bool) -> String? {
    let w = line.widths
    // Runs of the code: guard bars and six digits; for EAN-13 and UPC-A also a middle guard and six more digits.
    let runs = isUPCE ? 33 : 59
    guard w.count >= runs + 13 else { return nil }
    for start in stride(from: 0, to: w.count - runs - 12, by: 2) {
      let module = w[start..<(start + runs)].reduce(0, +) / (isUPCE ? 51 : 95)
      func isNear(_ from: Int, _ count: Int, _ modules: Double) -> Bool {
        abs(w[from..<(from + count)].reduce(0, +) - modules * module) < max(1, 0.06 * modules) * module
      }
      guard isNear(start, 3, 3), isNear(start + 3, 24, 42),
        isUPCE ? isNear(start + 27, 6, 6) : isNear(start + 27, 5, 5) && isNear(start + 32, 24, 42)
      else { continue }
      let first = start + runs + 1
      guard w[first - 1] > 4 * module, w[first - 1] < 20 * module, isNear(first, 3, 4), w[first + 2] > w[first] else {
        continue
      }
      return five(line, first + 3, module) ?? two(line, first + 3, module)
    }
    return nil
  }

  private static func two(_ line: LinearLine, _ at: Int, _ module: Double) -> String? {
    guard let read = characters(line, at, 2, module) else { return nil }
    let parity = read[0].isEven ? (read[1].isEven ? 3 : 2) : (read[1].isEven ? 1 : 0)
    return (10 * read[0].digit + read[1].digit) % 4 == parity ? read.map { "\($0.digit)" }.joined() : nil
  }

  private static func five(_ line: LinearLine, _ at: Int, _ module: Double) -> String? {
    guard let read = characters(line, at, 5, module) else { return nil }
    let odd = 3 * (read[0].digit + read[2].digit + read[4].digit)
    let sum = (odd + 9 * (read[1].digit + read[3].digit)) % 10
    let parity = read.map { $0.isEven ? "G" : "L" }.joined()
    return parities[sum] == parity ? read.map { "\($0.digit)" }.joined() : nil
  }

  private static let parities = [
    "GGLLL", "GLGLL", "GLLGL", "GLLLG", "LGGLL", "LLGGL", "LLLGG", "LGLGL", "LGLLG", "LLGLG",
  ]

  /// Returns the digits of the add-on whose first digit begins at run `at`; `nil` if they are invalid. A digit has four elements; a
  /// light and a dark module separate two digits, and light follows the last digit.
  private static func characters(_ line: LinearLine, _ at: Int, _ count: Int, _ module: Double) -> [(
    digit: Int, isEven: Bool
  )]? {
    let w = line.widths
    let end = at + 6 * count - 2
    guard end <= w.count, line.isQuiet(after: end - 1, 4 * module) else { return nil }
    var found: [(digit: Int, isEven: Bool)] = []
    for i in 0..<count {
      let own = Array(w[(at + 6 * i)..<(at + 6 * i + 4)])
      if i > 0 {
        guard w[at + 6 * i - 2] + w[at + 6 * i - 1] < 3 * module else { return nil }
      }
      let size = own.reduce(0, +) / 7
      guard abs(size - module) < 0.2 * module else { return nil }
      var best: (index: Int, off: Double)?
      for (index, pattern) in RetailPattern.digits.enumerated() {
        // Ink spread does not change the distances between similar edges. Digits with equal distances differ in the widths of their
        // elements.
        var off = 0.0
        for j in 0..<3 { off = max(off, abs((own[j] + own[j + 1]) / size - Double(pattern[j] + pattern[j + 1]))) }
        for j in 0..<4 { off = max(off, abs(own[j] / size - Double(pattern[j])) / 1.5) }
        if off < best?.off ?? 0.7 { best = (index, off) }
      }
      guard let best else { return nil }
      found.append((best.index % 10, best.index >= 10))
    }
    return found
  }
}
