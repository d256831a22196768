import WaymarkImage

/// The order in which a person reads codes off a sheet: rows from the top, in each from the left.
enum ReadingOrder {
  /// Codes are of one row where they overlap by more than half the height of the lower one.
  static func sorted(_ symbols: [Symbol]) -> [Symbol] {
    var rest = symbols.sorted { Self.key($0) < Self.key($1) }
    var ordered: [Symbol] = []
    while let first = rest.first {
      let lead = first.corners.bounds
      var row: [Symbol] = []
      rest.removeAll { symbol in
        let b = symbol.corners.bounds
        let shared = min(lead.max.y, b.max.y) - max(lead.min.y, b.min.y)
        guard symbol == first || shared > 0.5 * min(lead.max.y - lead.min.y, b.max.y - b.min.y) else { return false }
        row.append(symbol)
        return true
      }
      ordered += row.sorted { ($0.corners.center.x, $0.corners.center.y) < ($1.corners.center.x, $1.corners.center.y) }
    }
    return ordered
  }

  private static func key(_ symbol: Symbol) -> (Double, Double, String) {
    (symbol.corners.bounds.min.y, symbol.corners.bounds.min.x, symbol.text)
  }
}
