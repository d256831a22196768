package import WaymarkGeometry
package import WaymarkImage

/// Finds flat objects on a wall: posters, framed pictures, sheets.
///
/// A page is told from a table by what it looks like: bright, and even but for its print. The inside of a poster is any picture. What tells it
/// is the wall, which is one and the same on all four sides, goes on beyond every corner and ends at four straight lines. So the wall is
/// found first (`WallSegmentation`), then what hangs on it, as four lines that run along the most of its outline; at last each
/// line is fitted to the full photograph (`EdgeFit`).
package struct PosterFinder {
  /// Something that hangs on the wall.
  package struct Candidate: Sendable {
    /// Its corners in pixels of the photograph, the one nearest to the photograph's top left first.
    package var outline: Quadrilateral
    /// True if each side was seen along much of its length, and no other outline does nearly as well.
    package var isCertain: Bool
    /// True if there is nothing within, as on an empty sheet.
    package var isBlank: Bool
  }

  private let photo: RGBImage

  package init(_ photo: RGBImage) { self.photo = photo }

  /// Returns the candidates, the largest and nearest to the middle first; uncertain ones count half.
  package func finds() -> [Candidate] {
    guard let map = WallSegmentation(photo) else { return [] }
    let objects = WallObject.all(map)
    let middle = Point2(Double(map.width), Double(map.height)) / 2
    var ranked: [(find: Candidate, rank: Double)] = []
    for thing in objects.prefix(6) {
      guard let find = find(thing, map) else { continue }
      let area = find.outline.signedArea / (map.scale * map.scale)
      // A few lines of a patterned wall or within a picture make a quadrilateral too, but a small one.
      guard find.isCertain || area * 16 > Double(map.width * map.height) else { continue }
      let off = (find.outline.center / map.scale - middle) / (2 * middle)
      ranked.append((find, area * Double.exponential(-3 * off.dot(off)) * (find.isCertain ? 1 : 0.5)))
    }
    return ranked.sorted { $0.rank > $1.rank }.map(\.find)
  }

  private func find(_ thing: WallObject, _ map: WallSegmentation) -> Candidate? {
    let quads = thing.quads()
    guard let first = quads.first else { return nil }
    let fit = EdgeFit(photo, unit: map.scale)
    guard let best = fit.fitted(first.quad.scaled(by: map.scale)) else { return nil }
    var isCertain = best.isClear && first.score > 0.55 && !thing.isCutOff
    let size = best.outline.topLeft.distance(to: best.outline.bottomRight)
    for other in quads.dropFirst() where other.score > 0.9 * first.score {
      guard let rival = fit.fitted(other.quad.scaled(by: map.scale)), rival.support > 0.85 * best.support else {
        continue
      }
      if rival.outline.cornerDistance(to: best.outline) > 0.01 * size { isCertain = false }
    }
    return Candidate(outline: best.outline, isCertain: isCertain, isBlank: isBlank(best.outline))
  }

  /// Returns whether neighbouring places within an outline hardly differ but for the light.
  private func isBlank(_ q: Quadrilateral) -> Bool {
    guard let map = Homography(unitSquareTo: q) else { return false }
    let steps = 40
    var levels: [Double] = []
    for j in 0..<steps {
      for i in 0..<steps {
        let p = map.apply((Point2(Double(i), Double(j)) / Double(steps - 1)) * 0.84 + 0.08)
        let c = photo[min(max(Int(p.x), 0), photo.width - 1), min(max(Int(p.y), 0), photo.height - 1)]
        levels.append(Double.naturalLogarithm(Double(c.red) + Double(c.green) + Double(c.blue) + 36))
      }
    }
    var changes = 0
    for j in 0..<steps {
      for i in 1..<steps {
        if abs(levels[j * steps + i] - levels[j * steps + i - 1]) > 0.08 { changes += 1 }
        if abs(levels[i * steps + j] - levels[(i - 1) * steps + j]) > 0.08 { changes += 1 }
      }
    }
    return changes * 200 < 2 * steps * steps
  }
}
