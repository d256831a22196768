import Glibc
import WaymarkImage

/// Three finder patterns that may belong to one code. The file also has `QRPair`, two finder patterns of a code whose
/// third is hidden, and the corners of the patterns (`TripletCorners`).
struct QRTriplet {
  var topLeft: FinderPattern
  var topRight: FinderPattern
  var bottomLeft: FinderPattern
  /// The deviation from a square seen straight on; lower is better.
  var cost: Double

  /// Returns the likely triplets among `patterns`, best first.
  ///
  /// The bounds allow a tilt of about 60°: one side may appear half as long as the other, a pattern half as large. If there are
  /// many patterns, each is joined only with patterns around it, so that sixty codes cost at most sixty times as much as one code.
  static func candidates(among patterns: [FinderPattern], limit: Int = 8) -> [QRTriplet] {
    // An isolated ring is nearly always a finder pattern; inside a large code, a few other positions resemble a finder pattern.
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

  /// The number of its patterns with an isolated ring.
  var closed: Int { [topLeft, topRight, bottomLeft].count { $0.ring != nil } }

  /// The number of patterns in a picture above which each is joined only with its nearest `neighbours`.
  private static let crowd = 28
  private static let neighbours = 14

  /// The fourth corner, if the patterns differ in size because of perspective; `nil` if they are about equally large.
  ///
  /// Under a homography with third coordinate w, an area shrinks by w³ (its Jacobian). So w is proportional to the module size to
  /// the power −2/3, and it is linear in the plane of the code.
  var foreshortenedCorner: Point2? {
    func weight(_ pattern: FinderPattern) -> Double { pow(pattern.module, -2.0 / 3) }
    let (w0, w1, w2) = (weight(topLeft), weight(topRight), weight(bottomLeft))
    let w3 = w1 + w2 - w0
    guard w3 > 0.25 * w0, max(w0, w1, w2) / min(w0, w1, w2) > 1.12 else { return nil }
    return (topRight.center * w1 + bottomLeft.center * w2 - topLeft.center * w0) / w3
  }

  /// Returns whether the first of three patterns may be the corner, which is opposite the longest side. A strong tilt may make the
  /// diagonal slightly shorter than a side.
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
    // The centres of two finder patterns are 14 to 170 modules apart.
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

  /// Returns the triplet in a copy of the picture of `factor` times the size.
  func scaled(by factor: Double) -> QRTriplet {
    var other = self
    other.topLeft = topLeft.scaled(by: factor)
    other.topRight = topRight.scaled(by: factor)
    other.bottomLeft = bottomLeft.scaled(by: factor)
    return other
  }

  /// Returns whether at least `count` of the triplet's patterns look like finder patterns of the size and direction implied by
  /// their distances.
  ///
  /// - Parameters:
  ///   - least: the least correlation of a pattern, −1 to 1.
  ///   - view: the octave on which the patterns were seen.
  ///   - factor: the number of pixels of the patterns' picture per pixel of the octave.
  func resembles(_ count: Int, least: Double, _ view: ImageView, factor: Double, inverted: Bool) -> Bool {
    guard let side = sides.first?.side else { return false }
    let (u, v) = (topRight.center - topLeft.center, bottomLeft.center - topLeft.center)
    let patterns = [topLeft, topRight, bottomLeft]
    var found = 0
    for (i, pattern) in patterns.enumerated() {
      // A pattern that is closer to the camera than the others is larger.
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
        // Under a tilt, the sizes of the patterns do not give the right number of modules between them.
        found += 1
      }
      if found >= count { return true }
      if found + patterns.count - 1 - i < count { return false }
    }
    return false
  }

  /// The centres of the patterns: of the corner, then to its right, then below it.
  var centers: [Point2] { [topLeft.center, topRight.center, bottomLeft.center] }

  /// Replaces the patterns by the results of `find`, which looks for their rings again.
  mutating func ring(_ find: (FinderPattern) -> FinderPattern) {
    topLeft = find(topLeft)
    topRight = find(topRight)
    bottomLeft = find(bottomLeft)
  }

  /// The median of the octaves that show the patterns best.
  var octave: Int { [topLeft.octave, topRight.octave, bottomLeft.octave].sorted()[1] }

  /// The size of a module in pixels, at the pattern of median size.
  var module: Double { [topLeft.module, topRight.module, bottomLeft.module].sorted()[1] }

  /// True if the patterns differ in size as on a code seen at an angle.
  var isTilted: Bool {
    let sizes = [topLeft, topRight, bottomLeft].flatMap { [$0.moduleX, $0.moduleY] }
    return (sizes.max() ?? 1) > 1.25 * (sizes.min() ?? 1)
  }

  /// Returns the distance of two patterns in modules, from their sizes along the line between them.
  static func modules(_ a: FinderPattern, _ b: FinderPattern) -> Double {
    let d = b.center - a.center
    let length = d.length
    // The horizontal and vertical extents of a rotated square overstate its module by |cos|+|sin| of the rotation, which is
    // smallest along the axes. The extent along the line corrects this if the pattern is a square.
    let x = abs(d.x) / length
    let y = abs(d.y) / length
    let stretch = max(x, y)
    let module = (a.moduleX + a.moduleY + b.moduleX + b.moduleY) / 4
    return length / (module * stretch)
  }

  /// The layouts whose sides fit the measured distances, the most likely first.
  var sides: [QRLayout] {
    let measured = (Self.modules(topLeft, topRight) + Self.modules(topLeft, bottomLeft)) / 2 + 7
    guard let first = QRLayout(nearestSide: measured) else { return [] }
    let up = QRLayout(version: first.version + 1)
    let down = QRLayout(version: first.version - 1)
    let rest = measured > Double(first.side) ? [up, down] : [down, up]
    return [first] + rest.compactMap { $0 }
  }
}

// MARK: - Corners

/// The corners of two or three finder patterns of a code: eight or twelve points.
struct TripletCorners {
  /// The corner of the code in which a pattern is: (0, 0) for top left, (1, 0) for top right, (0, 1) for bottom left.
  typealias Place = Point2

  private let seen: [(place: Place, corners: [Point2])]

  /// Creates the corners of a triplet; `nil` if one of the three rings was not found.
  init?(_ triplet: QRTriplet) {
    self.init(
      [([0, 0], triplet.topLeft), ([1, 0], triplet.topRight), ([0, 1], triplet.bottomLeft)],
      towards: triplet.topRight.center - triplet.topLeft.center, triplet.bottomLeft.center - triplet.topLeft.center)
  }

  init?(_ patterns: [(place: Place, pattern: FinderPattern)], towards u: Point2, _ v: Point2) {
    var seen: [(place: Place, corners: [Point2])] = []
    for (place, pattern) in patterns {
      guard let found = pattern.ring?.corners(towards: u, v) else { return nil }
      seen.append((place, found))
    }
    self.seen = seen
  }

  /// The mean area of the patterns, in pixels.
  var area: Double {
    let areas = seen.map { abs(Quadrilateral(corners: $0.corners).signedArea) }
    return areas.reduce(0, +) / Double(max(1, areas.count))
  }

  /// Returns the map from the modules of a layout that fits the seen corners, and its mean error in pixels; `nil` if the corners do
  /// not determine a map.
  ///
  /// - Parameter extra: one more point, with the weight of all corners of a pattern together.
  func map(_ layout: QRLayout, extra: PointPair? = nil) -> (map: Homography, error: Double)? {
    let far = Double(layout.side - 7)
    var pairs: [PointPair] = []
    for (place, corners) in seen {
      let origin = place * far
      for (module, corner) in zip([Point2(0, 0), Point2(7, 0), Point2(7, 7), Point2(0, 7)], corners) {
        pairs.append(PointPair(reference: origin + module, frame: corner))
      }
    }
    if let extra { pairs += [extra, extra, extra, extra] }
    guard let map = Homography.fit(pairs) else { return nil }
    let error = pairs.reduce(0.0) { $0 + map.apply($1.reference).distance(to: $1.frame) } / Double(pairs.count)
    return error.isFinite ? (map, error) : nil
  }

  /// Returns the layouts of up to four versions more or less, the best fit to the corners first. The ratio of the patterns'
  /// distance to their size gives the number of modules between them.
  func layouts(around guess: QRLayout) -> [QRLayout] {
    let around = (-4...4).compactMap { QRLayout(version: guess.version + $0) }
    return around.compactMap { layout in map(layout).map { (layout, $0.error) } }
      .sorted { $0.1 < $1.1 }.map { $0.0 }
  }
}

// MARK: - Pairs

/// Two finder patterns of a code whose third pattern is torn off, painted over or hidden by glare.
struct QRPair {
  let first: FinderPattern
  let second: FinderPattern

  /// One possible position of two patterns in a code.
  struct Basis {
    var corners: TripletCorners
    /// True if one pattern is above the other in the frame of the code, false if they are side by side; `nil` on the diagonal.
    var isVertical: Bool?
    var layouts: [QRLayout]
  }

  /// Returns at most `limit` likely pairs of patterns with isolated rings, pairs of equal size and small distance first.
  static func candidates(among patterns: [FinderPattern], limit: Int) -> [QRPair] {
    let closed = Array(patterns.filter { $0.ring != nil && $0.rings >= 13 }.prefix(60))
    var all: [(pair: QRPair, cost: Double)] = []
    for (i, a) in closed.enumerated() {
      for b in closed[..<i] {
        let ratio = max(a.module / b.module, b.module / a.module)
        let modules = a.center.distance(to: b.center) / max(a.module, b.module)
        // The distance between the centres is 14 modules along a side of the smallest code, and 82 along the diagonal of a code
        // with 65 modules; the bounds leave a margin.
        if ratio < 1.5, modules > 11, modules < 90 { all.append((QRPair(first: a, second: b), ratio + modules / 200)) }
      }
    }
    return all.sorted { $0.cost < $1.cost }.prefix(limit).map(\.pair)
  }

  /// The possible positions of the two: side by side if their edges are parallel to the line between them, otherwise on the
  /// diagonal.
  var frames: [Basis] {
    let d = second.center - first.center
    let turned = Point2(-d.y, d.x)
    let beside = [
      frame([0, 0], [1, 0], towards: d, turned, isVertical: false),
      frame([1, 0], [0, 0], towards: -d, -turned, isVertical: false),
      frame([0, 0], [0, 1], towards: -turned, d, isVertical: true),
      frame([0, 1], [0, 0], towards: turned, -d, isVertical: true),
    ].compactMap(\.self)
    let u = (-d - turned) / 2
    let v = (d - turned) / 2
    let across = [
      frame([1, 0], [0, 1], towards: u, v, isVertical: nil), frame([0, 1], [1, 0], towards: -u, -v, isVertical: nil),
    ].compactMap(\.self)
    // In a frame along its edges a square has its full area, in a frame along its diagonals half of it.
    let area = { (frames: [Basis]) in frames.map(\.corners.area).max() ?? 0 }
    return area(beside) >= area(across) ? beside : across
  }

  private func frame(
    _ place: Point2, _ other: Point2, towards u: Point2, _ v: Point2, isVertical: Bool?
  ) -> Basis? {
    guard let corners = TripletCorners([(place, first), (other, second)], towards: u, v) else { return nil }
    let module = corners.area.squareRoot() / 7
    guard module > 0 else { return nil }
    let distance = first.center.distance(to: second.center) / module
    let side = (isVertical == nil ? distance / 2.0.squareRoot() : distance) + 7
    guard let nearest = QRLayout(nearestSide: side) else { return nil }
    let others = [QRLayout(version: nearest.version + 1), QRLayout(version: nearest.version - 1)].compactMap(\.self)
    return Basis(corners: corners, isVertical: isVertical, layouts: [nearest] + others)
  }
}
