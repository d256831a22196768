import Glibc
import WaymarkImage

/// Three finder patterns that could be of one code.
struct QRTriplet {
  var topLeft: FinderPattern
  var topRight: FinderPattern
  var bottomLeft: FinderPattern
  /// How far from a square seen straight on; less is better.
  var cost: Double

  /// The likely triplets among `patterns`, best first.
  ///
  /// Bounds are those of a tilt of about 60°: a leg may seem half as long as the other, a pattern half as large. Where there
  /// are many patterns, each is joined with those around it only, so that sixty codes cost no more than sixty times one.
  static func candidates(among patterns: [FinderPattern], limit: Int = 8) -> [QRTriplet] {
    // Rings that stand apart are patterns, or nearly always; inside a large code a few others look like some.
    let closed = patterns.filter { $0.ring != nil }
    var all = joined(closed)
    if closed.count < patterns.count {
      let clear = patterns.sorted { ($0.ring != nil ? 100 : $0.rings) > ($1.ring != nil ? 100 : $1.rings) }
      all += joined(Array(clear.prefix(crowd))).filter { $0.closed < 3 }
    }
    let ranks = all.map { $0.closed == 3 ? $0.cost : $0.cost + 1000 }
    return all.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.prefix(limit).map { all[$0] }
  }

  private static func joined(_ p: [FinderPattern]) -> [QRTriplet] {
    guard p.count >= 3 else { return [] }
    let (centers, modules) = (p.map(\.center), p.map(\.module))
    func similar(_ a: Int, _ b: Int) -> Bool {
      let ratio = modules[a] / modules[b]
      return ratio > 0.45 && ratio < 2.2
    }
    var all: [QRTriplet] = []
    for i in p.indices {
      var around = p.indices.filter { $0 != i && similar(i, $0) }
      if p.count > crowd {
        let near = around.map { (at: $0, distance: centers[$0].distance(to: centers[i])) }
          .filter { $0.distance > 8 * modules[i] }.sorted { $0.distance < $1.distance }
        around = near.prefix(neighbours).map(\.at)
      }
      for (n, j) in around.enumerated() {
        for k in around[..<n] where similar(j, k) && isCorner(centers[i], centers[j], centers[k]) {
          if let triplet = QRTriplet(corner: p[i], p[j], p[k]) { all.append(triplet) }
        }
      }
    }
    return all
  }

  /// How many of its patterns have a ring that stands apart.
  var closed: Int { [topLeft, topRight, bottomLeft].count { $0.ring != nil } }

  /// With more patterns than that in a picture, each is joined with so many of its neighbours.
  private static let crowd = 28
  private static let neighbours = 14

  /// Where the fourth corner lies if the patterns differ in size because they differ in distance; `nil` where they do
  /// not.
  ///
  /// Under a homography with third coordinate w an area shrinks by w³ (its Jacobian), so w goes as the size of a module
  /// to the power −2/3, and w is linear in the plane of the code.
  var foreshortenedCorner: Point2? {
    func weight(_ pattern: FinderPattern) -> Double { pow(pattern.module, -2.0 / 3) }
    let (w0, w1, w2) = (weight(topLeft), weight(topRight), weight(bottomLeft))
    let w3 = w1 + w2 - w0
    guard w3 > 0.25 * w0, max(w0, w1, w2) / min(w0, w1, w2) > 1.12 else { return nil }
    return (topRight.center * w1 + bottomLeft.center * w2 - topLeft.center * w0) / w3
  }

  /// Returns whether the first of three patterns may be the corner: the one opposite the longest side, unless a strong tilt made
  /// the diagonal shorter than an edge; then another side is nearly as long.
  private static func isCorner(_ a: Point2, _ b: Point2, _ c: Point2) -> Bool {
    b.distance(to: c) > 0.85 * max(a.distance(to: b), a.distance(to: c))
  }

  private init?(corner: FinderPattern, _ one: FinderPattern, _ two: FinderPattern) {
    let u = one.center - corner.center
    let v = two.center - corner.center
    let turn = u.cross(v)
    let cosine = abs(u.dot(v)) / (u.length * v.length)
    guard cosine < 0.7 else { return nil }
    topLeft = corner
    (topRight, bottomLeft) = turn > 0 ? (one, two) : (two, one)
    let ratio = u.length / v.length
    guard ratio > 0.4, ratio < 2.5 else { return nil }
    // Between the centres of two finder patterns lie 14 modules at least and 170 at most.
    let du = Self.modules(corner, one)
    let dv = Self.modules(corner, two)
    guard du > 9, dv > 9, du < 230, dv < 230 else { return nil }
    let agreement = max(du / dv, dv / du)
    guard agreement < 1.8 else { return nil }
    let sizes = [corner.module, one.module, two.module]
    let spread = (sizes.max() ?? 1) / (sizes.min() ?? 1)
    let hits = Double(min(3, corner.hits) + min(3, one.hits) + min(3, two.hits))
    cost = 2 * cosine + (agreement - 1) + (spread - 1) + abs(max(ratio, 1 / ratio) - 1) * 0.5 - 0.1 * hits
  }

  /// The same in a picture of `factor` times the size.
  func scaled(by factor: Double) -> QRTriplet {
    var other = self
    other.topLeft = topLeft.scaled(by: factor)
    other.topRight = topRight.scaled(by: factor)
    other.bottomLeft = bottomLeft.scaled(by: factor)
    return other
  }

  /// Returns whether so many of its patterns look like some, as they should lie if the code is flat.
  ///
  /// - Parameters:
  ///   - least: the correlation that counts as likeness, −1 to 1.
  ///   - view: the octave on which they were seen.
  ///   - factor: pixels of their picture to one of the octave.
  func resembles(_ count: Int, least: Double, _ view: ImageView, factor: Double, inverted: Bool) -> Bool {
    guard let side = sides.first?.side else { return false }
    let (u, v) = (topRight.center - topLeft.center, bottomLeft.center - topLeft.center)
    let patterns = [topLeft, topRight, bottomLeft]
    var found = 0
    for (i, pattern) in patterns.enumerated() {
      // A pattern that is nearer than the others is larger.
      let scale = pattern.module / module / (Double(side - 7) * factor)
      let center = (pattern.center + 0.5) / factor - 0.5
      func isAlike(_ u: Point2, _ v: Point2, _ least: Double) -> Bool {
        let seen = FinderShape.likeness(view, center, u, v).correlation
        return (inverted ? -seen : seen) >= least
      }
      if isAlike(u * scale, v * scale, least) {
        found += 1
      } else if isTilted,
        isAlike(pattern.module(along: u) / factor, pattern.module(along: v) / factor, 1.25 * least)
      {
        // Seen from aside, the number of modules between patterns is not what their sizes say.
        found += 1
      }
      if found >= count { return true }
      if found + patterns.count - 1 - i < count { return false }
    }
    return false
  }

  /// The middles of its patterns: of the corner, of the one to the right of it, and of the one below.
  var centers: [Point2] { [topLeft.center, topRight.center, bottomLeft.center] }

  /// Looks for the rings of its patterns again.
  mutating func ring(_ find: (FinderPattern) -> FinderPattern) {
    topLeft = find(topLeft)
    topRight = find(topRight)
    bottomLeft = find(bottomLeft)
  }

  /// The octave on which most of its patterns were seen best.
  var octave: Int { [topLeft.octave, topRight.octave, bottomLeft.octave].sorted()[1] }

  /// Pixels a module, at the pattern of middle size.
  var module: Double { [topLeft.module, topRight.module, bottomLeft.module].sorted()[1] }

  /// True if the patterns differ as they do on a code that is seen from aside.
  var isTilted: Bool {
    let sizes = [topLeft, topRight, bottomLeft].flatMap { [$0.moduleX, $0.moduleY] }
    return (sizes.max() ?? 1) > 1.25 * (sizes.min() ?? 1)
  }

  /// The distance of two patterns in modules, by their sizes along the connecting line.
  static func modules(_ a: FinderPattern, _ b: FinderPattern) -> Double {
    let d = b.center - a.center
    let length = d.length
    // Horizontal and vertical extents of a turned square overstate its module by |cos|+|sin| of the turn, which is
    // smallest along the axes; the extent along the line divides it out as far as the pattern is square.
    let x = abs(d.x) / length
    let y = abs(d.y) / length
    let stretch = max(x, y)
    let module = (a.moduleX + a.moduleY + b.moduleX + b.moduleY) / 4
    return length / (module * stretch)
  }

  /// The sides, in modules, that fit the measured distances, the likeliest first.
  var sides: [QRLayout] {
    let measured = (Self.modules(topLeft, topRight) + Self.modules(topLeft, bottomLeft)) / 2 + 7
    guard let first = QRLayout(nearestSide: measured) else { return [] }
    let up = QRLayout(version: first.version + 1)
    let down = QRLayout(version: first.version - 1)
    let rest = measured > Double(first.side) ? [up, down] : [down, up]
    return [first] + rest.compactMap { $0 }
  }
}
