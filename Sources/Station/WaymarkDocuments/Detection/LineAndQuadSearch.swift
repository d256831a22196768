import WaymarkImage

/// A straight line with its edge support along its course through the picture. `LineSearch` below finds the lines, and
/// `QuadSearch` combines them to quadrilaterals that may be pages.
struct SupportedLine {
  var line: StraightLine
  /// True for a side of the picture, at which a page may be cut.
  var isBorder = false
  /// The cumulative support from the line's start to each step of `LineSearch.step` pixels.
  var sums: [Float] = []
  /// The parameter of the first step.
  var start = 0.0

  /// Returns the parameter of a point's projection on the line.
  func parameter(_ p: Point2) -> Double { line.direction.dot(p) }

  /// Returns the supported length of the line between two parameters, in pixels.
  func support(from a: Double, to b: Double) -> Double {
    if isBorder { return 0.4 * abs(b - a) }
    let last = sums.count - 1
    let i = min(max(0, Int((min(a, b) - start) / LineSearch.step)), last)
    let j = min(max(0, Int((max(a, b) - start) / LineSearch.step)), last)
    return Double(sums[j] - sums[i]) * LineSearch.step
  }
}

/// Finds straight lines by a Hough transform. An edge pixel votes only for lines along its own edge.
///
/// R. O. Duda, P. E. Hart, "Use of the Hough transformation to detect lines and curves in pictures", CACM 15 (1972); with the
/// direction of the gradient after F. O'Gorman, M. B. Clowes, "Finding picture edges through collinearity of feature points",
/// 1976.
final class LineSearch {
  /// The resolution of the support along a line in pixels.
  static let step = 2.0
  private static let angles = 128
  private static let binWidth: Float = 1.5
  /// The number of peaks in the votes to which lines are fitted.
  private let limit = 34

  private var votes: [Float] = []
  private let cosines: [Float]
  private let sines: [Float]

  init() {
    cosines = (0..<Self.angles).map { Float(Double.cosine(.pi * Double($0) / Double(Self.angles))) }
    sines = (0..<Self.angles).map { Float(Double.sine(.pi * Double($0) / Double(Self.angles))) }
  }

  /// Returns the lines with the most votes, and the four borders of the picture.
  func lines(of map: EdgeMap) -> [SupportedLine] {
    guard map.width > 0 else { return [] }
    var found: [SupportedLine] = []
    let least = 0.12 * Double(min(map.width, map.height))
    for peak in peaks(map) {
      guard let straight = fit(map.edges, peak) else { continue }
      var line = SupportedLine(line: straight)
      measure(&line, map)
      guard let total = line.sums.last, Double(total) * Self.step > least else { continue }
      if !found.contains(where: { isSame($0, line, map) }) { found.append(line) }
    }
    let (w, h) = (Double(map.width - 1), Double(map.height - 1))
    for (normal, offset) in [(Point2(1, 0), 0.0), (Point2(1, 0), w), (Point2(0, 1), 0.0), (Point2(0, 1), h)] {
      found.append(SupportedLine(line: StraightLine(normal: normal, offset: offset), isBorder: true))
    }
    return found
  }

  private func peaks(_ map: EdgeMap) -> [StraightLine] {
    let center = (Float(map.width) / 2, Float(map.height) / 2)
    let reach = (center.0 * center.0 + center.1 * center.1).squareRoot()
    let bins = Int(2 * reach / Self.binWidth) + 4
    let angles = Self.angles
    votes = [Float](repeating: 0, count: angles * bins)
    votes.withUnsafeMutableBufferPointer { votes in
      for edge in map.edges {
        let turn = Int(EdgeMap.turn(edge.nx, edge.ny))
        let (x, y) = (edge.x - center.0, edge.y - center.1)
        for shift in -2...2 {
          let a = (turn &+ shift) & (angles &- 1)
          let rho = (x * cosines[a] + y * sines[a] + reach) / Self.binWidth + 1
          let bin = Int(rho)
          let share = rho - Float(bin)
          let at = a &* bins &+ bin
          votes[at] += edge.weight * (1 - share)
          votes[at &+ 1] += edge.weight * share
        }
      }
    }
    var peaks: [(votes: Float, angle: Int, bin: Int)] = []
    let least = 0.1 * Float(min(map.width, map.height))
    votes.withUnsafeBufferPointer { votes in
      for a in 0..<angles {
        for bin in 3..<(bins - 3) {
          let own = votes[a &* bins &+ bin]
          guard own > least else { continue }
          var isPeak = true
          search: for da in -3...3 {
            var b = a &+ da
            var at = bin
            // Beyond half a turn the normal has the opposite direction.
            if b < 0 || b >= angles {
              b = (b &+ angles) & (angles &- 1)
              at = Int((2 * (reach / Self.binWidth + 1) - Float(bin)).rounded())
            }
            for db in -2...2 where !(da == 0 && db == 0) {
              let place = at &+ db
              guard place >= 0, place < bins else { continue }
              let other = votes[b &* bins &+ place]
              if other > own || (other == own && (da, db) < (0, 0)) {
                isPeak = false
                break search
              }
            }
          }
          if isPeak { peaks.append((own, a, bin)) }
        }
      }
    }
    peaks.sort { $0.votes > $1.votes }
    return peaks.prefix(limit).map { peak in
      let normal = Point2(Double(cosines[peak.angle]), Double(sines[peak.angle]))
      let rho = Double((Float(peak.bin) - 1) * Self.binWidth - reach)
      return StraightLine(normal: normal, offset: rho + normal.dot(Point2(Double(center.0), Double(center.1))))
    }
  }

  /// Returns a line fitted to the edge pixels near `guess` by total least squares, in two passes; `nil` if these pixels have too
  /// little weight.
  private func fit(_ edges: [EdgeMap.Edge], _ guess: StraightLine) -> StraightLine? {
    var line = guess
    for reach in [Float(3), 1.8] {
      let (nx, ny, offset) = (Float(line.normal.x), Float(line.normal.y), Float(line.offset))
      var moments = PointMoments()
      edges.withUnsafeBufferPointer { edges in
        for e in edges {
          let distance = nx * e.x + ny * e.y - offset
          guard abs(distance) < reach, abs(nx * e.nx + ny * e.ny) > 0.95 else { continue }
          moments.add(Point2(Double(e.x), Double(e.y)), weight: Double(e.weight))
        }
      }
      guard moments.weight > 4, let found = StraightLine(moments) else { return nil }
      line = found
    }
    return line
  }

  /// Measures the support of each step of the line by edge pixels.
  private func measure(_ line: inout SupportedLine, _ map: EdgeMap) {
    let (nx, ny, offset) = (Float(line.line.normal.x), Float(line.line.normal.y), Float(line.line.offset))
    let (w, h) = (Double(map.width), Double(map.height))
    let ends = [Point2(0, 0), Point2(w, 0), Point2(0, h), Point2(w, h)].map { line.parameter($0) }
    let low = (ends.min() ?? 0) - 4
    let count = Int(((ends.max() ?? 0) + 4 - low) / Self.step) + 2
    var profile = [Float](repeating: 0, count: count)
    let (dx, dy, start) = (-ny, nx, Float(low))
    map.edges.withUnsafeBufferPointer { edges in
      for e in edges {
        guard abs(nx * e.x + ny * e.y - offset) < 2.5, abs(nx * e.nx + ny * e.ny) > 0.93 else { continue }
        let i = Int((dx * e.x + dy * e.y - start) / Float(Self.step))
        guard i >= 0, i < count else { continue }
        profile[i] = max(profile[i], min(1, 0.4 + e.weight))
      }
    }
    var sums = [Float](repeating: 0, count: count + 1)
    for i in 0..<count {
      // The edge pixels of a slanted line skip some steps, which are filled from their neighbours.
      var own = profile[i]
      if own == 0, i > 0, i + 1 < count { own = min(profile[i - 1], profile[i + 1]) }
      sums[i + 1] = sums[i] + own
    }
    line.start = low
    line.sums = sums
  }

  private func isSame(_ a: SupportedLine, _ b: SupportedLine, _ map: EdgeMap) -> Bool {
    guard abs(a.line.normal.dot(b.line.normal)) > 0.9994 else { return false }
    let center = Point2(Double(map.width) / 2, Double(map.height) / 2)
    return abs(a.line.distance(to: b.line.foot(center))) < 2
  }
}

// MARK: - Quadrilaterals

/// A quadrilateral that may be a page's outline, in pixels of the work picture.
struct PageHypothesis {
  /// The least sine of the angle between adjacent sides, for a sheet that is not viewed too obliquely.
  static let leastSine = 0.4

  var outline: Quadrilateral
  /// The supported length of the perimeter minus half of the unsupported length, in pixels.
  var edgeSupport: Double
  /// True for each side (top, right, bottom, left of `outline`) on the picture's border.
  var borders: [Bool] = [false, false, false, false]
}

/// Combines straight lines into quadrilaterals that may be pages.
struct QuadSearch {
  /// The largest number of quadrilaterals returned.
  private let limit = 48

  func quadrilaterals(_ lines: [SupportedLine], width: Int, height: Int) -> [PageHypothesis] {
    let n = lines.count
    guard n >= 4 else { return [] }
    let (w, h) = (Double(width), Double(height))
    let slack = 0.06 * max(w, h)
    let leastSide = 0.12 * min(w, h)
    let leastArea = 0.04 * w * h
    // The parameter of each line's crossing with each other line.
    var at = [Double](repeating: 0, count: n * n)
    let four = FourLines(count: n) { i, k in
      guard let p = lines[i].line.crossing(lines[k].line, leastSine: PageHypothesis.leastSine), p.x > -slack,
        p.y > -slack, p.x < w + slack, p.y < h + slack
      else { return nil }
      at[i * n + k] = lines[i].parameter(p)
      return p
    }
    var found: [PageHypothesis] = []
    var worstKept = -Double.infinity
    func side(_ line: Int, _ a: Int, _ b: Int) -> Double? {
      let (s, t) = (at[line * n + a], at[line * n + b])
      let length = abs(s - t)
      guard length > leastSide else { return nil }
      let support = lines[line].support(from: s, to: t)
      return support > 0.3 * length ? support - 0.5 * (length - support) : nil
    }
    four.forEach(isDirected: false, side: side) { candidate in
      guard candidate.support > worstKept else { return }
      var borders = (0..<4).map { lines[candidate.lines[$0]].isBorder }
      guard borders.count(where: { $0 }) <= 2 else { return }
      let quad = candidate.corners.clockwise
      guard quad.isConvex, quad.signedArea > leastArea, QuadSearch.looksLikeRectangle(quad) else { return }
      if candidate.corners.signedArea < 0 { borders.reverse() }
      found.append(PageHypothesis(outline: quad, edgeSupport: candidate.support, borders: borders))
      if found.count >= 4 * limit { worstKept = thin(&found) }
    }
    _ = thin(&found)
    return found
  }

  /// Keeps the `limit` best hypotheses without near duplicates, and returns the support that a further hypothesis must exceed.
  private func thin(_ found: inout [PageHypothesis]) -> Double {
    found.sort { $0.edgeSupport > $1.edgeSupport }
    var kept: [PageHypothesis] = []
    for candidate in found where kept.count < limit {
      if !kept.contains(where: { $0.outline.largestCornerDistance(to: candidate.outline) < 4 }) {
        kept.append(candidate)
      }
    }
    found = kept
    return kept.count == limit ? kept[limit - 1].edgeSupport : -.infinity
  }

  /// Returns whether a quadrilateral may be the picture of a rectangle that is not viewed too obliquely.
  static func looksLikeRectangle(_ q: Quadrilateral) -> Bool {
    let c = q.corners
    for i in 0..<4 {
      let a = c[(i + 1) % 4] - c[i]
      let b = c[(i + 3) % 4] - c[i]
      // The angle must be between 50 and 130 degrees.
      guard abs(a.dot(b)) < 0.643 * a.length * b.length else { return false }
    }
    for i in 0..<2 {
      let (a, b) = ((c[i + 1] - c[i]).length, (c[(i + 3) % 4] - c[i + 2]).length)
      guard min(a, b) > 0.4 * max(a, b) else { return false }
    }
    return true
  }
}

extension Quadrilateral {
  /// Returns the share of the area inside other quadrilaterals, 0…1.
  func share(in others: [Quadrilateral]) -> Double {
    let steps = 12
    var count = 0
    for i in 0..<steps {
      let u = (Double(i) + 0.5) / Double(steps)
      let (left, right) = (topLeft * (1 - u) + bottomLeft * u, topRight * (1 - u) + bottomRight * u)
      for k in 0..<steps {
        let v = (Double(k) + 0.5) / Double(steps)
        let p = left * (1 - v) + right * v
        if others.contains(where: { $0.contains(p) }) { count += 1 }
      }
    }
    return Double(count) / Double(steps * steps)
  }
}
