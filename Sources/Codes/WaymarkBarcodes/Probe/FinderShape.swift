import WaymarkImage

/// How much a place looks like a finder pattern with its light border: nine by nine modules in a given frame.
enum FinderShape {
  /// The correlation of brightness with the pattern, −1 to 1, positive for dark on light, and the mean contrast in gray
  /// levels.
  ///
  /// - Parameters:
  ///   - u: one module along a row of the code, in pixels.
  ///   - v: one module along a column.
  static func likeness(_ view: ImageView, _ center: Point2, _ u: Point2, _ v: Point2) -> (
    correlation: Double, contrast: Double
  ) {
    var (n, sum, squares, pattern, product) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for dy in -4...4 {
      for dx in -4...4 {
        let p = center + Double(dx) * u + Double(dy) * v
        guard p.x >= 0, p.y >= 0, p.x < Double(view.width - 1), p.y < Double(view.height - 1) else { continue }
        let ring = max(abs(dx), abs(dy))
        let expected = ring == 2 || ring == 4 ? 1.0 : 0
        let value = view.sample(p)
        n += 1
        sum += value
        squares += value * value
        pattern += expected
        product += expected * value
      }
    }
    // More than half of it must be in the picture, light and dark.
    guard n >= 45, pattern >= 12, n - pattern >= 12 else { return (0, 0) }
    let spread = (squares - sum * sum / n) * (pattern - pattern * pattern / n)
    guard spread > 0 else { return (0, 0) }
    let light = product / pattern
    let dark = (sum - product) / (n - pattern)
    return ((product - sum * pattern / n) / spread.squareRoot(), light - dark)
  }
}
