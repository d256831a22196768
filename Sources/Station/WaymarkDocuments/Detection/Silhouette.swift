import Foundation
import WaymarkImage

/// Finds a quadrilateral in the outline of the foreground, even if a hand holds the page.
///
/// Edge points of the mask vote for lines with their direction (Hough). Four outward-facing lines make a quadrilateral; the
/// quadrilateral is chosen whose sides coincide with the end of the mask most often. Where a hand covers a side of the page, the
/// mask continues beyond the side. This is only weak evidence against the side, because a side along a finger would leave a strip
/// of the page outside. Use it from one thread at a time.
final class Silhouette {
  /// A quadrilateral and its fit score.
  struct Fit: Sendable {
    /// The corners clockwise, in pixels of the mask.
    var corners: Quadrilateral
    /// The share of the outline along which the mask ends, minus the evidence against it; at most 1.
    var fitScore: Double
  }

  private struct EdgePoint {
    var place: Point2
    /// The outward direction, in 1/128 of a turn.
    var facing: Int
  }

  private static let turns = 128
  private static let directions: [Point2] = (0..<turns).map {
    let angle = 2 * Double.pi * Double($0) / Double(turns)
    return Point2(cos(angle), sin(angle))
  }
  /// The number of directions, in 1/128 of a turn, for which an edge point votes on either side of its own, because noise and patterns
  /// roughen the outline.
  private static let slack = 7
  /// The resolution of offsets in pixels.
  private static let step = 2.0
  /// The least sine of the angle between adjacent sides: 35 to 145 degrees.
  private static let leastSine = 0.57
  /// The number of lines that are tried.
  private static let lines = 14
  /// The distance from a side, in pixels, at which the mask is tested on the inside and on the outside.
  private static let margin = 3.5
  /// The least share of a side along which the mask must end.
  private static let leastSide = 0.2
  /// The least share of the inside that is foreground.
  private static let leastFill = 0.85
  /// The least length of a page's side in pixels, and the least share of the picture that a page fills.
  private static let (leastLength, leastArea) = (14.0, 0.012)

  private var votes: [Int32] = []

  init() {}

  /// Returns the quadrilateral that fits a mask best; `nil` if none fits.
  func quadrilateral(in mask: PixelPlane) -> Fit? {
    let points = Self.edge(of: mask)
    guard points.count >= 60 else { return nil }
    let lines = self.lines(points, mask.width, mask.height)
    var best: Fit?
    let area = Self.leastArea * Double(mask.width * mask.height)
    let four = FourLines(count: lines.count) { i, k in
      guard lines[i].normal.cross(lines[k].normal) > Self.leastSine else { return nil }
      return lines[i].crossing(lines[k], leastSine: Self.leastSine).flatMap { Self.isInside($0, mask) ? $0 : nil }
    }
    four.forEach(isDirected: true, side: { _, _, _ in 0 }) { candidate in
      guard Self.isSheet(candidate.corners, area), let fit = Self.fit(of: candidate.corners, in: mask),
        fit.fitScore > best?.fitScore ?? 0
      else { return }
      best = fit
    }
    return best
  }

  /// Returns the fit of a quadrilateral to a mask; `nil` if the mask hardly ends along a side, or too little of the inside is
  /// foreground.
  static func fit(of corners: Quadrilateral, in mask: PixelPlane) -> Fit? {
    let samples = 24
    var (fitScore, whole) = (0.0, 0.0)
    for side in 0..<4 {
      let (a, b) = (corners[side], corners[side + 1])
      let length = a.distance(to: b)
      let along = (b - a) / max(length, 1e-9)
      let outward = Point2(along.y, -along.x) * margin
      var (ends, covered, empty) = (0, 0, 0)
      for i in 0..<samples {
        let p = a + (b - a) * (0.03 + 0.94 * (Double(i) + 0.5) / Double(samples))
        if !isNew(p - outward, mask) {
          empty += 1
        } else if isNew(p + outward, mask) {
          covered += 1
        } else {
          ends += 1
        }
      }
      let seen = Double(ends) / Double(samples)
      guard seen >= leastSide else { return nil }
      fitScore += length * (seen - (Double(empty) + 0.25 * Double(covered)) / Double(samples))
      whole += length
    }
    guard whole > 0, fill(corners, mask) >= leastFill else { return nil }
    return Fit(corners: corners, fitScore: fitScore / whole)
  }

  /// Returns the share of a quadrilateral's inside that is foreground.
  private static func fill(_ c: Quadrilateral, _ mask: PixelPlane) -> Double {
    var hits = 0
    for v in 0..<10 {
      let t = (Double(v) + 0.5) / 10
      let (left, right) = (c[0] * (1 - t) + c[3] * t, c[1] * (1 - t) + c[2] * t)
      for u in 0..<10 where isNew(left + (right - left) * ((Double(u) + 0.5) / 10), mask) { hits += 1 }
    }
    return Double(hits) / 100
  }

  private static func isNew(_ p: Point2, _ mask: PixelPlane) -> Bool {
    guard p.x >= 0, p.y >= 0, p.x < Double(mask.width), p.y < Double(mask.height) else { return false }
    return mask.pixels[Int(p.y) &* mask.width &+ Int(p.x)] > 0
  }

  private static func isInside(_ p: Point2, _ mask: PixelPlane) -> Bool {
    p.x >= -1 && p.y >= -1 && p.x <= Double(mask.width) && p.y <= Double(mask.height)
  }

  /// Returns whether a quadrilateral has the size and shape of a sheet.
  private static func isSheet(_ c: Quadrilateral, _ leastArea: Double) -> Bool {
    let lengths = (0..<4).map { c[$0].distance(to: c[$0 + 1]) }
    let ratios = [(0, 2), (1, 3)].map { min(lengths[$0], lengths[$1]) / max(lengths[$0], lengths[$1], 1e-9) }
    return c.signedArea >= leastArea && lengths.allSatisfy { $0 >= leastLength } && ratios.allSatisfy { $0 >= 0.4 }
  }

  /// Returns the edge points of a mask with their outward directions.
  private static func edge(of mask: PixelPlane) -> [EdgePoint] {
    let (w, h, reach) = (mask.width, mask.height, 4)
    guard w > 4 * reach, h > 4 * reach else { return [] }
    let pixels = mask.pixels
    let around: [(at: Int, x: Int, y: Int)] = [
      (2, 0), (0, 2), (4, 0), (0, 4), (3, 3), (3, -3), (2, 4), (4, 2), (-2, 4), (4, -2),
    ]
    .map { ($0.1 * w + $0.0, $0.0, $0.1) }
    var points: [EdgePoint] = []
    for y in reach..<(h - reach) {
      for x in reach..<(w - reach) {
        let i = y &* w &+ x
        guard pixels[i] > 0, pixels[i - 1] == 0 || pixels[i + 1] == 0 || pixels[i - w] == 0 || pixels[i + w] == 0 else {
          continue
        }
        var (gx, gy) = (0, 0)
        for place in around {
          let step = Int(pixels[i &- place.at] >> 7) &- Int(pixels[i &+ place.at] >> 7)
          gx &+= step &* place.x
          gy &+= step &* place.y
        }
        guard gx != 0 || gy != 0 else { continue }
        let turn = atan2(Double(gy), Double(gx)) / (2 * .pi) * Double(turns)
        points.append(EdgePoint(place: Point2(Double(x), Double(y)), facing: (Int(turn.rounded()) + turns) % turns))
      }
    }
    return points
  }

  /// Returns lines fitted to the edge points at the peaks of their votes, with normals pointing outwards.
  private func lines(_ points: [EdgePoint], _ w: Int, _ h: Int) -> [StraightLine] {
    let n = Self.turns
    let centre = Point2(Double(w), Double(h)) / 2
    let half = Int(centre.length / Self.step) + 2
    let m = 2 * half
    if votes.count != n * m { votes = [Int32](repeating: 0, count: n * m) }
    votes.withUnsafeMutableBufferPointer { votes in
      votes.update(repeating: 0)
      for point in points {
        let p = point.place - centre
        for k in -Self.slack...Self.slack {
          let turn = (point.facing &+ k &+ n) % n
          let bin = Int((Self.directions[turn].dot(p) / Self.step).rounded(.down)) &+ half
          votes[turn &* m &+ bin] &+= Int32(Self.slack &+ 1 &- abs(k))
        }
      }
    }
    var found: [StraightLine] = []
    for _ in 0..<Self.lines {
      var top = (value: Int32(70), at: -1)
      votes.withUnsafeBufferPointer { votes in
        for i in votes.indices where votes[i] > top.value { top = (votes[i], i) }
      }
      guard top.at >= 0 else { break }
      let (turn, bin) = (top.at / m, top.at % m)
      for k in -4...4 {
        let row = (turn + k + n) % n * m
        for i in max(0, bin - 3)...min(m - 1, bin + 3) { votes[row + i] = 0 }
      }
      let normal = Self.directions[turn]
      let offset = (Double(bin - half) + 0.5) * Self.step + normal.dot(centre)
      let near = points.filter { point in
        let off = abs(point.facing - turn)
        return min(off, n - off) <= Self.slack + 2 && abs(normal.dot(point.place) - offset) <= 4
      }
      guard near.count >= 10,
        var line = StraightLine(
          through: near.map(\.place), [Double](repeating: 1, count: near.count), scale: 1.2)
      else { continue }
      if line.normal.dot(normal) < 0 { line = line.reversed }
      guard line.normal.dot(normal) > 0.94 else { continue }
      // Half a pixel more, because the line is at the outer edge of the mask's last pixels.
      line.offset += 0.5
      found.append(line)
    }
    return found
  }
}
