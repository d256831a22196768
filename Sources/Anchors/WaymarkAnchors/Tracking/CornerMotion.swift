package import WaymarkImage

/// How fast four corners move, in pixels a second: x and y of each; or how fast that changes, in pixels a second squared.
package struct CornerVelocity: Hashable, Sendable {
  var values: SIMD8<Double>

  init(values: SIMD8<Double>) { self.values = values }

  package init(from a: Quadrilateral, to b: Quadrilateral, interval: Double) {
    values = (b.packed - a.packed) / interval
  }

  static func + (a: Self, b: Self) -> Self { Self(values: a.values + b.values) }
  static func - (a: Self, b: Self) -> Self { Self(values: a.values - b.values) }
  static func * (a: Self, s: Double) -> Self { Self(values: a.values * s) }

  /// The mean speed of the corners, in pixels a second.
  package var mean: Double {
    var sum = 0.0
    for i in 0..<4 { sum += Point2(values[2 * i], values[2 * i + 1]).length }
    return sum / 4
  }
}

/// How four corners move at a moment.
package struct CornerMotion: Hashable, Sendable {
  var velocity: CornerVelocity
  var acceleration: CornerVelocity

  init(velocity: CornerVelocity, acceleration: CornerVelocity = CornerVelocity(values: .zero)) {
    self.velocity = velocity
    self.acceleration = acceleration
  }
}

extension Quadrilateral {
  /// x and y of the corners from the top left clockwise.
  var packed: SIMD8<Double> {
    SIMD8(
      topLeft.x, topLeft.y, topRight.x, topRight.y, bottomRight.x, bottomRight.y, bottomLeft.x, bottomLeft.y)
  }

  /// The corners after moving for `interval` seconds.
  package func moved(by velocity: CornerVelocity, _ interval: Double) -> Quadrilateral {
    Quadrilateral(packed: packed + velocity.values * interval)
  }

  /// The corners `interval` seconds after, or before, the moment to which the motion belongs.
  package func moved(by motion: CornerMotion, _ interval: Double) -> Quadrilateral {
    Quadrilateral(
      packed: packed + (motion.velocity.values + motion.acceleration.values * (0.5 * interval)) * interval)
  }

  private init(packed p: SIMD8<Double>) {
    self.init(
      topLeft: Point2(p[0], p[1]), topRight: Point2(p[2], p[3]), bottomRight: Point2(p[4], p[5]),
      bottomLeft: Point2(p[6], p[7]))
  }
}
