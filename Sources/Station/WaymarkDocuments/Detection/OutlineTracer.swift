import WaymarkImage

/// Traces the real sides of a quadrilateral. On bent paper, these deviate from the chords between its corners.
///
/// Each side is the best path through the nearby edges, found by dynamic programming (A. A. Amini, T. E. Weymouth, R. C. Jain,
/// "Using dynamic programming for solving variational problems in vision", PAMI 12, 1990). Corners are at the crossings of the
/// paths' ends.
final class OutlineTracer {
  /// One traced side: points at equal steps along the chord, and the edge strength at each.
  struct Side {
    var points: [Point2] = []
    /// The edge strength at each point; 0 where the path only bridges a gap.
    var strength: [Double] = []
    /// The share of points with an edge.
    var support = 0.0
    /// The largest distance of the smoothed path from the chord, as a share of the chord's length.
    var bend = 0.0
  }

  struct Trace {
    var outline: Quadrilateral
    var sides: [Side]
  }

  private let map: EdgeMap
  private static let samples = 44
  /// The largest number of positions across a side.
  private static let width = 2 * 16 + 1
  private var strengths = [Float](repeating: 0, count: samples * width)
  private var from = [Int8](repeating: 0, count: samples * width)

  init(_ map: EdgeMap) { self.map = map }

  /// Returns the outline within about `reach` pixels of a hypothesis, with corners at the crossings of the traced sides.
  func trace(_ hypothesis: PageHypothesis, reach: Int = 9) -> Trace {
    let firstReach = min(reach, (Self.width - 1) / 2)
    var outline = hypothesis.outline
    var sides: [Side] = []
    for round in 0..<2 {
      sides = (0..<4).map { side in
        hypothesis.borders[side]
          ? straight(outline, side) : path(outline, side, reach: round == 0 ? firstReach : firstReach * 2 / 3)
      }
      guard let moved = corners(outline, sides, hypothesis.borders, limit: Double(firstReach) * 1.6) else { break }
      outline = moved
    }
    return Trace(outline: outline, sides: sides)
  }

  /// Traces the sides of an outline and keeps its corners.
  func sides(_ hypothesis: PageHypothesis) -> [Side] {
    (0..<4).map { side in
      hypothesis.borders[side] ? straight(hypothesis.outline, side) : path(hypothesis.outline, side, reach: 9)
    }
  }

  /// Returns the sides of an outline. Sides with little support are searched again farther from their chords, for strongly bent
  /// paper.
  func widened(_ sides: [Side], of hypothesis: PageHypothesis) -> [Side] {
    sides.indices.map { side in
      guard !hypothesis.borders[side], sides[side].support < 0.9 else { return sides[side] }
      let wide = path(hypothesis.outline, side, reach: (Self.width - 1) / 2)
      return wide.support > sides[side].support ? wide : sides[side]
    }
  }

  private func straight(_ q: Quadrilateral, _ side: Int) -> Side {
    let (a, b) = (q.corners[side], q.corners[(side + 1) % 4])
    let n = Self.samples
    return Side(
      points: (0..<n).map { a + (b - a) * ((Double($0) + 0.5) / Double(n)) },
      strength: [Double](repeating: 0.5, count: n))
  }

  /// Returns the path with the strongest edges along a side.
  private func path(_ q: Quadrilateral, _ side: Int, reach: Int) -> Side {
    let (a, b) = (q.corners[side], q.corners[(side + 1) % 4])
    let length = a.distance(to: b)
    let along = (b - a) / max(length, 1e-9)
    let inward = Point2(-along.y, along.x)
    let turn = Int(EdgeMap.turn(Float(inward.x), Float(inward.y)))
    let n = Self.samples
    let m = 2 * reach + 1
    let places = strengths.withUnsafeMutableBufferPointer { strengths in
      from.withUnsafeMutableBufferPointer { from in
        Self.measure(map.view, a, along, inward, length, turn, reach, strengths)
        return Self.bestPath(reach, strengths, from)
      }
    }
    var result = Side()
    var hits = 0
    for i in 0..<n {
      let strength = Double(strengths[i * m + places[i]])
      if strength > 0 { hits += 1 }
      let p = a + along * (length * (Double(i) + 0.5) / Double(n)) + inward * Double(places[i] - reach)
      result.points.append(p)
      result.strength.append(strength)
    }
    result.support = Double(hits) / Double(n)
    var bend = 0.0
    for i in 2..<(n - 2) {
      let mean = Double(places[i - 2] + places[i - 1] + places[i] + places[i + 1] + places[i + 2]) / 5
      bend = max(bend, abs(mean - Double(reach)))
    }
    result.bend = bend / max(length, 1)
    return result
  }

  /// Measures the edge strength at each position along a side (rows) and across it (columns).
  private static func measure(
    _ map: EdgeView, _ a: Point2, _ along: Point2, _ inward: Point2, _ length: Double, _ turn: Int, _ reach: Int,
    _ strengths: UnsafeMutableBufferPointer<Float>
  ) {
    let m = 2 * reach + 1
    for i in 0..<samples {
      let p = a + along * (length * (Double(i) + 0.5) / Double(samples))
      for k in 0..<m {
        let s = p + inward * Double(k - reach)
        // The pixel and its neighbours along the side are read, because edge pixels of a slanted side leave gaps.
        var best = map.strength(s.x, s.y, across: turn, tolerance: 19)
        best = max(best, map.strength(s.x - along.x, s.y - along.y, across: turn, tolerance: 19))
        best = max(best, map.strength(s.x + along.x, s.y + along.y, across: turn, tolerance: 19))
        strengths[i &* m &+ k] = best > 0 ? min(1, 0.35 + Float(best) / 255) : 0
      }
    }
  }

  /// Returns the position across the side at each step along it; smooth paths near the chord are preferred.
  private static func bestPath(
    _ reach: Int, _ strengths: UnsafeMutableBufferPointer<Float>, _ from: UnsafeMutableBufferPointer<Int8>
  ) -> [Int] {
    let m = 2 * reach + 1
    let n = samples
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * (m + 4)) { memory in
      // Two rows of scores with a margin of two values at each end.
      guard let start = memory.baseAddress else { return [] }
      memory.initialize(repeating: -1e9)
      var last = start + 2
      var here = last + m + 4
      for k in 0..<m { last[k] = 0 }
      for i in 0..<n {
        for k in 0..<m {
          var best = last[k]
          var step: Int8 = 0
          if last[k - 1] - 0.12 > best { (best, step) = (last[k - 1] - 0.12, -1) }
          if last[k + 1] - 0.12 > best { (best, step) = (last[k + 1] - 0.12, 1) }
          if last[k - 2] - 0.5 > best { (best, step) = (last[k - 2] - 0.5, -2) }
          if last[k + 2] - 0.5 > best { (best, step) = (last[k + 2] - 0.5, 2) }
          let far = Float(k - reach) / Float(reach)
          here[k] = best + strengths[i &* m &+ k] - 0.12 * far * far
          from[i &* m &+ k] = step
        }
        swap(&last, &here)
      }
      var k = 0
      for j in 1..<m where last[j] > last[k] { k = j }
      var places = [Int](repeating: 0, count: n)
      for i in stride(from: n - 1, through: 0, by: -1) {
        places[i] = k
        k = min(max(0, k + Int(from[i * m + k])), m - 1)
      }
      return places
    }
  }

  /// Returns the outline with corners at the crossings of adjacent paths. Lines are fitted to the quarter of each path next to the
  /// corner. A corner is kept if the crossing is `limit` pixels away or farther.
  ///
  /// - Returns: The outline; `nil` if it is not convex.
  private func corners(
    _ q: Quadrilateral, _ sides: [Side], _ borders: [Bool], limit: Double
  ) -> Quadrilateral? {
    let whole = (0..<4).map { fit(sides[$0], 0..<Self.samples) }
    var moved: [Point2] = []
    for corner in 0..<4 {
      let (before, after) = ((corner + 3) % 4, corner)
      let n = Self.samples
      let old = q.corners[corner]
      let nearBefore = borders[before] ? whole[before] : fit(sides[before], (n - n / 4)..<(n - 1)) ?? whole[before]
      let nearAfter = borders[after] ? whole[after] : fit(sides[after], 1..<(n / 4)) ?? whole[after]
      var choice: Point2?
      for (a, b) in [(nearBefore, nearAfter), (whole[before], whole[after])] {
        guard let p = b.flatMap({ a?.crossing($0, leastSine: PageHypothesis.leastSine) }) else { continue }
        if p.distance(to: old) < limit {
          choice = p
          break
        }
      }
      moved.append(choice ?? old)
    }
    let outline = Quadrilateral(corners: moved)
    return outline.isConvex ? outline : nil
  }

  /// Returns a line through the edges of a part of a side, fitted robustly; `nil` if there are too few edges.
  private func fit(_ side: Side, _ range: Range<Int>) -> StraightLine? {
    let used = range.filter { side.strength[$0] > 0 }
    guard used.count * 10 >= range.count * 6, used.count >= 4 else { return nil }
    return StraightLine(through: used.map { side.points[$0] }, used.map { side.strength[$0] }, scale: 1.2)
  }
}
