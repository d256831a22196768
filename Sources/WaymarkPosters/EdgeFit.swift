import WaymarkGeometry
import WaymarkImage

/// Fits the sides of an outline to the edges of the full photograph, to fractions of a pixel.
///
/// Across each side a hundred profiles are taken. A printed edge is sharp where the shadow of a frame is not, so what counts is the
/// colour's change over two pixels to each side. Of the straight lines through such changes the outermost
/// that goes along most of the side is taken: what is straight further in belongs to the picture.
struct EdgeFit {
  struct Result {
    var outline: Quadrilateral
    /// True if all four sides are seen along most of their length, and none goes on beyond a corner.
    var isClear: Bool
    /// The share of places at which the sides are seen.
    var support: Double
  }

  private let photo: RGBImage
  /// Pixels of the photograph in what counts as one: photographs of more pixels are not sharper.
  private let unit: Double
  private static let places = 100
  /// The side of what a JPEG's colours are coded in, in pixels of the photograph.
  private static let block = 16.0
  /// Changes of less are noise, in logarithms.
  private static let least: Float = 0.025

  init(_ photo: RGBImage, unit: Double) {
    self.photo = photo
    self.unit = max(1, unit / 2.5)
  }

  /// - Parameter rough: right within a hundredth of the photograph's size.
  func fitted(_ rough: Quadrilateral) -> Result? {
    var outline = rough
    var sides: [Side] = []
    var isContested = false
    for reach in [10.0, 5, 3] {
      sides = (0..<4).map { side(outline, $0, reach: reach * unit) }
      isContested = isContested || sides.contains(where: \.isContested)
      guard let next = Self.outline(sides), next.isPlausible() else { return nil }
      outline = next
    }
    let extendsBeyond = (0..<4).contains { self.extendsBeyond(outline, $0) }
    let support = sides.map(\.share).reduce(0, +) / 4
    let isClear = sides.allSatisfy { $0.share >= 0.4 } && !extendsBeyond && !isContested
    return Result(outline: outline, isClear: isClear, support: support)
  }

  private struct Side {
    var from: Point2
    var to: Point2
    /// The share of places at which its edge is seen.
    var share: Double
    /// True if there is a fainter line further out.
    var isContested: Bool
  }

  private static func outline(_ sides: [Side]) -> Quadrilateral? {
    func crossing(_ a: Side, _ b: Side) -> Point2? {
      StraightLine(through: a.from, along: a.to - a.from)
        .crossing(StraightLine(through: b.from, along: b.to - b.from), leastSine: 1e-6)
    }
    guard let tl = crossing(sides[3], sides[0]), let tr = crossing(sides[0], sides[1]),
      let br = crossing(sides[1], sides[2]), let bl = crossing(sides[2], sides[3])
    else { return nil }
    return Quadrilateral(topLeft: tl, topRight: tr, bottomRight: br, bottomLeft: bl)
  }

  // MARK: Profiles

  /// The colour at a place, between pixels by their distance; `nil` beside the photograph.
  private func colour(_ p: Point2) -> LogColour? {
    guard p.x >= 0, p.y >= 0, p.x < Double(photo.width - 1), p.y < Double(photo.height - 1) else { return nil }
    let c = photo.bilinear(p)
    return LogColour(red: c.x, green: c.y, blue: c.z)
  }

  private struct Change {
    /// Along the side, in pixels from its first corner.
    var along: Double
    /// Outwards.
    var out: Double
    var size: Float
    /// How much of it is brightness.
    var brightness: Float
  }

  /// The sharp changes across a line at one place, from outside inwards.
  private func changes(
    _ origin: Point2, _ along: Point2, _ out: Point2, at t: Double, reach: Double
  ) -> [Change] {
    let step = 0.5 * unit
    let count = Int(2 * reach / step) + 1
    let tail = 12
    var profile: [LogColour] = []
    for k in -tail..<(count + tail) {
      let d = reach - Double(k) * step
      var sum = LogColour.zero
      for across in [-1.5, 0, 1.5] {
        guard let c = colour(origin + along * (t + across * unit) + out * d) else { return [] }
        sum += c
      }
      profile.append(sum / 3)
    }
    // The means of four steps to each side.
    var sums = [LogColour.zero]
    for c in profile { sums.append((sums.last ?? .zero) + c) }
    func difference(_ k: Int) -> LogColour {
      let outer = sums[k] - sums[k - 4]
      let inner = sums[k + 4] - sums[k]
      return (inner - outer) / 4
    }
    func jump(_ k: Int) -> Float {
      let d = difference(k)
      // Colours differ less than brightness does, and light does not change them.
      return (d.x * d.x + 2 * d.y * d.y + 2 * d.z * d.z).squareRoot()
    }
    var sizes: [Float] = []
    for k in tail...(tail + count) { sizes.append(jump(k)) }
    var found: [Change] = []
    for k in 1..<(sizes.count - 1) where sizes[k] >= sizes[k - 1] && sizes[k] > sizes[k + 1] {
      let noise = 1.5 / Float(Double.exponential(Double(profile[k + tail].x)))
      guard sizes[k] > max(Self.least, 3 * noise) else { continue }
      // Three pixels further out an edge has not begun, a shadow has.
      guard sizes[k] > 2 * jump(k + tail - 6) else { continue }
      let bend = sizes[k - 1] - 2 * sizes[k] + sizes[k + 1]
      let shift = bend < 0 ? 0.5 * (sizes[k - 1] - sizes[k + 1]) / bend : 0
      // Between profile[k - 1] and profile[k].
      found.append(
        Change(
          along: t, out: reach - (Double(k) + Double(shift) - 0.5) * step, size: sizes[k],
          brightness: abs(difference(k + tail).x)))
    }
    // JPEG codes colours in blocks of 16 pixels, over which a strong edge leaves fainter ones; these have no brightness of their own.
    return found.filter { c in
      c.brightness > Self.least || !found.contains { $0.size > 3 * c.size && abs($0.out - c.out) < Self.block }
    }
  }

  private func frame(_ q: Quadrilateral, _ k: Int) -> (origin: Point2, along: Point2, out: Point2, length: Double) {
    let (a, b) = (q[k], q[k + 1])
    let length = max(a.distance(to: b), 1)
    let along = (b - a) / length
    return (a, along, Point2(along.y, -along.x), length)
  }

  // MARK: Lines

  private func side(_ q: Quadrilateral, _ k: Int, reach: Double) -> Side {
    let f = frame(q, k)
    let profiles = (0..<Self.places).map { i in
      changes(
        f.origin, f.along, f.out, at: f.length * (0.02 + 0.96 * (Double(i) + 0.5) / Double(Self.places)), reach: reach)
    }
    func line(_ a: Double, _ b: Double, _ share: Double, isContested: Bool = false) -> Side {
      Side(
        from: f.origin + f.out * a, to: f.origin + f.along * f.length + f.out * (a + b * f.length), share: share,
        isContested: isContested)
    }
    let all = profiles.flatMap { $0 }
    guard all.count > 10 else { return line(0, 0, 0) }
    var random = RandomSource(seed: UInt64(k + 1))
    let near = 1.0 * unit
    var candidates: [(offset: Double, slope: Double, share: Double, mean: Double)] = []
    for _ in 0..<500 {
      let (a, b) = (all[random.below(all.count)], all[random.below(all.count)])
      guard abs(a.along - b.along) > 0.2 * f.length else { continue }
      let slope = (b.out - a.out) / (b.along - a.along)
      let offset = a.out - slope * a.along
      guard max(abs(offset), abs(offset + slope * f.length)) <= 1.2 * reach else { continue }
      let hits = profiles.count { $0.contains { abs($0.out - offset - slope * $0.along) < near } }
      candidates.append((offset, slope, Double(hits) / Double(Self.places), offset + 0.5 * slope * f.length))
    }
    guard let most = candidates.map(\.share).max(), most > 0.1 else { return line(0, 0, 0) }
    // The outermost that is nearly as much seen as any; of those at one place the one most seen.
    let good = candidates.filter { $0.share >= max(0.6 * most, min(most, 0.4)) }
    let outermost = good.map(\.mean).max() ?? 0
    guard
      let chosen = good.filter({ $0.mean > outermost - 2 * unit }).max(by: { $0.share < $1.share })
    else { return line(0, 0, 0) }
    let isContested = candidates.contains {
      $0.mean > chosen.mean + 3 * unit && $0.share >= 0.2 && abs($0.slope - chosen.slope) * f.length < 2 * unit
    }
    var (offset, slope) = (chosen.offset, chosen.slope)
    for width in [1.5, 1.0, 0.7] {
      var moments = PointMoments()
      for profile in profiles {
        let nearest = profile.min { abs($0.out - offset - slope * $0.along) < abs($1.out - offset - slope * $1.along) }
        guard let nearest else { continue }
        let d = (nearest.out - offset - slope * nearest.along) / (width * unit)
        guard abs(d) < 1 else { continue }
        moments.add(Point2(nearest.along, nearest.out), weight: (1 - d * d) * (1 - d * d))
      }
      guard moments.weight > 0 else { break }
      (offset, slope) = (moments.y(at: 0), (moments.y(at: f.length) - moments.y(at: 0)) / f.length)
    }
    let hits = profiles.count { $0.contains { abs($0.out - offset - slope * $0.along) < near } }
    return line(offset, slope, Double(hits) / Double(Self.places), isContested: isContested)
  }

  /// Returns whether a side's edge goes on straight beyond one of its corners: then the wall does not begin there.
  private func extendsBeyond(_ q: Quadrilateral, _ k: Int) -> Bool {
    let f = frame(q, k)
    for atEnd in [false, true] {
      var (seen, all) = (0, 0)
      for i in 0..<24 {
        let beyond = (0.02 + 0.08 * Double(i) / 24) * f.length + 4 * unit
        let t = atEnd ? f.length + beyond : -beyond
        let p = f.origin + f.along * t
        guard p.x > 8, p.y > 8, p.x < Double(photo.width - 9), p.y < Double(photo.height - 9) else { continue }
        all += 1
        if changes(f.origin, f.along, f.out, at: t, reach: 3 * unit).contains(where: { abs($0.out) < unit }) {
          seen += 1
        }
      }
      if all >= 12, seen * 2 > all { return true }
    }
    return false
  }
}
