package import WaymarkGeometry

/// A quadrilateral that may be a page's outline, in pixels of the work picture.
struct PageHypothesis {
  var outline: Quadrilateral
  /// How much of its perimeter is supported, less half of what is not; in pixels.
  var edgeSupport: Double
  /// Which sides (top, right, bottom, left of `outline`) lie on the picture's border.
  var borders: [Bool] = [false, false, false, false]
}

/// Puts lines together to quadrilaterals.
struct QuadSearch {
  /// How many are kept.
  var limit = 48

  func quadrilaterals(_ lines: [SupportedLine], width: Int, height: Int) -> [PageHypothesis] {
    let n = lines.count
    guard n >= 4 else { return [] }
    let (w, h) = (Double(width), Double(height))
    let slack = 0.06 * max(w, h)
    let leastSide = 0.12 * min(w, h)
    let leastArea = 0.04 * w * h
    // Corners: where each two lines cross, and the parameter on each.
    var crossing = [Point2?](repeating: nil, count: n * n)
    var at = [Double](repeating: 0, count: n * n)
    for i in 0..<n {
      for k in 0..<n where k != i {
        guard let p = lines[i].crossing(lines[k]), p.x > -slack, p.y > -slack, p.x < w + slack, p.y < h + slack else {
          continue
        }
        crossing[i * n + k] = p
        at[i * n + k] = lines[i].parameter(p)
      }
    }
    struct Link {
      var line: Int
      var edgeSupport: Double
    }
    var found: [PageHypothesis] = []
    var worstKept = -Double.infinity
    var links: [Link] = []
    func edgeSupport(_ line: Int, _ a: Int, _ b: Int) -> (support: Double, length: Double) {
      let (s, t) = (at[line * n + a], at[line * n + b])
      return (lines[line].support(from: s, to: t), abs(s - t))
    }
    for i in 0..<n {
      for j in (i + 1)..<max(i + 1, n) {
        links.removeAll(keepingCapacity: true)
        for k in 0..<n where k != i && k != j {
          guard crossing[i * n + k] != nil, crossing[j * n + k] != nil else { continue }
          let (support, length) = edgeSupport(k, i, j)
          guard length > leastSide, support > 0.3 * length else { continue }
          links.append(Link(line: k, edgeSupport: support - 0.5 * (length - support)))
        }
        for x in links.indices {
          let k = links[x].line
          for y in (x + 1)..<max(x + 1, links.count) {
            let l = links[y].line
            guard i < min(k, l), let a = crossing[i * n + k], let b = crossing[i * n + l],
              let c = crossing[j * n + l], let d = crossing[j * n + k]
            else { continue }
            let (si, li) = edgeSupport(i, k, l)
            guard li > leastSide, si > 0.3 * li else { continue }
            let (sj, lj) = edgeSupport(j, k, l)
            guard lj > leastSide, sj > 0.3 * lj else { continue }
            let borders = [i, l, j, k].count { lines[$0].isBorder }
            guard borders <= 2 else { continue }
            let total = links[x].edgeSupport + links[y].edgeSupport + si - 0.5 * (li - si) + sj - 0.5 * (lj - sj)
            guard total > worstKept else { continue }
            var quad = Quadrilateral(topLeft: a, topRight: b, bottomRight: c, bottomLeft: d)
            var sides = [lines[i].isBorder, lines[l].isBorder, lines[j].isBorder, lines[k].isBorder]
            if quad.signedArea < 0 {
              quad = Quadrilateral(topLeft: a, topRight: d, bottomRight: c, bottomLeft: b)
              sides = [sides[3], sides[2], sides[1], sides[0]]
            }
            guard quad.isConvex, quad.signedArea > leastArea, QuadSearch.looksLikeRectangle(quad) else { continue }
            found.append(PageHypothesis(outline: quad, edgeSupport: total, borders: sides))
            if found.count >= 4 * limit { worstKept = thin(&found) }
          }
        }
      }
    }
    _ = thin(&found)
    return found
  }

  /// Keeps the best, none nearly the same as a better one; returns the least merit worth adding from now on.
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

  /// Returns whether a rectangle can look like that through an ordinary camera that is not held too obliquely.
  static func looksLikeRectangle(_ q: Quadrilateral) -> Bool {
    let c = q.corners
    for i in 0..<4 {
      let a = c[(i + 1) % 4] - c[i]
      let b = c[(i + 3) % 4] - c[i]
      // Between 50 and 130 degrees.
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
  /// The longer one of the diagonals.
  var longerDiagonal: Double { max(topLeft.distance(to: bottomRight), topRight.distance(to: bottomLeft)) }

  /// The greatest distance of a corner from the nearest corner of the same name when the names go round as fits best.
  package func largestCornerDistance(to other: Quadrilateral) -> Double {
    let (a, b) = (corners, other.corners)
    var best = Double.infinity
    for turn in 0..<4 {
      var worst = 0.0
      for i in 0..<4 { worst = max(worst, a[i].distance(to: b[(i + turn) % 4])) }
      best = min(best, worst)
    }
    return best
  }
}
