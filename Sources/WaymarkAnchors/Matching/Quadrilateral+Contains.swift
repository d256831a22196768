import WaymarkGeometry

extension Quadrilateral {
  /// Returns whether a point lies inside a convex quadrilateral that is not mirrored.
  func contains(_ p: Point2) -> Bool {
    func right(_ a: Point2, _ b: Point2) -> Bool { (b - a).cross(p - a) >= 0 }
    return right(topLeft, topRight) && right(topRight, bottomRight) && right(bottomRight, bottomLeft)
      && right(bottomLeft, topLeft)
  }
}
