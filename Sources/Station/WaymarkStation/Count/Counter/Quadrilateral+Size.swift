import WaymarkImage

extension Quadrilateral {
  /// Half the mean of the diagonals: how large it looks, also where it is a line.
  var size: Double { max(1e-9, ((bottomRight - topLeft).length + (bottomLeft - topRight).length) / 4) }

  /// The corners, a share of the way towards those of another one.
  func moved(towards other: Self, by weight: Double) -> Self {
    func mean(_ a: Point2, _ b: Point2) -> Point2 { a + (b - a) * weight }
    return Self(
      topLeft: mean(topLeft, other.topLeft), topRight: mean(topRight, other.topRight),
      bottomRight: mean(bottomRight, other.bottomRight), bottomLeft: mean(bottomLeft, other.bottomLeft))
  }
}
