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
  private(set) var marks: [Mark]

  /// Looks at the patterns of a picture, each on the octave on which it was seen best.
  init?(_ field: FinderField, _ octaves: Octaves) {
    var best: [Mark] = []
    for polarity in 0..<2 {
      let clear = field.found[polarity].sorted { $0.rings > $1.rings }
      let marks = clear.prefix(48).compactMap { Self.mark($0, octaves, inverted: polarity == 1) }
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
    marks = best
  }

  /// The same in a picture of `factor` times the size.
  func scaled(by factor: Double) -> FinderTrace {
    var other = self
    other.marks = marks.map { mark in
      var mark = mark
      mark.center = (mark.center + 0.5) * factor - 0.5
      mark.module *= factor
      return mark
    }
    return other
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

  private static func mark(_ pattern: FinderPattern, _ octaves: Octaves, inverted: Bool) -> Mark? {
    let octave = octaves[min(pattern.octave, octaves.count - 1)]
    let p = pattern.scaled(by: 1 / octave.factor)
    guard p.rings >= 13, Double(p.hits) >= p.moduleY, p.module >= 1.2 else { return nil }
    var best = 0.0
    var contrast = 0.0
    // A square is the same after a quarter turn; 15° is as near as a pattern of seven modules can tell.
    for (cosine, sine) in turns {
      // The extents along rows and columns are those of a turned square.
      let shrink = max(abs(cosine), abs(sine))
      let width: Double = p.moduleX * shrink
      let height: Double = p.moduleY * shrink
      let u = Point2(cosine, sine) * width
      let v = Point2(-sine, cosine) * height
      let seen = FinderShape.likeness(octave.view, p.center, u, v)
      let likeness = inverted ? -seen.correlation : seen.correlation
      if likeness > best { (best, contrast) = (likeness, abs(seen.contrast)) }
    }
    guard best >= 0.6, contrast >= 12 else { return nil }
    return Mark(center: pattern.center, module: pattern.module, likeness: best, inverted: inverted)
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
