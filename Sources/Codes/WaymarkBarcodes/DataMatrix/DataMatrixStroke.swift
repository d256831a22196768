import WaymarkImage

/// The cheap looks that tell the L of a Data Matrix symbol from other corners, before its alternating sides are searched.
enum DataMatrixStroke {
  /// Changes of tone that three lines through a symbol must show together; random modules of eight columns show about ten.
  private static let fewestChanges = 6

  /// Returns whether tones change between two sides as often as between those of the smallest symbol: a shelf, a holder or a window has
  /// corners too, and nothing or one thing inside.
  static func isFilled(_ c: DataMatrixCorner, _ search: DataMatrixTimingSearch) -> Bool {
    let (up, base) = (c.top - c.corner, c.right - c.corner)
    let enough = Double(fewestChanges)
    return hasChanges(enough, base, up, c, search) && hasChanges(enough, up, base, c, search)
  }

  /// Returns whether there are so many changes of tone along three lines beside a side.
  private static func hasChanges(
    _ enough: Double, _ side: Point2, _ other: Point2, _ c: DataMatrixCorner, _ search: DataMatrixTimingSearch
  ) -> Bool {
    let samples = min(160, max(24, Int(side.length / 1.5)))
    var missing = enough
    for height in [0.3, 0.5, 0.7] {
      let start = c.corner + other * height
      var wasDark = true
      for i in 0..<samples {
        let isDark = search.isDark(start + side * (0.02 + 0.96 * Double(i) / Double(samples - 1)))
        if isDark != wasDark {
          missing -= 1
          if missing <= 0 { return true }
        }
        wasDark = isDark
      }
    }
    return missing <= 0
  }

  /// Returns whether two strokes are those of an L: dark along most of their length, with light beside them, and tones that change
  /// often enough between them for modules as wide as the strokes are thick. Of symbols that were read in two sets of photographs nine
  /// tenths of the strokes were dark at least, and 0.22 changes a module came; of other corners a half passes.
  static func isL(
    _ c: DataMatrixCorner, _ search: DataMatrixTimingSearch, inward: (left: Point2, bottom: Point2),
    thickness: (left: Double, bottom: Double), pitch: Point2
  ) -> Bool {
    var (dark, light, contrast) = (0, 0, 0.0)
    let strokes = [
      (c.top, inward.left, thickness.left, c.left), (c.right, inward.bottom, thickness.bottom, c.lower),
    ]
    for (end, inward, thickness, places) in strokes {
      for i in 0..<looks {
        let share = Double(i) / Double(looks - 1)
        let p =
          places.isEmpty
          ? c.corner + (end - c.corner) * (0.04 + 0.92 * share) : places[Int(share * Double(places.count - 1))]
        let (inside, beside) = (
          search.excess(p + inward * (0.5 * thickness)), search.excess(p - inward * (0.75 * thickness))
        )
        if inside < 0 { dark += 1 }
        if beside >= 0 { light += 1 }
        contrast += beside - inside
      }
    }
    let count = 2 * looks
    guard 10 * dark >= 8 * count, 2 * light >= count, contrast >= 12 * Double(count) else { return false }
    let (up, base) = (c.top - c.corner, c.right - c.corner)
    // Three lines each.
    return hasChanges(3 * 0.2 * base.length / pitch.x, base, up, c, search)
      && hasChanges(3 * 0.2 * up.length / pitch.y, up, base, c, search)
  }

  /// Places along a stroke of an L at which is looked.
  private static let looks = 24
}
