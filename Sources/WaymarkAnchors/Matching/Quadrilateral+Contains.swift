import WaymarkGeometry

extension Quadrilateral {
  /// Whether a point lies inside a convex quadrilateral that is not mirrored.
  func contains(_ p: Point2) -> Bool {
    func right(_ a: Point2, _ b: Point2) -> Bool { (b - a).cross(p - a) >= 0 }
    return right(topLeft, topRight) && right(topRight, bottomRight) && right(bottomRight, bottomLeft)
      && right(bottomLeft, topLeft)
  }

  /// The same in a frame resized by `factor`, pixel centres at whole numbers.
  func scaled(by factor: Double) -> Quadrilateral { Homography.resize(Point2(factor, factor)).apply(self) }
}
