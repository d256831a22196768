import WaymarkImage

/// The alignment of a view with a chart: the map of pixels to places, and which codes of the view are which places.
///
/// The codes themselves are the features: each knows by its content which places it may be, so that an alignment is a
/// consensus among the few that agree (M. Fischler, R. Bolles, "Random sample consensus", 1981), refined by least squares.
struct ViewAlignment {
  /// From pixels of the view to the chart.
  var map: Homography
  /// Codes of the view with their places, by index.
  var pairs: [(code: Int, place: Int)]
  /// How many contents are among them.
  var contents: Int
  /// The root of the mean squared distance of the corners, in sizes of their codes.
  var deviation: Double

  /// How far a code may lie from its place, in sizes of the code; copies lie two sizes apart at least, side by side.
  static let tolerance = 0.8
  /// Codes of which alignments are tried, the rarest first: more make it no better, only slower.
  private static let trials = 10
  /// Places that are tried for one code, the nearest first.
  private static let candidates = 24

  /// Finds it.
  ///
  /// - Parameters:
  ///   - expected: the map that the last views make likely; nil where nothing is known.
  ///   - reach: how far from there it may be, in pixels of the view.
  /// - Returns: nil where no code agrees with any place.
  init?(of codes: [ObservedCode], on places: [CountedCode], expected: Homography?, reach: Double) {
    let byContent = Dictionary(grouping: places.indices) { places[$0].content }
    let known = codes.indices.filter { byContent[codes[$0].content] != nil }
    guard !known.isEmpty else { return nil }
    let matcher = Matcher(codes: codes, places: places, byContent: byContent)
    let order = known.sorted { (byContent[codes[$0].content]?.count ?? 0) < (byContent[codes[$1].content]?.count ?? 0) }
    var best: (score: (Int, Double), map: Homography, pairs: [(code: Int, place: Int)])?
    search: for code in order.prefix(expected == nil ? Self.trials : Self.trials / 2) {
      let middle = codes[code].quad.center
      let from = expected?.apply(middle)
      var options = byContent[codes[code].content] ?? []
      if let from {
        options.sort { places[$0].quad.center.distance(to: from) < places[$1].quad.center.distance(to: from) }
      }
      for place in options.prefix(expected == nil ? Self.candidates : Self.candidates / 4) {
        for map in Self.maps(codes[code].quad, places[place].quad, expected: expected) {
          let pairs = matcher.pairs(under: map)
          guard !pairs.isEmpty else { continue }
          // Among equals the smallest movement: copies at equal distances look alike after every step.
          let shift = expected.map { Self.shift(map, $0, at: middle) } ?? 0
          let score = (pairs.count, -shift)
          if let best, best.score >= score { continue }
          best = (score, map, pairs)
          if pairs.count == known.count, expected != nil, shift < codes[code].quad.size { break search }
        }
      }
    }
    guard let best, let found = matcher.refined(best.map, best.pairs, expected: expected) else { return nil }
    self = found
    guard let expected, contents == 1 else { return }
    // Copies of one content are told apart by where they are expected alone.
    let middle = codes[pairs[0].code].quad.center
    guard Self.shift(map, expected, at: middle) <= reach else { return nil }
  }

  /// A map that nothing in the view speaks for or against.
  init(assumed map: Homography) { self.init(map: map, pairs: [], contents: 0, deviation: 0) }

  private init(map: Homography, pairs: [(code: Int, place: Int)], contents: Int, deviation: Double) {
    self.map = map
    self.pairs = pairs
    self.contents = contents
    self.deviation = deviation
  }

  /// How far two maps take a point from each other, in pixels of the view.
  private static func shift(_ map: Homography, _ expected: Homography, at point: Point2) -> Double {
    guard let back = expected.inverse?.apply(map.apply(point)) else { return .infinity }
    return back.distance(to: point)
  }

  /// The maps by which one code lies on one place: as expected, moved; and by its own corners, turned and scaled.
  private static func maps(_ code: Quadrilateral, _ place: Quadrilateral, expected: Homography?) -> [Homography] {
    var maps: [Homography] = []
    if let expected {
      let move = place.center - expected.apply(code.center)
      maps.append(Homography(SIMD3(1, 0, move.x), SIMD3(0, 1, move.y), SIMD3(0, 0, 1)) * expected)
    }
    // Along the bars' direction the corners of a linear code are the more certain ones.
    if let own = Homography(
      similarityFrom: (code.topLeft + code.bottomLeft) / 2, (code.topRight + code.bottomRight) / 2,
      to: (place.topLeft + place.bottomLeft) / 2, (place.topRight + place.bottomRight) / 2)
    {
      maps.append(own)
    }
    return maps
  }

  /// Finds the pairs that a map produces, and the map that fits them.
  private struct Matcher {
    let codes: [ObservedCode]
    let places: [CountedCode]
    let byContent: [CodeContent: [Int]]

    func pairs(under map: Homography) -> [(code: Int, place: Int)] {
      var taken: Set<Int> = []
      var pairs: [(code: Int, place: Int)] = []
      for (index, code) in codes.enumerated() {
        guard let options = byContent[code.content] else { continue }
        let point = map.apply(code.quad.center)
        guard point.x.isFinite, point.y.isFinite else { continue }
        let nearest = options.filter { !taken.contains($0) }.min {
          places[$0].quad.center.distance(to: point) < places[$1].quad.center.distance(to: point)
        }
        guard let nearest, places[nearest].quad.center.distance(to: point) <= tolerance * places[nearest].quad.size
        else { continue }
        taken.insert(nearest)
        pairs.append((index, nearest))
      }
      return pairs
    }

    func refined(
      _ start: Homography, _ first: [(code: Int, place: Int)], expected: Homography?
    ) -> ViewAlignment? {
      var (map, pairs) = (start, first)
      for _ in 0..<2 {
        guard let better = fit(pairs, expected: expected) else { break }
        let found = self.pairs(under: better)
        guard found.count >= pairs.count else { break }
        (map, pairs) = (better, found)
      }
      guard map.isFinite, map.inverse != nil else { return nil }
      return ViewAlignment(
        map: map, pairs: pairs, contents: Set(pairs.map { codes[$0.code].content }).count,
        deviation: deviation(map, pairs))
    }

    /// As expected, turned, scaled and moved: few corners already determine that well, and what was known of the tilt is
    /// kept; a homography of its own where many codes say that the tilt is another one.
    private func fit(_ pairs: [(code: Int, place: Int)], expected: Homography?) -> Homography? {
      let points = pairs.flatMap { pair in
        zip(codes[pair.code].quad.corners, places[pair.place].quad.corners).map { PointPair(reference: $0, frame: $1) }
      }
      let base = expected ?? .identity
      let moved = points.map { PointPair(reference: base.apply($0.reference), frame: $0.frame) }
      guard let step = Homography(similarityOver: moved) else { return nil }
      let similar = step * base
      guard pairs.count >= 4, let full = points.withUnsafeBufferPointer({ Homography.fit($0) }),
        codes.allSatisfy({ full.depth($0.quad.center) > 0 }),
        deviation(full, pairs) < 0.7 * deviation(similar, pairs)
      else { return similar }
      return full
    }

    private func deviation(_ map: Homography, _ pairs: [(code: Int, place: Int)]) -> Double {
      var sum = 0.0
      for pair in pairs {
        let place = places[pair.place].quad
        let moved = map.apply(codes[pair.code].quad)
        for (a, b) in zip(moved.corners, place.corners) {
          let distance = a.distance(to: b) / place.size
          sum += distance * distance
        }
      }
      return (sum / Double(4 * max(1, pairs.count))).squareRoot()
    }
  }
}
