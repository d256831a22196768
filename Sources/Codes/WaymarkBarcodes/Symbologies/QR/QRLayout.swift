/// Where the fixed patterns of a QR code stand, in modules (ISO/IEC 18004 clause 6.3 and annex E).
package struct QRLayout {
  /// 1 to 40.
  package let version: Int
  /// Modules along a side.
  package var side: Int { 17 + 4 * version }

  package init?(version: Int) {
    guard (1...40).contains(version) else { return nil }
    self.version = version
  }

  /// The layout whose side is nearest to a measured one.
  package init?(nearestSide side: Double) {
    guard side.isFinite, side > 18, side < 180 else { return nil }
    self.init(version: min(40, max(1, Int(((side - 17) / 4).rounded()))))
  }

  /// The rows, and columns, on which alignment patterns are centred: evenly spaced from the far end, on even steps,
  /// the rest of the division between the first two (annex E, table E.1).
  package var alignmentLines: [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let last = side - 7
    guard count > 2 else { return [6, last] }
    let gap = version == 32 ? 26 : (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
    return [6] + (0..<(count - 1)).map { last - (count - 2 - $0) * gap }
  }

  /// The centres of the alignment patterns, as (column, row); those that would lie on a finder pattern left out.
  package var alignmentCenters: [(x: Int, y: Int)] {
    let lines = alignmentLines
    guard let last = lines.last else { return [] }
    return lines.flatMap { y in lines.map { (x: $0, y: y) } }.filter { c in
      !((c.x == 6 && c.y == 6) || (c.x == 6 && c.y == last) || (c.x == last && c.y == 6))
    }
  }
}
