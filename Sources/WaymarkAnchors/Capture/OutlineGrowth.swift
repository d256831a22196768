package import WaymarkGeometry
package import WaymarkImage

/// Moves the sides of an outline outwards to where the wall begins.
///
/// What looks most like a page is not always the whole poster: a band across its top, or a coloured frame, is taken for something that the
/// page lies on. The wall is what is seen on most sides further out. A side is moved where, nearly all along it, a straight edge is found
/// outside of it with something else within and the wall beyond.
package struct OutlineGrowth {
  private let picture: RGBImage
  /// As shares of the outline's size.
  private static let reach = 0.4
  private static let step = 0.004
  private static let places = 41

  package init(_ picture: RGBImage) { self.picture = picture }

  /// The outline with its sides where the wall begins.
  ///
  /// - Parameter others: what hangs beside it and is no wall.
  package func grown(_ outline: Quadrilateral, without others: [Quadrilateral] = []) -> Quadrilateral {
    let unit = Quadrilateral(width: 1, height: 1)
    guard let map = Homography(from: unit, to: outline), let wall = wall(map, others) else { return outline }
    let sides = (0..<4).map { side(map, $0, wall, others) }
    // Each side as a line in the coordinates of the outline; corners are where neighbours meet.
    func corner(_ horizontal: Line, _ vertical: Line, top: Bool, left: Bool) -> Point2 {
      var p = Point2(left ? 0 : 1, top ? 0 : 1)
      for _ in 0..<8 {
        let dy = horizontal.distance(at: p.x)
        let dx = vertical.distance(at: p.y)
        p = Point2(left ? -dx : 1 + dx, top ? -dy : 1 + dy)
      }
      return map.apply(p)
    }
    let grown = Quadrilateral(
      topLeft: corner(sides[0], sides[3], top: true, left: true),
      topRight: corner(sides[0], sides[1], top: true, left: false),
      bottomRight: corner(sides[2], sides[1], top: false, left: false),
      bottomLeft: corner(sides[2], sides[3], top: false, left: true))
    return grown.isPlausible() ? grown : outline
  }

  /// How far out a side lies, along it.
  private struct Line {
    var offset = 0.0
    var slope = 0.0

    func distance(at along: Double) -> Double { offset + slope * along }
  }

  /// A colour without how brightly it is lit, and that by itself.
  private typealias Colour = SIMD3<Double>

  private static func difference(_ a: Colour, _ b: Colour) -> Double {
    let d = a - b
    return (d.x * d.x + d.y * d.y + 0.15 * d.z * d.z).squareRoot()
  }

  /// The mean of nine pixels; `nil` beside the picture and on what is no wall.
  private func colour(_ map: Homography, _ p: Point2, _ others: [Quadrilateral] = []) -> Colour? {
    let q = map.apply(p)
    guard q.x >= 1, q.y >= 1, q.x < Double(picture.width - 2), q.y < Double(picture.height - 2) else { return nil }
    if others.contains(where: { $0.contains(q) }) { return nil }
    var sum = Colour.zero
    for y in (Int(q.y.rounded()) - 1)...(Int(q.y.rounded()) + 1) {
      for x in (Int(q.x.rounded()) - 1)...(Int(q.x.rounded()) + 1) {
        let c = picture[x, y]
        sum += Colour(Double(c.red), Double(c.green), Double(c.blue))
      }
    }
    let (r, g, b) = (
      Double.naturalLogarithm(sum.x / 9 + 8), Double.naturalLogarithm(sum.y / 9 + 8),
      Double.naturalLogarithm(sum.z / 9 + 8)
    )
    return Colour(r - g, g - b, (r + g + b) / 3)
  }

  private static func place(_ side: Int, _ along: Double, _ out: Double) -> Point2 {
    [Point2(along, -out), Point2(1 + out, along), Point2(along, 1 + out), Point2(-out, along)][side]
  }

  /// The colour that is seen most around the outline.
  private func wall(_ map: Homography, _ others: [Quadrilateral]) -> Colour? {
    var colours: [Colour] = []
    for side in 0..<4 {
      for i in 0..<15 {
        for out in [0.2, 0.27, 0.34] {
          if let c = colour(map, Self.place(side, Double(i) / 14, out), others) { colours.append(c) }
        }
      }
    }
    guard colours.count >= 30 else { return nil }
    return Colour(
      Self.median(colours.map(\.x)), Self.median(colours.map(\.y)), Self.median(colours.map(\.z)))
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  /// The outermost edge along a side beyond which the wall lies; the side itself where there is none.
  private func side(_ map: Homography, _ side: Int, _ wall: Colour, _ others: [Quadrilateral]) -> Line {
    var edges: [(along: Double, out: Double)] = []
    for i in 0..<Self.places {
      let along = 0.03 + 0.94 * Double(i) / Double(Self.places - 1)
      let profile = stride(from: -0.02, through: Self.reach, by: Self.step).map {
        (out: $0, colour: colour(map, Self.place(side, along, $0), others))
      }
      // A change over five steps with the wall beyond it and something else before it.
      let changes = profile.indices.map { k -> Double in
        guard k >= 3, k + 3 < profile.count, let before = profile[k - 3].colour, let after = profile[k + 3].colour
        else { return 0 }
        let change = Self.difference(before, after)
        let (inner, outer) = (Self.difference(before, wall), Self.difference(after, wall))
        return change > 0.06 && outer < inner ? change : 0
      }
      guard let last = changes.indices.last(where: { changes[$0] > 0 }) else { continue }
      // The strongest place of that change.
      var best = last
      var k = last
      while k > 0, changes[k] > 0, last - k < 8 {
        if changes[k] > changes[best] { best = k }
        k -= 1
      }
      edges.append((along, profile[best].out))
    }
    guard edges.count >= Self.places / 2 else { return Line() }
    var best: (line: Line, support: Int) = (Line(), 0)
    for (i, a) in edges.enumerated() {
      for b in edges[(i + 1)...] where abs(b.along - a.along) > 0.25 {
        let slope = (b.out - a.out) / (b.along - a.along)
        guard abs(slope) < 0.15 else { continue }
        let line = Line(offset: a.out - slope * a.along, slope: slope)
        let support = edges.count { abs(line.distance(at: $0.along) - $0.out) < 0.006 }
        if support > best.support { best = (line, support) }
      }
    }
    // A side that is right already is traced more finely than this.
    let line = best.line
    guard best.support * 10 >= Self.places * 6, max(line.distance(at: 0), line.distance(at: 1)) > 0.02 else {
      return Line()
    }
    return refined(line, edges)
  }

  private func refined(_ line: Line, _ edges: [(along: Double, out: Double)]) -> Line {
    var equations = NormalEquations()
    for edge in edges where abs(line.distance(at: edge.along) - edge.out) < 0.008 {
      equations.add(SIMD8(1, edge.along, 0, 0, 0, 0, 0, 0), edge.out)
    }
    guard let solution = equations.solve(count: 2) else { return line }
    return Line(offset: solution[0], slope: solution[1])
  }
}
