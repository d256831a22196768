import WaymarkImage

/// The places of a picture that read symbols explain: no other code lies there, so no family looks there again.
struct ExplainedPlaces {
  /// The outlines of the symbols, with a part of their quiet zones, in pixels of the picture.
  private let outlines: [Quadrilateral]

  /// - Parameter symbols: the corners of what was read.
  init(_ symbols: [Quadrilateral]) { outlines = symbols.map(Self.grown) }

  var isEmpty: Bool { outlines.isEmpty }

  /// Returns whether a point lies in one of them.
  func contains(_ point: Point2) -> Bool { outlines.contains { $0.contains(point) } }

  /// Returns whether symbols lie along nearly all of a region of bars.
  func contains(_ region: BarRegion) -> Bool {
    let places = (-4...4).map { region.center + region.direction * (Double($0) / 9 * region.length) }
    return places.count(where: contains) >= 8
  }

  /// A copy of a picture in which each of the places has one tone, that of its rim.
  ///
  /// - Parameter factor: pixels of the outlines to one of the picture.
  func covered(_ view: ImageView, factor: Double) -> GrayImage {
    GrayImage(width: view.width, height: view.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      for y in 0..<view.height { (target + y * view.width).update(from: view.row(y), count: view.width) }
      for outline in outlines {
        let place = outline.scaled(by: 1 / factor)
        let tone = Self.rim(place, view)
        let bounds = place.bounds
        let (top, bottom) = (max(0, bounds.min.y.rounded(.up)), min(Double(view.height - 1), bounds.max.y))
        guard top <= bottom else { continue }
        for y in Int(top)...Int(bottom) {
          guard let span = Self.span(place, Double(y)) else { continue }
          let (left, right) = (max(0, span.lowerBound), min(Double(view.width - 1), span.upperBound))
          guard left <= right else { continue }
          let (first, last) = (Int(left.rounded(.up)), Int(right))
          if first <= last { (target + y * view.width + first).update(repeating: tone, count: last - first + 1) }
        }
      }
    }
  }

  /// The outline with every side moved out by a twentieth of the shorter ones and two pixels: a module of a small symbol, and less than
  /// the quiet zone of every other.
  private static func grown(_ outline: Quadrilateral) -> Quadrilateral {
    let c = outline.corners
    let sides = (0..<4).map { c[($0 + 1) % 4] - c[$0] }
    let by = 2 + 0.05 * (sides.map(\.length).min() ?? 0)
    func moved(_ i: Int) -> Point2 {
      let (before, after) = (sides[(i + 3) % 4], sides[i])
      return c[i] + before / max(before.length, 1) * by - after / max(after.length, 1) * by
    }
    return Quadrilateral(topLeft: moved(0), topRight: moved(1), bottomRight: moved(2), bottomLeft: moved(3))
  }

  /// The median tone along the sides of an outline.
  private static func rim(_ outline: Quadrilateral, _ view: ImageView) -> UInt8 {
    let c = outline.corners
    var tones: [UInt8] = []
    for i in 0..<4 {
      for step in 0..<16 {
        let p = c[i] + (c[(i + 1) % 4] - c[i]) * (Double(step) / 16)
        guard p.x >= 0, p.y >= 0, p.x < Double(view.width), p.y < Double(view.height) else { continue }
        tones.append(view[Int(p.x), Int(p.y)])
      }
    }
    return tones.isEmpty ? 255 : tones.sorted()[tones.count / 2]
  }

  /// Where a row crosses an outline.
  private static func span(_ outline: Quadrilateral, _ y: Double) -> ClosedRange<Double>? {
    let c = outline.corners
    var crossings: [Double] = []
    for i in 0..<4 {
      let (a, b) = (c[i], c[(i + 1) % 4])
      guard a.y != b.y, (a.y <= y) != (b.y <= y) else { continue }
      crossings.append(a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y))
    }
    guard let left = crossings.min(), let right = crossings.max() else { return nil }
    return left...right
  }
}
