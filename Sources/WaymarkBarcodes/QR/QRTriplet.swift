import Glibc
import WaymarkGeometry

/// Three finder patterns that could be of one code.
struct QRTriplet {
  var topLeft: FinderPattern
  var topRight: FinderPattern
  var bottomLeft: FinderPattern
  /// How far from a square seen straight on; less is better.
  var cost: Double

  /// The likely triplets among `patterns`, best first.
  ///
  /// Bounds are those of a tilt of about 60°: a leg may seem half as long as the other, a pattern half as large.
  static func candidates(among patterns: [FinderPattern], limit: Int = 8) -> [QRTriplet] {
    let p = Array(patterns.prefix(28))
    guard p.count >= 3 else { return [] }
    var all: [QRTriplet] = []
    for i in 0..<(p.count - 2) {
      for j in (i + 1)..<(p.count - 1) where similar(p[i], p[j]) {
        for k in (j + 1)..<p.count where similar(p[i], p[k]) && similar(p[j], p[k]) {
          all += hypotheses(p[i], p[j], p[k])
        }
      }
    }
    all.sort { $0.cost < $1.cost }
    return Array(all.prefix(limit))
  }

  private static func similar(_ a: FinderPattern, _ b: FinderPattern) -> Bool {
    let r = a.module / b.module
    return r > 0.45 && r < 2.2
  }

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

  /// Which of three patterns is the corner: the one opposite the longest side, unless a strong tilt made the diagonal
  /// shorter than an edge; then another side is nearly as long.
  private static func hypotheses(_ a: FinderPattern, _ b: FinderPattern, _ c: FinderPattern) -> [QRTriplet] {
    let ab = a.center.distance(to: b.center)
    let bc = b.center.distance(to: c.center)
    let ca = c.center.distance(to: a.center)
    let longest = max(ab, bc, ca)
    var found: [QRTriplet] = []
    if bc > 0.85 * longest, let t = QRTriplet(corner: a, b, c) { found.append(t) }
    if ca > 0.85 * longest, let t = QRTriplet(corner: b, c, a) { found.append(t) }
    if ab > 0.85 * longest, let t = QRTriplet(corner: c, a, b) { found.append(t) }
    return found
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

  /// Whether the patterns differ as they do on a code that is seen from aside.
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
