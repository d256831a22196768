package import WaymarkGeometry

/// The size of a rectangle on a wall, from an object of known size in the same plane.
package enum PrintScale {
  package struct Estimate: Hashable, Sendable {
    /// Width and height of the rectangle, in the unit of the known size.
    package var size: Point2
    /// How much the sides and diagonals of the known thing disagree with it: root mean square, as a share of their lengths.
    package var misfit: Double
  }

  /// The size of a rectangle.
  ///
  /// Perspective is taken from the rectangle's own corners, which lie far apart, and from the small thing nothing but lengths: in
  /// the coordinates of the rectangle, 0 to 1 both ways, a length is `du²·W² + dv²·H²`, which is linear in `W²` and `H²`.
  ///
  /// - Parameters:
  ///   - outline: its corners in the picture.
  ///   - known: the corners of the known thing in the same picture, in the same order.
  ///   - size: width and height of the known thing.
  ///   - aspect: about the rectangle's width divided by its height. A sheet may hang upright or across, and where it is parallel to
  ///     the rectangle both explain the picture alike; taken is what comes nearer to it.
  /// - Returns: `nil` where the corners make no sense.
  package static func estimate(
    of outline: Quadrilateral, beside known: Quadrilateral, measuring size: Point2, aspect: Double
  ) -> Estimate? {
    guard aspect > 0, let map = Homography(from: outline, to: Quadrilateral(width: 1, height: 1)) else { return nil }
    let corners = map.apply(known).corners
    guard corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return nil }
    let ways = size.x == size.y ? [size] : [size, Point2(size.y, size.x)]
    let estimates = ways.compactMap { estimate(corners, $0) }
    // A misfit is a reason, but only a plain one: corners that were found are right within a pixel or two.
    func cost(_ estimate: Estimate) -> Double {
      let ratio = Double.naturalLogarithm(estimate.size.x / estimate.size.y / aspect)
      return abs(ratio) + 10 * estimate.misfit
    }
    return estimates.min { cost($0) < cost($1) }
  }

  private static func estimate(_ p: [Point2], _ size: Point2) -> Estimate? {
    let diagonal = size.length
    let lengths = [
      (0, 1, size.x), (2, 3, size.x), (1, 2, size.y), (3, 0, size.y), (0, 2, diagonal), (1, 3, diagonal),
    ].map { (step: p[$0.1] - p[$0.0], length: $0.2) }
    var equations = NormalEquations()
    for (step, length) in lengths {
      // Each counts by its relative error.
      let row = step * step / (length * length)
      equations.add(SIMD8(row.x, row.y, 0, 0, 0, 0, 0, 0), 1)
    }
    guard let squares = equations.solve(count: 2), squares[0] > 0, squares[1] > 0 else { return nil }
    let scale = Point2(squares[0].squareRoot(), squares[1].squareRoot())
    var sum = 0.0
    for (step, length) in lengths {
      let error = (step * scale).length / length - 1
      sum += error * error
    }
    return Estimate(size: scale, misfit: (sum / Double(lengths.count)).squareRoot())
  }
}
