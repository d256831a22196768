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

  /// Whether it is convex and not mirrored: every turn goes clockwise on a screen.
  public var isConvex: Bool {
    let edges = [topRight - topLeft, bottomRight - topRight, bottomLeft - bottomRight, topLeft - bottomLeft]
    return zip(edges, edges.dropFirst() + edges.prefix(1)).allSatisfy { $0.cross($1) > 0 }
  }

  /// Whether every coordinate is a finite number.
  public var isFinite: Bool { corners.allSatisfy { $0.x.isFinite && $0.y.isFinite } }
}
