/// Reads Interleaved 2 of 5, whose digits have two wide elements of five.
enum TwoOfFive {
  /// Decodes Interleaved 2 of 5 (ISO/IEC 16390): pairs of digits, one in the bars and one in the spaces, each with two wide
  /// elements of five. Most stripes look like some digit, so all narrow elements of a symbol must be narrower than all wide ones.
  /// To exclude parts of a longer symbol, the light on both sides must be wider than any space of the symbol.
  static func interleaved(_ line: LinearLine) -> LinearRead? {
    let w = line.widths
    for start in stride(from: 0, through: w.count - 37, by: 2) {
      let (bar, space) = ((w[start] + w[start + 2]) / 2, (w[start + 1] + w[start + 3]) / 2)
      guard abs(w[start] - w[start + 2]) < 0.6 * bar, abs(w[start + 1] - w[start + 3]) < 0.6 * space,
        bar < 2.5 * space, space < 2.5 * bar, line.isQuiet(before: start, 2 * max(bar, space))
      else { continue }
      var pairs = Pairs()
      var at = start + 4
      while at + 2 < w.count {
        if line.isQuiet(after: at + 2, pairs.quiet) {
          guard pairs.bytes.count >= 6, line.isQuiet(before: start, pairs.quiet), pairs.stops(w, at),
            pairs.holds(bar: bar, space: space)
          else { break }
          return LinearRead(symbology: .itf, bytes: pairs.bytes, first: start, last: at + 2)
        }
        guard at + 12 < w.count, pairs.take(w, at) else { break }
        at += 10
      }
    }
    return nil
  }

  /// The pairs of digits of an ITF decoded so far, and the widths of their elements, in pixels scaled to the first pair.
  private struct Pairs {
    var bytes: [UInt8] = []
    /// The width that the light beside a symbol must exceed, in pixels.
    var quiet: Double {
      bytes.isEmpty ? .infinity : max(1.2 * widest.wide[1], 3 * widest.narrow[1]) * last / first
    }
    /// The widest narrow and the widest wide element, in pixels: of bars (index 0) and of spaces (1). `narrowest` has the narrowest
    /// ones.
    private var widest = (narrow: [0.0, 0.0], wide: [0.0, 0.0])
    private var narrowest = (narrow: [Double.infinity, .infinity], wide: [Double.infinity, .infinity])
    private var first = 0.0
    private var last = 0.0

    /// Decodes and appends a pair; returns false if the runs are not a pair.
    mutating func take(_ w: [Double], _ at: Int) -> Bool {
      let own = w[at..<(at + 10)].reduce(0, +)
      if first == 0 { (first, last) = (own, own) }
      guard abs(own - last) < 0.2 * last else { return false }
      last = own
      for kind in 0..<2 {
        let widths = (0..<5).map { w[at + 2 * $0 + kind] * first / own }
        let sorted = widths.sorted()
        guard let digit = TwoOfFive.digits.firstIndex(of: widths.map { $0 >= sorted[3] }) else { return false }
        bytes.append(0x30 + UInt8(digit))
        widest.narrow[kind] = max(widest.narrow[kind], sorted[2])
        narrowest.narrow[kind] = min(narrowest.narrow[kind], sorted[0])
        widest.wide[kind] = max(widest.wide[kind], sorted[4])
        narrowest.wide[kind] = min(narrowest.wide[kind], sorted[3])
        guard narrowest.wide[kind] > 1.25 * widest.narrow[kind], widest.wide[kind] < 2 * narrowest.wide[kind],
          widest.narrow[kind] < 3 * narrowest.narrow[kind], widest.wide[kind] < 7 * narrowest.narrow[kind]
        else { return false }
      }
      return true
    }

    /// Returns whether the stop begins at run `at`: a wide bar, a narrow space and a narrow bar.
    func stops(_ w: [Double], _ at: Int) -> Bool {
      let scale = first / last
      let (bar, space) = (limit(0), limit(1))
      return w[at] * scale > bar && w[at + 1] * scale < space && w[at + 2] * scale < bar
        && w[at] * scale < 1.5 * widest.wide[0]
    }

    /// Returns whether a bar and a space of the start are narrow.
    func holds(bar: Double, space: Double) -> Bool { bar < limit(0) && space < limit(1) }

    private func limit(_ kind: Int) -> Double { (widest.narrow[kind] + narrowest.wide[kind]) / 2 }
  }

  /// Returns, for each element of the symbol that encodes some digits, from the start to the stop, true if it is wide.
  static func elements(_ bytes: [UInt8]) -> [Bool] {
    let digits = bytes.map { Self.digits[Int($0 - 0x30) % 10] }
    let pairs = stride(from: 0, to: digits.count - 1, by: 2).flatMap { i in
      (0..<5).flatMap { [digits[i][$0], digits[i + 1][$0]] }
    }
    return [false, false, false, false] + pairs + [true, false, false]
  }

  /// For each digit and element, true if the element is wide.
  fileprivate static let digits: [[Bool]] = [
    "00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010",
  ].map { $0.map { $0 == "1" } }
}
