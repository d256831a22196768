extension Quadrilateral {
  /// A quadrilateral from four corners, clockwise from the top left one.
  package init(corners c: [Point2]) {
    precondition(c.count == 4)
    self.init(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
  }

  /// A corner, counted from the top left one clockwise; the count goes round.
  @inlinable
  package subscript(corner: Int) -> Point2 {
    switch corner & 3 {
    case 0: topLeft
    case 1: topRight
    case 2: bottomRight
    default: bottomLeft
    }
  }

  /// The same with each corner moved.
  @inlinable
  package func mapped(_ move: (Point2) -> Point2) -> Quadrilateral {
    Quadrilateral(
      topLeft: move(topLeft), topRight: move(topRight), bottomRight: move(bottomRight), bottomLeft: move(bottomLeft))
  }

  /// The same in a picture of `factor` times the size, pixel centres at whole numbers.
  package func scaled(by factor: Double) -> Quadrilateral { mapped { ($0 + 0.5) * factor - 0.5 } }

  /// The same, turned about its centre by `angle` radians from the x axis towards the y axis.
  package func rotated(by angle: Double) -> Quadrilateral {
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    let middle = center
    return mapped {
      let d = $0 - middle
      return middle + Point2(c * d.x - s * d.y, s * d.x + c * d.y)
    }
  }

  /// The same, `factor` times as large about its centre.
  package func grown(by factor: Double) -> Quadrilateral {
    let c = center
    return mapped { c + ($0 - c) * factor }
  }

  /// The same outline beginning `turns` corners later, 0…3.
  package func turned(by turns: Int) -> Quadrilateral {
    Quadrilateral(
      topLeft: self[turns], topRight: self[turns + 1], bottomRight: self[turns + 2], bottomLeft: self[turns + 3])
  }

  /// The four ways in which something square may lie in it: turned by no corner, one, two and three.
  package var turns: [Quadrilateral] { (0..<4).map(turned) }

  /// The same outline, its corners in the opposite order from the top left one.
  package var reversed: Quadrilateral {
    Quadrilateral(topLeft: topLeft, topRight: bottomLeft, bottomRight: bottomRight, bottomLeft: topRight)
  }

  /// The same outline with its corners clockwise on a screen.
  package var clockwise: Quadrilateral { signedArea < 0 ? reversed : self }

  /// By how many corners it must be turned for its top and bottom to run most to the right: of what stands about upright in a picture the
  /// first corner is then the top left one.
  package var turnsToUpright: Int {
    var best = (turns: 0, value: -Double.infinity)
    for turns in 0..<4 {
      let top = self[turns + 1] - self[turns]
      let bottom = self[turns + 2] - self[turns + 3]
      let value = top.x / max(top.length, 1e-9) + bottom.x / max(bottom.length, 1e-9)
      // Of equals the first.
      if value > best.value + 1e-9 { best = (turns, value) }
    }
    return best.turns
  }

  /// Returns whether a point lies inside, edges included, for a convex quadrilateral that is not mirrored.
  @inlinable
  package func contains(_ p: Point2) -> Bool {
    for i in 0..<4 {
      guard (self[i + 1] - self[i]).cross(p - self[i]) >= 0 else { return false }
    }
    return true
  }

  /// Returns whether a point lies inside by at least `margin` pixels of each side, or outside by at most as many where it is below 0.
  package func contains(_ p: Point2, margin: Double) -> Bool {
    for i in 0..<4 {
      let side = self[i + 1] - self[i]
      guard side.cross(p - self[i]) >= margin * side.length else { return false }
    }
    return true
  }

  /// Returns whether two outlines cannot be those of two things beside each other: more than a fifth of one lies in the other.
  package func overlaps(_ other: Self) -> Bool { share(in: other) > 0.2 || other.share(in: self) > 0.2 }

  /// The share of it that lies in another one, from 64 places spread over it.
  private func share(in other: Self) -> Double {
    var inside = 0
    for row in 0..<8 {
      for column in 0..<8 {
        let (u, v) = ((Double(column) + 0.5) / 8, (Double(row) + 0.5) / 8)
        let (top, bottom) = (topLeft * (1 - u) + topRight * u, bottomLeft * (1 - u) + bottomRight * u)
        if other.contains(top * (1 - v) + bottom * v) { inside += 1 }
      }
    }
    return Double(inside) / 64
  }

  /// The upright rectangle around it.
  package var bounds: Bounds { Bounds(around: corners) }

  /// The longer one of the diagonals.
  package var longerDiagonal: Double { max(topLeft.distance(to: bottomRight), topRight.distance(to: bottomLeft)) }

  /// The greatest distance of a corner from the corner of the same name, in pixels.
  package func cornerDistance(to other: Quadrilateral) -> Double {
    var worst = 0.0
    for i in 0..<4 { worst = max(worst, self[i].distance(to: other[i])) }
    return worst
  }

  /// The same outline, begun at the corner with which its corners lie nearest to those of another one, by the corner that is farthest off.
  package func aligned(to other: Quadrilateral) -> Quadrilateral {
    var best = (turned: self, distance: cornerDistance(to: other))
    for turns in 1..<4 {
      let turned = turned(by: turns)
      let distance = turned.cornerDistance(to: other)
      if distance < best.distance { best = (turned, distance) }
    }
    return best.turned
  }

  /// The greatest distance of a corner from the nearest corner of the same name when the names go round as fits best.
  package func largestCornerDistance(to other: Quadrilateral) -> Double {
    aligned(to: other).cornerDistance(to: other)
  }
}

/// An upright rectangle, in pixels.
package struct Bounds: Hashable, Sendable {
  package var min: Point2
  package var max: Point2

  package init(min: Point2, max: Point2) {
    self.min = min
    self.max = max
  }

  /// The rectangle around some points; around none the origin.
  package init(around points: [Point2]) {
    guard let first = points.first else {
      self.init(min: .zero, max: .zero)
      return
    }
    self.init(min: first, max: first)
    for p in points {
      min = pointwiseMin(min, p)
      max = pointwiseMax(max, p)
    }
  }

  /// Returns whether a point lies inside, edges included.
  package func contains(_ p: Point2) -> Bool { p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y }
}
