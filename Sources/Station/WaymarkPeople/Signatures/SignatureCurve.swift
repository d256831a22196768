package import WaymarkImage

/// The strokes as they are drawn: smooth, and thinner where the pen was fast.
///
/// Between two points runs the cubic of a uniform Catmull–Rom spline (Catmull and Rom 1974), written as a Bézier curve; the first and the last
/// point count twice. The pen's width follows its speed, or its pressure where the device tells it, and changes gradually. The page draws by
/// the same rules (`signature-ink.js`), so that what was seen while signing is what is kept.
package struct SignatureCurve: Sendable {
  /// A piece between two points, in pixels of the area.
  package struct Piece: Hashable, Sendable {
    /// Start, two control points, end.
    package let points: [Point2]
    /// The pen's width at the start.
    package let from: Double
    /// The pen's width at the end.
    package let to: Double
  }

  /// All pieces in the order in which they were drawn; a dot is a piece without length.
  package let pieces: [Piece]

  /// Points nearer to each other than this are drawn as one, in pixels.
  private static let nearest = 0.35

  /// The curve of a signature.
  package init(_ signature: Signature) {
    let side = Double(min(signature.width, signature.height))
    let thick = max(2.2, side / 55)
    let thin = thick * 0.38
    var pieces: [Piece] = []
    for stroke in signature.strokes {
      var points: [(at: Point2, time: Double, pressure: Double?)] = []
      for point in stroke {
        let at = Point2(Double(point.x) / 10, Double(point.y) / 10)
        if let last = points.last, last.at.distance(to: at) < Self.nearest { continue }
        points.append((at, Double(point.time), point.pressure.map { Double($0) / 1000 }))
      }
      func target(_ index: Int) -> Double {
        // Short sides of the area a second; the first point is as fast as the second.
        let (a, b) = index > 0 ? (points[index - 1], points[index]) : (points[0], points[min(1, points.count - 1)])
        let speed = a.at.distance(to: b.at) / side * 1000 / max(1, b.time - a.time)
        let slow = 1 / (1 + speed / 3.5)
        guard let pressure = points[index].pressure else { return thin + (thick - thin) * slow }
        return thin + (thick * 1.25 - thin) * min(1, 0.2 * slow + 0.8 * pressure)
      }
      if points.count == 1 {
        let width = points[0].pressure.map { thin + (thick * 1.25 - thin) * $0 } ?? thick
        pieces.append(Piece(points: Array(repeating: points[0].at, count: 4), from: width, to: width))
        continue
      }
      var width = target(0)
      for index in 1..<points.count {
        let (p0, p1) = (points[max(0, index - 2)].at, points[index - 1].at)
        let (p2, p3) = (points[index].at, points[min(points.count - 1, index + 1)].at)
        let next = width + 0.35 * (target(index) - width)
        pieces.append(
          Piece(points: [p1, p1 + (p2 - p0) * (1.0 / 6), p2 - (p3 - p1) * (1.0 / 6), p2], from: width, to: next))
        width = next
      }
    }
    self.pieces = pieces
  }
}

extension SignatureCurve.Piece {
  /// The piece as straight lines short enough to look round: points with the pen's width there, the start first.
  ///
  /// - Parameter scale: pixels that a pixel of the area is drawn with.
  package func line(scale: Double) -> [(at: Point2, width: Double)] {
    let length =
      (points[0].distance(to: points[1]) + points[1].distance(to: points[2]) + points[2].distance(to: points[3]))
      * scale
    let steps = max(1, min(64, Int((length / 3).rounded(.up))))
    return (0...steps).map { step in
      let t = Double(step) / Double(steps)
      let s = 1 - t
      let at =
        points[0] * (s * s * s) + points[1] * (3 * s * s * t) + points[2] * (3 * s * t * t) + points[3] * (t * t * t)
      return (at * scale, (from + (to - from) * t) * scale)
    }
  }
}
