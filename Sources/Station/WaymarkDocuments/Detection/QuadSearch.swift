import WaymarkImage

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

/// Combines straight lines to quadrilaterals that may be pages.
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

  /// Keeps the `limit` best hypotheses without near duplicates, and returns the support that a further one must exceed.
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
