import WaymarkImage

/// The corners of two or three finder patterns of a code: eight or twelve points.
struct TripletCorners {
  /// Which corner of the code a pattern stands in, as multiples of the far end: (0, 0), (1, 0) or (0, 1).
  typealias Place = Point2

  private let seen: [(place: Place, corners: [Point2])]

  /// - Returns: `nil` where a ring of the three was not found.
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

  /// The map from the modules of a layout that takes the corners where they were seen, and how far off it is on average,
  /// in pixels.
  func map(_ layout: QRLayout) -> (map: Homography, error: Double)? { map(layout, extra: nil) }

  /// The same with one more point, which counts as much as all the corners of a pattern.
  func map(_ layout: QRLayout, extra: PointPair?) -> (map: Homography, error: Double)? {
    let far = Double(layout.side - 7)
    var pairs: [PointPair] = []
    for (place, corners) in seen {
      let origin = place * far
      for (module, corner) in zip([Point2(0, 0), Point2(7, 0), Point2(7, 7), Point2(0, 7)], corners) {
        pairs.append(PointPair(reference: origin + module, frame: corner))
      }
    }
    if let extra { pairs += [extra, extra, extra, extra] }
    return pairs.withUnsafeBufferPointer { pairs in
      guard let map = Homography.fit(pairs) else { return nil }
      let error = pairs.reduce(0.0) { $0 + map.apply($1.reference).distance(to: $1.frame) } / Double(pairs.count)
      guard error.isFinite else { return nil }
      return (map: map, error: error)
    }
  }

  /// Layouts by how well the corners fit them: the sizes of the patterns in relation to their distance tell how many
  /// modules lie between.
  func layouts(around guess: QRLayout) -> [QRLayout] {
    let around = (-4...4).compactMap { QRLayout(version: guess.version + $0) }
    return around.compactMap { layout in map(layout).map { (layout, $0.error) } }
      .sorted { $0.1 < $1.1 }.map { $0.0 }
  }
}
