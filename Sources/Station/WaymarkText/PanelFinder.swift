import WaymarkImage

/// Finds panels: even, rectangular areas that are darker or lighter than what is around them, as displays are in their housing. The strokes on a
/// display stand apart and differ from its ground by little, so that no line is found among them; the panel itself shows where the line is.
enum PanelFinder {
  /// How much longer than high a panel of one line is.
  private static let shapes = 1.8...9.0
  /// The least height, as a share of the picture's long side.
  private static let leastHeight = 0.025
  /// The least share of its rectangle that it fills; and the share of it that may lie outside.
  private static let leastFill = 0.85
  private static let mostOutside = 0.15
  /// No panel is turned further from upright, in radians.
  private static let mostTurn = 0.6
  /// How much of the height is left out at each side: its rim.
  private static let rim = 0.08
  /// More panels are not told.
  private static let limit = 3

  /// The outlines of panels without their rims, the largest first.
  static func panels(in plane: InkPlane) -> [Quadrilateral] {
    let threshold = plane.threshold
    var found: [(area: Int, outline: Quadrilateral)] = []
    for isDark in [true, false] {
      let mask = plane.pixels.map { ($0 <= threshold) == isDark }
      let (pieces, labels) = InkComponent.find(mask, width: plane.width, height: plane.height)
      for (index, piece) in pieces.enumerated() {
        // Light ground that surrounds everything does not count as a panel.
        guard 10 * piece.width < 9 * plane.width || 10 * piece.height < 3 * plane.height,
          let outline = outline(piece, Int32(index), labels, plane)
        else { continue }
        found.append((piece.area, outline))
      }
    }
    return found.sorted { $0.area > $1.area }.prefix(limit).map(\.outline)
  }

  /// The rectangle of a piece by its moments: those of an even rectangle are a twelfth of its sides' squares; nil for a piece of another shape.
  private static func outline(
    _ piece: InkComponent, _ label: Int32, _ labels: [Int32], _ plane: InkPlane
  ) -> Quadrilateral? {
    let least = leastHeight * Double(max(plane.width, plane.height))
    guard Double(piece.height) >= least, Double(piece.width) >= shapes.lowerBound * least else { return nil }
    let moments = piece.spread.covariance
    let (middle, half) = ((moments.xx + moments.yy) / 2, moments.spread / 2)
    let (long, high) = ((12 * (middle + half)).squareRoot(), (12 * max(0, middle - half)).squareRoot())
    let angle = moments.principalAngle
    guard high >= least, shapes.contains(long / high), abs(angle) <= mostTurn else { return nil }
    let across = Point2(Double.cosine(angle), Double.sine(angle))
    let down = Point2(-across.y, across.x)
    let center = piece.spread.mean
    var (inside, own) = (0, 0)
    for y in piece.top...piece.bottom {
      for x in piece.left...piece.right {
        let step = Point2(Double(x), Double(y)) - center
        guard 2 * abs(step.dot(across)) < long, 2 * abs(step.dot(down)) < high else { continue }
        inside += 1
        if labels[y * plane.width + x] == label { own += 1 }
      }
    }
    guard Double(own) >= leastFill * Double(inside), Double(piece.area - own) <= mostOutside * Double(piece.area) else {
      return nil
    }
    let (a, b) = (across * (long / 2 - rim * high), down * (high / 2 - rim * high))
    return Quadrilateral(
      topLeft: center - a - b, topRight: center + a - b, bottomRight: center + a + b, bottomLeft: center - a + b)
  }
}
