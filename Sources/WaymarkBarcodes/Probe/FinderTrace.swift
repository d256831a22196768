import WaymarkGeometry
import WaymarkImage

/// Finder patterns that stand out so clearly that only a QR code can have them, wherever they are: the reason to try
/// everything, and to say that a code is there when nothing helps.
///
/// One pattern of five by nine modules that are as they should be does not come about by chance; two of the same size
/// may each be less clear.
struct FinderTrace {
  /// One pattern, in pixels of the picture.
  struct Mark {
    var center: Point2
    var module: Double
    /// −1 to 1.
    var likeness: Double
    var inverted: Bool
  }

  /// The marks of one size and polarity, the clearest first.
  let marks: [Mark]

  /// Looks at patterns that were found in a picture of which `scale` pixels make one of the source.
  init?(_ search: FinderSearch, in view: ImageView, scale: Double) {
    var best: [Mark] = []
    for polarity in 0..<2 {
      let marks = search.found[polarity].prefix(28).compactMap { Self.mark($0, view, inverted: polarity == 1) }
        .sorted { $0.likeness > $1.likeness }
      guard let first = marks.first else { continue }
      let group = marks.filter { Self.belong($0, first) }
      if group.count > 1 || first.likeness >= 0.75 {
        if (best.first?.likeness ?? 0) < first.likeness { best = Array(group.prefix(3)) }
      } else if let pair = Self.pair(marks), best.isEmpty {
        best = pair
      }
    }
    guard !best.isEmpty else { return nil }
    marks = best.map { mark in
      var mark = mark
      mark.center = mark.center / scale + Point2(0.5, 0.5) * (1 / scale - 1)
      mark.module /= scale
      return mark
    }
  }

  /// Two that belong together, though another one is clearer.
  private static func pair(_ marks: [Mark]) -> [Mark]? {
    for (i, a) in marks.enumerated() {
      for b in marks[..<i] where belong(a, b) && a.center != b.center { return [b, a] }
    }
    return nil
  }

  /// Of about the same size, and as far apart as the patterns of one code.
  private static func belong(_ a: Mark, _ b: Mark) -> Bool {
    let ratio = a.module / b.module
    let distance = a.center.distance(to: b.center) / b.module
    return distance == 0 || ratio > 0.7 && ratio < 1.43 && distance > 12 && distance < 240
  }

  private static func mark(_ p: FinderPattern, _ view: ImageView, inverted: Bool) -> Mark? {
    guard p.rings >= 13, Double(p.hits) >= p.moduleY, p.module >= 1.2 else { return nil }
    var best = 0.0
    var contrast = 0.0
    // A square is the same after a quarter turn; 15° is as near as a pattern of seven modules can tell.
    for (cosine, sine) in turns {
      // The extents along rows and columns are those of a turned square.
      let shrink = max(abs(cosine), abs(sine))
      let u = Point2(cosine, sine) * (p.moduleX * shrink)
      let v = Point2(-sine, cosine) * (p.moduleY * shrink)
      let seen = FinderShape.likeness(view, p.center, u, v)
      let likeness = inverted ? -seen.correlation : seen.correlation
      if likeness > best { (best, contrast) = (likeness, abs(seen.contrast)) }
    }
    guard best >= 0.6, contrast >= 12 else { return nil }
    return Mark(center: p.center, module: p.module, likeness: best, inverted: inverted)
  }

  private static let turns: [(Double, Double)] = [
    (1, 0), (0.9659, 0.2588), (0.866, 0.5), (0.7071, 0.7071), (0.5, 0.866), (0.2588, 0.9659),
  ]

  /// The square that the marks span: a code's diagonal or side, or one pattern alone.
  var corners: Quadrilateral {
    let reach = 3.5 * (marks.map(\.module).max() ?? 1)
    let points = marks.flatMap { [$0.center - Point2(reach, reach), $0.center + Point2(reach, reach)] }
    return Quadrilateral(enclosing: points)
  }
}
