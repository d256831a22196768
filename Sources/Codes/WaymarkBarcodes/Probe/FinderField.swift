import WaymarkImage

/// The finder patterns of a picture, gathered over its octaves: each once, as it was seen best.
struct FinderField {
  /// Patterns of each polarity, in pixels of the whole picture: dark on light first.
  private(set) var found: [[FinderPattern]] = [[], []]
  /// True if there were more than one picture may hold.
  private(set) var isLimited = false

  /// Adds what was seen on one octave.
  mutating func add(_ search: FinderSearch, octave: Int, factor: Double) {
    if search.isLimited { isLimited = true }
    for polarity in 0..<2 {
      for seen in search.found[polarity] {
        var pattern = seen.scaled(by: factor)
        pattern.octave = octave
        if let i = found[polarity].firstIndex(where: { Self.isSame($0, pattern) }) {
          if Self.distance(pattern) < Self.distance(found[polarity][i]) {
            pattern.rings = max(pattern.rings, found[polarity][i].rings)
            found[polarity][i] = pattern
          }
        } else if found[polarity].count < FinderSearch.capacity {
          found[polarity].append(pattern)
        } else {
          isLimited = true
        }
      }
    }
  }

  private static func isSame(_ a: FinderPattern, _ b: FinderPattern) -> Bool {
    abs(a.center.x - b.center.x) < 1.5 * a.moduleX && abs(a.center.y - b.center.y) < 1.5 * a.moduleY
      && a.module < 1.7 * b.module && b.module < 1.7 * a.module
  }

  /// How far its module is, on its octave, from the five pixels at which a pattern is measured best; as a ratio.
  private static func distance(_ pattern: FinderPattern) -> Double {
    let pixels = pattern.module / Double(1 << pattern.octave)
    return max(pixels / 5, 5 / pixels)
  }
}
