package import WaymarkImage

// The places of counted codes on charts, and the codes in a view, which are aligned with the places.

/// The symbology and the text of a code, which are the same for all its copies.
package struct CodeContent: Hashable, Sendable {
  /// The symbology's name, such as `ean13`.
  package var symbology: String
  package var text: String

  package init(symbology: String, text: String) {
    self.symbology = symbology
    self.text = text
  }
}

/// A code in a view.
package struct ObservedCode: Hashable, Sendable {
  package var content: CodeContent
  /// Its corners in pixels of the view, clockwise from the upright code's top left.
  package var quad: Quadrilateral
  /// The number of the code while it is followed from view to view, never used again once the code is lost; nil if the code was
  /// only read.
  package var number: Int?
  /// True for a matrix code, whose corners are exact. The ends of a linear code are often inexact.
  package var isMatrix: Bool

  package init(content: CodeContent, quad: Quadrilateral, number: Int? = nil, isMatrix: Bool = false) {
    self.content = content
    self.quad = quad
    self.number = number
    self.isMatrix = isMatrix
  }
}

/// The places of a `CodeCounter` on its charts, and the alignment of a view with a chart by the contents of its codes.
struct CodePlaces: Sendable {
  /// The place of one copy of a code.
  struct Place {
    let content: CodeContent
    var chart: Int
    /// Its corners in pixels of the chart.
    var quad: Quadrilateral
    var sightings = 0
    /// The number of sightings from which the place is counted.
    let needed: Int
    /// The index, from 0, of the first view that showed the place.
    let firstView: Int

    var counts: Bool { sightings >= needed }
  }

  /// A code of a view, and the index of its place.
  typealias Pair = (code: ObservedCode, place: Int)

  /// The position of a view on a chart.
  struct Alignment {
    /// Maps pixels of the view to pixels of the chart.
    var map: Homography
    var pairs: [Pair]
    /// The distance of a code from its expected place, in pixels of the chart; 0 without an expected place.
    var shift: Double
  }

  /// The largest distance between the centres of a code and its place, in units of the larger `Quadrilateral.size`. It is large
  /// because half of a linear code is often read as the whole. Copies side by side are usually about two sizes apart.
  private static let tolerance = 0.8
  /// The largest number of places tried for one code, nearest first, and for one alignment, rarest contents first. Trying more
  /// would take longer without better results.
  private static let candidates = 24
  private static let trials = 64
  /// The value of `Place.chart` for places that were merged into others.
  private static let nowhere = -2

  private let maximumPlaces: Int
  private let maximumContents: Int
  /// The places in the order in which they were added; a place keeps its index.
  private(set) var all: [Place] = []
  private var contents: Set<CodeContent> = []
  /// True if a place was refused because a limit was reached.
  private(set) var isFull = false

  init(maximumPlaces: Int, maximumContents: Int) {
    self.maximumPlaces = maximumPlaces
    self.maximumContents = maximumContents
  }

  subscript(place: Int) -> Place { all[place] }

  /// Adds a place.
  ///
  /// - Parameters:
  ///   - needed: the number of sightings from which the place is counted.
  ///   - view: the index from 0 of the current view.
  /// - Returns: the index of the place; nil if a limit is reached.
  mutating func add(_ content: CodeContent, _ quad: Quadrilateral, on chart: Int, needed: Int, view: Int) -> Int? {
    guard all.count < maximumPlaces, contents.contains(content) || contents.count < maximumContents else {
      isFull = true
      return nil
    }
    contents.insert(content)
    all.append(Place(content: content, chart: chart, quad: quad, needed: needed, firstView: view))
    return all.count - 1
  }

  /// Counts a sighting of a place, and moves its outline towards `quad`.
  mutating func sight(_ place: Int, at quad: Quadrilateral) {
    // A smaller outline may be half of a linear code, and does not show the position of the whole code.
    if quad.size > 0.85 * all[place].quad.size {
      let weight = 1 / Double(min(all[place].sightings, 8) + 1)
      all[place].quad = all[place].quad.moved(towards: quad, by: weight)
    }
    all[place].sightings += 1
  }

  /// Merges a chart into another chart.
  ///
  /// - Parameter map: maps pixels of `other` to pixels of `chart`.
  /// - Returns: for each place that was merged into another place, its index and the index of the other place.
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

  /// Returns whether the first place of an alignment has no copy within a distance, in pixels of the view.
  func isAlone(_ alignment: Alignment, within distance: Double) -> Bool {
    let index = alignment.pairs[0].place
    let place = all[index]
    let scale = Point2(alignment.map.row0.x, alignment.map.row1.x).length
    return !all.indices.contains {
      $0 != index && all[$0].chart == place.chart && all[$0].content == place.content
        && all[$0].quad.center.distance(to: place.quad.center) <= distance * scale
    }
  }

  /// Finds the map that brings the most codes of a view to places with their content on a chart. Of equally good maps, returns the
  /// map nearest to the expected map.
  ///
  /// Every code proposes maps by its content, and the map that agrees with most codes is refined by least squares (M. Fischler, R.
  /// Bolles, "Random sample consensus", 1981).
  ///
  /// - Parameter expected: the probable map; nil if unknown. Two contents must then agree, because a single content may have copies
  ///   anywhere.
  func align(_ seen: [ObservedCode], on chart: Int, expected: Homography?) -> Alignment? {
    let known = index(of: chart)
    let wanted = seen.filter { known[$0.content] != nil }
    guard expected != nil || Set(wanted.lazy.map(\.content)).count > 1 else { return nil }
    var best: Alignment?
    var left = Self.trials
    // The index makes the order of equally rare contents definite.
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
    if let refined = refined(best.pairs, expected: expected) {
      let pairs = pairs(seen, known, refined)
      if pairs.count >= best.pairs.count { (best.map, best.pairs) = (refined, pairs) }
    }
    return best
  }

  /// Fits the map to pairs by least squares over their corners: a similarity after the expected map, whose perspective is kept, or
  /// a homography if it fits at least four codes clearly better. Followed codes are aligned only by similarities. Nil if the
  /// corners determine no similarity.
  private func refined(_ pairs: [Pair], expected: Homography?) -> Homography? {
    let corners = pairs.map { ($0.code.quad, all[$0.place].quad) }
    let base = expected ?? .identity
    guard let step = Homography(similarityOver: corners.map { (base.apply($0), $1) }) else { return nil }
    let similar = step * base
    guard pairs.count >= 4, pairs.allSatisfy({ $0.code.number == nil }),
      let full = PointPair.corners(of: corners).withUnsafeBufferPointer({ Homography.fit($0) }),
      full.isFinite, full.inverse != nil, corners.allSatisfy({ full.depth($0.0.center) > 0 }),
      Self.squaredDeviation(full, corners) < 0.49 * Self.squaredDeviation(similar, corners)
    else { return similar }
    return full
  }

  /// The codes and places that a map brings together.
  private func pairs(_ seen: [ObservedCode], _ known: [CodeContent: [Int]], _ map: Homography) -> [Pair] {
    var used: Set<Int> = []
    var pairs: [Pair] = []
    for code in seen {
      guard let options = known[code.content],
        let place = nearest(options.lazy.filter { !used.contains($0) }, to: map.apply(code.quad))
      else { continue }
      used.insert(place)
      pairs.append((code, place))
    }
    return pairs
  }

  /// The indices of a chart's places, by content.
  func index(of chart: Int) -> [CodeContent: [Int]] {
    Dictionary(grouping: all.indices.lazy.filter { all[$0].chart == chart }) { all[$0].content }
  }

  /// Returns the index of the nearest of some places with the same content; nil if all are farther than `tolerance`.
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

  /// The distance between a point's positions under two maps, in pixels of the view.
  static func shift(_ map: Homography, _ expected: Homography, at point: Point2) -> Double {
    expected.inverse.map { $0.apply(map.apply(point)).distance(to: point) } ?? .infinity
  }

  /// Fits the similarity between corners. If there are three or more pairs, pairs that contradict the majority are left out. Nil if
  /// the corners determine no similarity.
  static func fit(_ pairs: [(Quadrilateral, Quadrilateral)]) -> Homography? {
    guard let map = Homography(similarityOver: pairs), pairs.count >= 3 else {
      return Homography(similarityOver: pairs)
    }
    let good = pairs.filter { isNear(map, $0, $1, 0.25) }
    return 2 * good.count > pairs.count ? Homography(similarityOver: good) : map
  }

  /// The sum of the squared distances of the corners, in units of the sizes of their places.
  private static func squaredDeviation(_ map: Homography, _ pairs: [(Quadrilateral, Quadrilateral)]) -> Double {
    pairs.reduce(0) { sum, pair in
      zip(map.apply(pair.0).corners, pair.1.corners).reduce(sum) { sum, corner in
        let distance = corner.0.distance(to: corner.1) / pair.1.size
        return sum + distance * distance
      }
    }
  }
}

extension PointPair {
  /// The pairs of corresponding corners of quadrilaterals.
  fileprivate static func corners(of pairs: [(Quadrilateral, Quadrilateral)]) -> [PointPair] {
    pairs.flatMap { from, to in zip(from.corners, to.corners).map { PointPair(reference: $0, frame: $1) } }
  }
}

extension Homography {
  /// Fits the similarity with the least squared distance between corners; `nil` if they do not determine one.
  fileprivate init?(similarityOver pairs: [(Quadrilateral, Quadrilateral)]) {
    self.init(similarityOver: PointPair.corners(of: pairs))
  }
}

extension Quadrilateral {
  /// Half the mean length of the diagonals, which is also positive for a quadrilateral that has collapsed to a line.
  var size: Double { max(1e-9, ((bottomRight - topLeft).length + (bottomLeft - topRight).length) / 4) }

  /// Interpolates the corners linearly.
  func moved(towards other: Self, by weight: Double) -> Self {
    func mean(_ a: Point2, _ b: Point2) -> Point2 { a + (b - a) * weight }
    return Self(
      topLeft: mean(topLeft, other.topLeft), topRight: mean(topRight, other.topRight),
      bottomRight: mean(bottomRight, other.bottomRight), bottomLeft: mean(bottomLeft, other.bottomLeft))
  }
}
