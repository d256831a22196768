/// Four corners, in the order of the upright thing: from its top left clockwise as seen on a screen.
public struct Quadrilateral: Hashable, Sendable {
  /// The corner that is top left on the upright thing.
  public var topLeft: Point2
  /// The corner that is top right on the upright thing.
  public var topRight: Point2
  /// The corner that is bottom right on the upright thing.
  public var bottomRight: Point2
  /// The corner that is bottom left on the upright thing.
  public var bottomLeft: Point2

  /// A quadrilateral from its corners, in pixels.
  public init(topLeft: Point2, topRight: Point2, bottomRight: Point2, bottomLeft: Point2) {
    self.topLeft = topLeft
    self.topRight = topRight
    self.bottomRight = bottomRight
    self.bottomLeft = bottomLeft
  }

  /// The corners from the top left clockwise.
  public var corners: [Point2] { [topLeft, topRight, bottomRight, bottomLeft] }

  /// The mean of the corners.
  public var center: Point2 { (topLeft + topRight + bottomRight + bottomLeft) / 4 }

  /// The area by the shoelace formula, in square pixels; negative for a mirrored quadrilateral.
  public var signedArea: Double {
    0.5 * ((bottomRight - topLeft).cross(bottomLeft - topRight))
  }

  /// True if it is convex and not mirrored: every turn goes clockwise on a screen.
  public var isConvex: Bool {
    let (a, b) = (topRight - topLeft, bottomRight - topRight)
    let (c, d) = (bottomLeft - bottomRight, topLeft - bottomLeft)
    return a.cross(b) > 0 && b.cross(c) > 0 && c.cross(d) > 0 && d.cross(a) > 0
  }

  /// True if every coordinate is a finite number.
  public var isFinite: Bool {
    func finite(_ p: Point2) -> Bool { p.x.isFinite && p.y.isFinite }
    return finite(topLeft) && finite(topRight) && finite(bottomRight) && finite(bottomLeft)
  }

  /// The same in a picture of `factor` times the size, pixel centres at whole numbers.
  package func scaled(by factor: Double) -> Quadrilateral {
    func place(_ p: Point2) -> Point2 { (p + 0.5) * factor - 0.5 }
    return Quadrilateral(
      topLeft: place(topLeft), topRight: place(topRight), bottomRight: place(bottomRight), bottomLeft: place(bottomLeft)
    )
  }

  /// The same outline beginning `turns` corners later, 0…3.
  package func turned(by turns: Int) -> Quadrilateral {
    let c = corners
    return Quadrilateral(
      topLeft: c[turns % 4], topRight: c[(turns + 1) % 4], bottomRight: c[(turns + 2) % 4],
      bottomLeft: c[(turns + 3) % 4])
  }

  /// By how many corners it must be turned for its top and bottom to run most to the right: of what stands about upright in a picture the
  /// first corner is then the top left one.
  package var turnsToUpright: Int {
    let c = corners
    var best = (turns: 0, value: -Double.infinity)
    for turns in 0..<4 {
      let top = c[(turns + 1) % 4] - c[turns]
      let bottom = c[(turns + 2) % 4] - c[(turns + 3) % 4]
      let value = top.x / max(top.length, 1e-9) + bottom.x / max(bottom.length, 1e-9)
      // Of equals the first.
      if value > best.value + 1e-9 { best = (turns, value) }
    }
    return best.turns
  }
}
