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
}
