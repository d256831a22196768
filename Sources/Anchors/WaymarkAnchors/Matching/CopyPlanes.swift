import WaymarkImage

/// The planes on which copies of one anchor were found.
///
/// Things of one kind that stand side by side are one picture moved along a plane, so that the map of one, moved on its plane, is the map
/// of the next: its size and its perspective are known, and only the place is not.
struct CopyPlanes {
  private struct Plane {
    var map: Homography
    var back: Homography
    var center: Point2
  }
  private var planes: [Plane] = []

  var isEmpty: Bool { planes.isEmpty }

  /// Takes a copy; `outline`: its own.
  mutating func add(_ map: Homography, _ outline: Quadrilateral) {
    guard let back = map.inverse else { return }
    planes.append(Plane(map: map, back: back, center: outline.center))
  }

  /// The point of the nearest copy's plane that is seen at a place of the frame, and the map of that copy.
  func point(at place: SIMD2<Float>) -> (map: Homography, point: Point2)? {
    let q = Point2(Double(place.x), Double(place.y))
    guard let nearest = planes.min(by: { $0.center.distance(to: q) < $1.center.distance(to: q) }),
      nearest.back.depth(q) > 0
    else { return nil }
    let p = nearest.back.apply(q)
    return nearest.map.depth(p) > 0 ? (nearest.map, p) : nil
  }

  /// The map of a copy that shows a point of the reference at a place of the frame.
  func map(from reference: SIMD2<Float>, to place: SIMD2<Float>) -> Homography? {
    point(at: place).map { map, p in
      map * Homography.translation(p - Point2(Double(reference.x), Double(reference.y)))
    }
  }
}
