/// Four corners, named as on the upright object: from its top left corner clockwise, y down. The file also has
/// `Bounds`, an axis-aligned rectangle, and `FourLines`, which enumerates the quadrilaterals whose sides are on several
/// lines.
public struct Quadrilateral: Hashable, Sendable {
  /// The top left corner of the upright object.
  public var topLeft: Point2
  /// The top right corner of the upright object.
  public var topRight: Point2
  /// The bottom right corner of the upright object.
  public var bottomRight: Point2
  /// The bottom left corner of the upright object.
  public var bottomLeft: Point2

  /// Creates a quadrilateral from its corners, in pixels.
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

  /// True if the quadrilateral is convex and not mirrored: every turn is clockwise, y down.
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

extension Quadrilateral {
  /// Creates the rectangle (0,0), (w,0), (w,h), (0,h) of a picture of `width` × `height` pixels.
  public init(width: Double, height: Double) {
    self.init(
      topLeft: Point2(0, 0), topRight: Point2(width, 0), bottomRight: Point2(width, height),
      bottomLeft: Point2(0, height))
  }

  /// True if the quadrilateral can be the outline of a flat picture seen from its front: finite, convex, not mirrored, not a sliver.
  ///
  /// The minima are an area of 400 square pixels, sides of 6 pixels and a sine of 0.03 for the angles; all corners are within 20,000
  /// pixels of the origin.
  public func isPlausible() -> Bool {
    guard isFinite, signedArea >= 400 else { return false }
    let sides = (topRight - topLeft, bottomRight - topRight, bottomLeft - bottomRight, topLeft - bottomLeft)
    func turns(_ a: Point2, _ b: Point2) -> Bool {
      let la = a.length
      let lb = b.length
      return la >= 6 && a.cross(b) > 0.03 * la * lb
    }
    func near(_ p: Point2) -> Bool { max(abs(p.x), abs(p.y)) <= 20_000 }
    return turns(sides.0, sides.1) && turns(sides.1, sides.2) && turns(sides.2, sides.3) && turns(sides.3, sides.0)
      && near(topLeft) && near(topRight) && near(bottomRight) && near(bottomLeft)
  }

  /// Returns the mean distance between the corresponding corners of two quadrilaterals, in pixels.
  public func meanCornerDistance(to other: Quadrilateral) -> Double {
    (topLeft.distance(to: other.topLeft) + topRight.distance(to: other.topRight)
      + bottomRight.distance(to: other.bottomRight) + bottomLeft.distance(to: other.bottomLeft)) / 4
  }
}

extension Quadrilateral {
  /// Creates a quadrilateral from four corners, clockwise from the top left.
  package init(corners c: [Point2]) {
    precondition(c.count == 4)
    self.init(topLeft: c[0], topRight: c[1], bottomRight: c[2], bottomLeft: c[3])
  }

  /// The corner at an index modulo 4, clockwise from the top left.
  @inlinable
  package subscript(corner: Int) -> Point2 {
    switch corner & 3 {
    case 0: topLeft
    case 1: topRight
    case 2: bottomRight
    default: bottomLeft
    }
  }

  /// Returns the quadrilateral with each corner replaced by `move` of it.
  @inlinable
  package func mapped(_ move: (Point2) -> Point2) -> Quadrilateral {
    Quadrilateral(
      topLeft: move(topLeft), topRight: move(topRight), bottomRight: move(bottomRight), bottomLeft: move(bottomLeft))
  }

  /// Returns the quadrilateral in a picture resized by `factor`, pixel centres at whole numbers.
  package func scaled(by factor: Double) -> Quadrilateral { mapped { ($0 + 0.5) * factor - 0.5 } }

  /// Returns the quadrilateral rotated about its centre by `angle` radians from the x axis towards the y axis.
  package func rotated(by angle: Double) -> Quadrilateral {
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    let middle = center
    return mapped {
      let d = $0 - middle
      return middle + Point2(c * d.x - s * d.y, s * d.x + c * d.y)
    }
  }

  /// Returns the quadrilateral scaled by `factor` about its centre.
  package func grown(by factor: Double) -> Quadrilateral {
    let c = center
    return mapped { c + ($0 - c) * factor }
  }

  /// Returns the same outline with its first corner `turns` corners later, 0…3.
  package func turned(by turns: Int) -> Quadrilateral {
    Quadrilateral(
      topLeft: self[turns], topRight: self[turns + 1], bottomRight: self[turns + 2], bottomLeft: self[turns + 3])
  }

  /// The four orientations of a square object with this outline: turned by 0, 1, 2 and 3 corners.
  package var turns: [Quadrilateral] { (0..<4).map(turned) }

  /// The same outline with its corners in the opposite order, from the same top left corner.
  package var reversed: Quadrilateral {
    Quadrilateral(topLeft: topLeft, topRight: bottomLeft, bottomRight: bottomRight, bottomLeft: topRight)
  }

  /// The same outline with its corners clockwise on a screen.
  package var clockwise: Quadrilateral { signedArea < 0 ? reversed : self }

  /// The number of corners by which to turn the outline so that its top and bottom sides point most to the right: the first corner is then
  /// top left in the picture.
  package var turnsToUpright: Int {
    var best = (turns: 0, value: -Double.infinity)
    for turns in 0..<4 {
      let top = self[turns + 1] - self[turns]
      let bottom = self[turns + 2] - self[turns + 3]
      let value = top.x / max(top.length, 1e-9) + bottom.x / max(bottom.length, 1e-9)
      // Of equal values, the first is kept.
      if value > best.value + 1e-9 { best = (turns, value) }
    }
    return best.turns
  }

  /// Returns whether a point is inside or on the edge. The quadrilateral must be convex and not mirrored.
  @inlinable
  package func contains(_ p: Point2) -> Bool {
    for i in 0..<4 {
      guard (self[i + 1] - self[i]).cross(p - self[i]) >= 0 else { return false }
    }
    return true
  }

  /// Returns whether a point is inside by at least `margin` pixels from each side. A negative margin also admits points up to this
  /// far outside.
  package func contains(_ p: Point2, margin: Double) -> Bool {
    for i in 0..<4 {
      let side = self[i + 1] - self[i]
      guard side.cross(p - self[i]) >= margin * side.length else { return false }
    }
    return true
  }

  /// Returns whether more than a fifth of either outline is inside the other, so that they cannot be two separate objects.
  package func overlaps(_ other: Self) -> Bool { share(in: other) > 0.2 || other.share(in: self) > 0.2 }

  /// Returns the fraction of the quadrilateral that is inside another quadrilateral, from 64 sample points.
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

  /// The axis-aligned bounding box.
  package var bounds: Bounds { Bounds(around: corners) }

  /// The length of the longer diagonal, in pixels.
  package var longerDiagonal: Double { max(topLeft.distance(to: bottomRight), topRight.distance(to: bottomLeft)) }

  /// Returns the greatest distance between corresponding corners of two quadrilaterals, in pixels.
  package func cornerDistance(to other: Quadrilateral) -> Double {
    var worst = 0.0
    for i in 0..<4 { worst = max(worst, self[i].distance(to: other[i])) }
    return worst
  }

  /// Returns the same outline, turned so that the greatest distance between its corners and those of `other` is least.
  package func aligned(to other: Quadrilateral) -> Quadrilateral {
    var best = (turned: self, distance: cornerDistance(to: other))
    for turns in 1..<4 {
      let turned = turned(by: turns)
      let distance = turned.cornerDistance(to: other)
      if distance < best.distance { best = (turned, distance) }
    }
    return best.turned
  }

  /// Returns the greatest distance between corresponding corners after alignment by `aligned(to:)`, in pixels.
  package func largestCornerDistance(to other: Quadrilateral) -> Double {
    aligned(to: other).cornerDistance(to: other)
  }
}

// MARK: - Bounding boxes

/// An axis-aligned rectangle, in pixels.
package struct Bounds: Hashable, Sendable {
  package var min: Point2
  package var max: Point2

  package init(min: Point2, max: Point2) {
    self.min = min
    self.max = max
  }

  /// Creates the bounding box of points; without points, an empty box at the origin.
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

  /// Returns whether a point is inside or on the edge.
  package func contains(_ p: Point2) -> Bool { p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y }
}

// MARK: - Quadrilaterals from lines

/// Enumerates the quadrilaterals whose sides are four of several lines.
///
/// The caller decides which lines may meet at a corner, rates the sides and chooses among the quadrilaterals.
@usableFromInline
package struct FourLines: Sendable {
  /// A quadrilateral whose sides are on four lines; each line crosses the next.
  @usableFromInline
  package struct Found: Sendable {
    /// The indices of the lines of the top, right, bottom and left side of `corners`, in this order.
    @usableFromInline package var lines: SIMD4<Int>
    @usableFromInline package var corners: Quadrilateral
    /// The sum of the supports that `side` returned for the four sides.
    @usableFromInline package var support: Double

    @usableFromInline
    init(lines: SIMD4<Int>, corners: Quadrilateral, support: Double) {
      self.lines = lines
      self.corners = corners
      self.support = support
    }
  }

  /// The corner between line i and the following line k, at index i * `count` + k; NaN if k cannot follow i.
  @usableFromInline let corners: [Point2]
  @usableFromInline let count: Int

  /// - Parameters:
  ///   - count: the number of lines.
  ///   - corner: returns the corner at which the second line follows the first, clockwise; `nil` if the second cannot follow. For
  ///   lines without a direction, the order does not matter.
  @inlinable
  package init(count: Int, corner: (Int, Int) -> Point2?) {
    self.count = count
    var corners = [Point2](repeating: Point2(.nan, .nan), count: count * count)
    for i in 0..<count {
      for k in 0..<count where k != i {
        if let p = corner(i, k) { corners[i * count + k] = p }
      }
    }
    self.corners = corners
  }

  /// Calls `body` once with each quadrilateral. If lines have no direction, it is passed in only one of the two orders of its
  /// sides.
  ///
  /// - Parameters:
  ///   - isDirected: true if lines have a direction, so that the order of two lines at a corner matters.
  ///   - side: returns the support for the segment of a line between its corners with two other lines; `nil` if the segment cannot be a
  ///     side.
  @inlinable
  package func forEach(
    isDirected: Bool, side: (_ line: Int, _ from: Int, _ to: Int) -> Double?, _ body: (Found) -> Void
  ) {
    let n = count
    guard n >= 4 else { return }
    // The lines that connect `i` to `j`, and `j` back to `i`.
    var (there, back) = ([(line: Int, support: Double)](), [(line: Int, support: Double)]())
    corners.withUnsafeBufferPointer { corners in
      @inline(__always) func isCorner(_ a: Int, _ b: Int) -> Bool { corners[a &* n &+ b].x == corners[a &* n &+ b].x }
      for i in 0..<(n - 1) {
        for j in (i + 1)..<n {
          there.removeAll(keepingCapacity: true)
          back.removeAll(keepingCapacity: true)
          // `i` has the lowest index of the four, so that each quadrilateral occurs once.
          for k in (i + 1)..<n where k != j {
            if isCorner(i, k), isCorner(k, j), let support = side(k, i, j) { there.append((k, support)) }
            if isDirected, isCorner(j, k), isCorner(k, i), let support = side(k, j, i) { back.append((k, support)) }
          }
          let closing = isDirected ? back : there
          for x in closing.indices {
            let d = closing[x]
            for y in (isDirected ? 0 : x + 1)..<there.count {
              let b = there[y]
              guard d.line != b.line, let first = side(i, d.line, b.line), let third = side(j, b.line, d.line) else {
                continue
              }
              body(
                Found(
                  lines: SIMD4(i, b.line, j, d.line),
                  corners: Quadrilateral(
                    topLeft: corners[d.line &* n &+ i], topRight: corners[i &* n &+ b.line],
                    bottomRight: corners[b.line &* n &+ j], bottomLeft: corners[j &* n &+ d.line]),
                  support: b.support + d.support + first + third))
            }
          }
        }
      }
    }
  }
}
