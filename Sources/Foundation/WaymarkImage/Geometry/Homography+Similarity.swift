extension Homography {
  /// The similarity that takes two points to two others; nil where they are one.
  package init?(similarityFrom a0: Point2, _ a1: Point2, to b0: Point2, _ b1: Point2) {
    self.init(similarityOver: [PointPair(reference: a0, frame: b0), PointPair(reference: a1, frame: b1)])
  }

  /// The similarity of least squared distance (K. Arun, T. Huang, S. Blostein, "Least-squares fitting of two 3-D point sets",
  /// 1987, in the plane and with scale).
  package init?(similarityOver pairs: [PointPair]) {
    let count = Double(pairs.count)
    guard pairs.count >= 2 else { return nil }
    let from = pairs.reduce(Point2.zero) { $0 + $1.reference } / count
    let to = pairs.reduce(Point2.zero) { $0 + $1.frame } / count
    var (dot, cross, square) = (0.0, 0.0, 0.0)
    for pair in pairs {
      let (a, b) = (pair.reference - from, pair.frame - to)
      dot += a.dot(b)
      cross += a.cross(b)
      square += a.dot(a)
    }
    guard square > 0, dot * dot + cross * cross > 0 else { return nil }
    let (c, s) = (dot / square, cross / square)
    self.init(
      SIMD3(c, -s, to.x - c * from.x + s * from.y), SIMD3(s, c, to.y - s * from.x - c * from.y), SIMD3(0, 0, 1))
    guard isFinite else { return nil }
  }
}
