import WaymarkImage

/// The places of a `FollowedCounter` on its charts, and how a view lies over one of them by the contents of its codes.
struct FollowedPlaces: Sendable {
  /// A place where a code hangs.
  struct Place {
    let content: CodeContent
    var chart: Int
    var quad: Quadrilateral
    var sightings = 0
    /// Sightings after which it counts.
    let needed: Int

    var counts: Bool { sightings >= needed }
  }

  /// A code of a view, and the place that it is.
  typealias Pair = (code: FollowedSighting, place: Int)

  /// How a view lies on a chart.
  struct Alignment {
    var map: Homography
    var pairs: [Pair]
    /// How far a code lies from where it was expected, in pixels of the chart.
    var shift: Double
  }

  /// How far a code may lie from its place, in sizes of the larger of the two, since half a linear code is often read for the
  /// whole; copies side by side lie two sizes apart at least.
  private static let tolerance = 0.8
  /// Places that are tried for one code, the nearest first, and in one alignment: the rarest contents are tried first, so that more make it
  /// no better, only slower.
  private static let candidates = 24
  private static let trials = 64
  /// Places at most, and different contents: what is seen beyond them is not counted.
  static let maximumPlaces = 1024
  static let maximumContents = 500
  /// The chart of places that turned out to be others.
  private static let nowhere = -2

  /// Every place; a place keeps its index.
  private(set) var all: [Place] = []
  private var contents: Set<CodeContent> = []
  /// True where something was seen for which there is no room.
  private(set) var isFull = false

  subscript(place: Int) -> Place { all[place] }

  /// Adds a place, where there is room for one.
  mutating func add(_ content: CodeContent, _ quad: Quadrilateral, on chart: Int, needed: Int) -> Int? {
    guard all.count < Self.maximumPlaces, contents.contains(content) || contents.count < Self.maximumContents else {
      isFull = true
      return nil
    }
    contents.insert(content)
    all.append(Place(content: content, chart: chart, quad: quad, needed: needed))
    return all.count - 1
  }

  /// Notes that a place was seen again.
  mutating func sight(_ place: Int, at quad: Quadrilateral) {
    // Half a linear code says nothing about the whole.
    if quad.size > 0.85 * all[place].quad.size {
      let weight = 1 / Double(min(all[place].sightings, 8) + 1)
      all[place].quad = all[place].quad.moved(towards: quad, by: weight)
    }
    all[place].sightings += 1
  }

  /// Lays one chart over another.
  ///
  /// - Returns: the places that turned out to be others, with these.
  mutating func merge(_ other: Int, into chart: Int, by map: Homography) -> [Int: Int] {
    var twins: [Int: Int] = [:]
    for place in all.indices where all[place].chart == other {
      let quad = map.apply(all[place].quad)
      let same = all.indices.filter { all[$0].chart == chart && all[$0].content == all[place].content }
      if let twin = nearest(same, to: quad) {
        all[twin].sightings += all[place].sightings
        (all[place].chart, all[place].sightings) = (Self.nowhere, 0)
        twins[place] = twin
      } else {
        (all[place].quad, all[place].chart) = (quad, chart)
      }
    }
    return twins
  }

  func count(on chart: Int) -> Int { all.count { $0.chart == chart } }

  func contentCount(of alignment: Alignment) -> Int {
    Set(alignment.pairs.lazy.map { all[$0.place].content }).count
  }

  /// Returns whether what a view was laid by has no copy within a distance of its place, in pixels of the view.
  func isAlone(_ alignment: Alignment, within distance: Double) -> Bool {
    let index = alignment.pairs[0].place
    let place = all[index]
    let scale = Point2(alignment.map.row0.x, alignment.map.row1.x).length
    return !all.indices.contains {
      $0 != index && all[$0].chart == place.chart && all[$0].content == place.content
        && all[$0].quad.center.distance(to: place.quad.center) <= distance * scale
    }
  }

  /// Finds the map that lays most codes of a view over places of a chart; among equals the one nearest to what is expected. Where nothing is
  /// expected, two contents must agree, for one may hang anywhere.
  func align(_ seen: [FollowedSighting], on chart: Int, expected: Homography?) -> Alignment? {
    let known = index(of: chart)
    let wanted = seen.filter { known[$0.content] != nil }
    guard expected != nil || Set(wanted.lazy.map(\.content)).count > 1 else { return nil }
    var best: Alignment?
    var left = Self.trials
    // Stable: of equally rare ones the first.
    let order = seen.indices.map { (known[seen[$0].content]?.count ?? 0, $0) }.sorted(by: <)
    search: for (_, index) in order where left > 0 {
      let code = seen[index]
      let own = code.quad.center
      let at = expected?.apply(own)
      var options = known[code.content] ?? []
      if let at {
        options.sort { all[$0].quad.center.distance(to: at) < all[$1].quad.center.distance(to: at) }
      }
      for place in options.prefix(min(Self.candidates, left)) {
        left -= 1
        let quad = all[place].quad
        var maps: [Homography] = []
        if let own = Homography(similarityOver: [(code.quad, quad)]) { maps.append(own) }
        if let expected, let at { maps.append(.translation(quad.center - at) * expected) }
        for map in maps {
          let pairs = pairs(seen, known, map)
          let shift: Double = at.map { map.apply(own).distance(to: $0) } ?? 0
          guard !pairs.isEmpty else { continue }
          if let best, (best.pairs.count, -best.shift) >= (pairs.count, -shift) { continue }
          best = Alignment(map: map, pairs: pairs, shift: shift)
          if pairs.count == wanted.count, expected == nil || shift < quad.size { break search }
        }
      }
    }
    guard var best else { return nil }
    guard expected != nil || contentCount(of: best) > 1 else { return nil }
    if let refined = Homography(similarityOver: best.pairs.map { ($0.code.quad, all[$0.place].quad) }) {
      let pairs = pairs(seen, known, refined)
      if pairs.count >= best.pairs.count { (best.map, best.pairs) = (refined, pairs) }
    }
    return best
  }

  /// The codes and places that a map brings together.
  func pairs(_ seen: [FollowedSighting], _ known: [CodeContent: [Int]], _ map: Homography) -> [Pair] {
    var taken: Set<Int> = []
    var pairs: [Pair] = []
    for code in seen {
      guard let options = known[code.content],
        let place = nearest(options.lazy.filter { !taken.contains($0) }, to: map.apply(code.quad))
      else { continue }
      taken.insert(place)
      pairs.append((code, place))
    }
    return pairs
  }

  /// The places of a chart by their content.
  func index(of chart: Int) -> [CodeContent: [Int]] {
    Dictionary(grouping: all.indices.lazy.filter { all[$0].chart == chart }) { all[$0].content }
  }

  /// The nearest of some places of one content, if corners lie on it.
  func nearest(_ options: some Sequence<Int>, to quad: Quadrilateral) -> Int? {
    let (center, own) = (quad.center, quad.size)
    var best: (place: Int, distance: Double)?
    for place in options {
      let distance = center.distance(to: all[place].quad.center) / max(own, all[place].quad.size)
      if distance < best?.distance ?? .infinity { best = (place, distance) }
    }
    return best.flatMap { $0.distance <= Self.tolerance ? $0.place : nil }
  }

  // MARK: Geometry

  static func isNear(
    _ map: Homography, _ quad: Quadrilateral, _ place: Quadrilateral, _ tolerance: Double = tolerance
  ) -> Bool {
    map.apply(quad.center).distance(to: place.center) <= tolerance * max(quad.size, place.size)
  }

  /// How far two maps take a point from each other, in pixels of the view.
  static func shift(_ map: Homography, _ expected: Homography, at point: Point2) -> Double {
    expected.inverse.map { $0.apply(map.apply(point)).distance(to: point) } ?? .infinity
  }

  /// The similarity that takes corners to others, pair by pair; of three pairs on one that speaks against the rest is left out.
  static func fit(_ pairs: [(Quadrilateral, Quadrilateral)]) -> Homography? {
    guard let map = Homography(similarityOver: pairs), pairs.count >= 3 else {
      return Homography(similarityOver: pairs)
    }
    let good = pairs.filter { isNear(map, $0, $1, 0.25) }
    return 2 * good.count > pairs.count ? Homography(similarityOver: good) : map
  }
}

extension Homography {
  /// The similarity that takes corners to others, of least squared distance.
  fileprivate init?(similarityOver pairs: [(Quadrilateral, Quadrilateral)]) {
    self.init(
      similarityOver: pairs.flatMap { from, to in
        zip(from.corners, to.corners).map { PointPair(reference: $0, frame: $1) }
      })
  }
}
