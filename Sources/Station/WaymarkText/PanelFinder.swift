import WaymarkImage

/// Finds panels: uniform rectangular areas that are darker or lighter than their surroundings, like displays in a housing.
/// The strokes on a display are separate and have little contrast, so no line is found among them; the panel itself shows the
/// position of the line.
enum PanelFinder {
  /// The range of a panel's length divided by its height.
  private static let shapes = 1.8...9.0
  /// The least height of a panel, as a share of the picture's long side.
  private static let leastHeight = 0.025
  /// The least share of its rectangle that a panel fills, and the largest share of the panel outside of it.
  private static let leastFill = 0.85
  private static let mostOutside = 0.15
  /// The largest rotation of a panel from level, in radians.
  private static let mostTurn = 0.6
  /// The width of the rim that is left out on each side, as a share of the height.
  private static let rim = 0.08
  /// The largest number of panels returned.
  private static let limit = 3

  /// Returns the outlines of panels without their rims, the largest first.
  static func panels(in plane: InkPlane) -> [Quadrilateral] {
    let threshold = plane.threshold
    var found: [(area: Int, outline: Quadrilateral)] = []
    for isDark in [true, false] {
      let mask = plane.pixels.map { ($0 <= threshold) == isDark }
      let (pieces, labels) = InkComponent.find(mask, width: plane.width, height: plane.height)
      for (index, piece) in pieces.enumerated() {
        // A light background around everything is not a panel.
        guard 10 * piece.width < 9 * plane.width || 10 * piece.height < 3 * plane.height,
          let outline = outline(piece, Int32(index), labels, plane)
        else { continue }
        found.append((piece.area, outline))
      }
    }
    return found.sorted { $0.area > $1.area }.prefix(limit).map(\.outline)
  }

  /// Returns the rectangle of a component from its second moments, which for a uniform rectangle are a twelfth of its squared
  /// sides; `nil` if the component has another shape.
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
