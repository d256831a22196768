import WaymarkImage

/// The position of an anchor implied by a single match: an affine map from reference to frame. `HypothesisSearch` below
/// finds it.
///
/// Both features of a match have a direction and a size, so one match determines the map around itself: the surroundings of the
/// frame's feature are those of the view's feature, rotated by the difference of directions and scaled by the ratio of the levels.
struct Hypothesis {
  var anchor: Int
  var linear: Linear2
  var shift: SIMD2<Float>
  /// The position of the match in the frame.
  var origin: SIMD2<Float>
  /// The sum of the weights of the matches that agree; `count` is their number.
  var support: Float
  var count: Int
  /// The full map, if it is known from a copy in view; the affine map approximates it around the match.
  var predicted: Homography?

  @inline(__always)
  func apply(_ p: SIMD2<Float>) -> SIMD2<Float> { linear.apply(p.x, p.y) + shift }

  var homography: Homography {
    if let predicted { return predicted }
    return Homography(
      SIMD3(Double(linear.a), Double(linear.b), Double(shift.x)),
      SIMD3(Double(linear.c), Double(linear.d), Double(shift.y)), SIMD3(0, 0, 1))
  }
}

/// Finds, for every anchor with matches, the match whose map agrees with most other matches.
///
/// All matches are tried rather than a random sample, because one match is enough for a hypothesis (after the one-point voting of
/// D. Lowe, IJCV 2004, section 7.3, but counting matches that agree instead of bins).
final class HypothesisSearch {
  /// The most matches of an anchor that are compared, the nearest first.
  private static let perAnchor = 160
  /// The most hypotheses, the best supported first.
  private static let kept = 32
  /// If only two or three matches agree, the least distance in the frame, in pixels, from one match to the rest.
  private static let apart: Float = 10

  /// The affine map and positions of a match, prepared for comparison.
  private struct Local {
    var reference: SIMD2<Float>
    var frame: SIMD2<Float>
    var linear: Linear2
    var weight: Float
  }

  private let memory = ScratchMemory()
  private let library: AnchorLibrary
  private let index: LibraryIndex
  /// The number of matches of each anchor, and the index at which they start in `grouped`, or after filling the index at which they
  /// end.
  private let counts: UnsafeMutablePointer<Int32>
  private let heads: UnsafeMutablePointer<Int32>
  private let anchors: Int
  private let grouped: UnsafeMutablePointer<Int32>
  private let locals: UnsafeMutablePointer<Local>
  /// The positions of `locals` in blocks: x and y on the reference, then x and y in the frame.
  private let places: UnsafeMutablePointer<(Block, Block, Block, Block)>
  private let turns: [SIMD2<Float>]
  private(set) var hypotheses: [Hypothesis] = []

  init(library: AnchorLibrary, matches: Int) {
    self.library = library
    index = library.index
    anchors = library.references.count
    counts = memory.allocate(anchors)
    heads = memory.allocate(anchors)
    counts.initialize(repeating: 0, count: anchors)
    heads.initialize(repeating: 0, count: anchors)
    grouped = memory.allocate(matches)
    locals = memory.allocate(Self.perAnchor)
    places = memory.allocate(Self.perAnchor / Block.scalarCount + 1)
    turns = (0..<Feature.directions).map {
      let a = 2 * Double.pi * Double($0) / Double(Feature.directions)
      return SIMD2(Float(Double.cosine(a)), Float(Double.sine(a)))
    }
    hypotheses.reserveCapacity(Self.kept + 1)
  }

  /// Fills `hypotheses` from matches, nearest first; at least `minimum` matches must agree.
  ///
  /// If two or three are enough, they must be at different positions, because a corner found on two levels agrees with itself.
  func run(
    _ matches: UnsafePointer<FeatureMatch>, count: Int, features: UnsafePointer<Feature>, minimum: Int = 4
  ) {
    hypotheses.removeAll(keepingCapacity: true)
    counts.update(repeating: 0, count: anchors)
    for i in 0..<count { counts[Int(matches[i].anchor)] += 1 }
    var sum: Int32 = 0
    for i in 0..<anchors {
      heads[i] = sum
      sum += counts[i]
    }
    for i in 0..<count {
      let a = Int(matches[i].anchor)
      grouped[Int(heads[a])] = Int32(i)
      heads[a] += 1
    }
    for anchor in 0..<anchors {
      if let h = next(of: anchor, matches, features: features, minimum: minimum) { insert(h) }
    }
  }

  /// Returns the best hypothesis of one anchor from the matches that were not removed; `nil` if fewer than `minimum`
  /// agree.
  func next(
    of anchor: Int, _ matches: UnsafePointer<FeatureMatch>, features: UnsafePointer<Feature>, minimum: Int
  ) -> Hypothesis? {
    let n = min(Int(counts[anchor]), Self.perAnchor)
    guard n >= minimum else { return nil }
    let first = Int(heads[anchor] - counts[anchor])
    for k in 0..<n { locals[k] = local(matches[Int(grouped[first + k])], features) }
    return best(anchor, n, minimum)
  }

  /// Returns the best hypothesis of a further copy of an anchor on the planes of the found copies; `nil` if no two
  /// matches agree.
  ///
  /// On a known plane, a match need not determine size and rotation, for which a single corner is imprecise, but only the two
  /// numbers of the position. Matches whose size and rotation do not fit the plane are left out.
  func next(
    of anchor: Int, on planes: CopyPlanes, _ matches: UnsafePointer<FeatureMatch>, features: UnsafePointer<Feature>
  ) -> Hypothesis? {
    let n = min(Int(counts[anchor]), Self.perAnchor)
    guard n >= 2, !planes.isEmpty else { return nil }
    let first = Int(heads[anchor] - counts[anchor])
    var kept = 0
    for k in 0..<n {
      var l = local(matches[Int(grouped[first + k])], features)
      guard let (map, point) = planes.point(at: l.frame) else { continue }
      let d = map.derivative(at: point)
      let linear = Linear2(Float(d.dx.x), Float(d.dy.x), Float(d.dx.y), Float(d.dy.y))
      let determinant = linear.determinant
      guard determinant > 1e-6, Self.alike(linear, l.linear, determinant) else { continue }
      l.linear = linear
      locals[kept] = l
      kept += 1
    }
    guard var top = best(anchor, kept, 2, Self.onPlane) else { return nil }
    top.predicted = planes.map(from: top.linear.inverse(top.origin - top.shift), to: top.origin)
    return top.predicted == nil ? nil : top
  }

  /// Removes the matches of one anchor for which `isSpent` is true; the remaining matches keep their order.
  private func strike(
    of anchor: Int, _ matches: UnsafePointer<FeatureMatch>, features: UnsafePointer<Feature>, _ isSpent: (Local) -> Bool
  ) {
    let first = Int(heads[anchor] - counts[anchor])
    var kept = first
    for k in first..<Int(heads[anchor]) where !isSpent(local(matches[Int(grouped[k])], features)) {
      grouped[kept] = grouped[k]
      kept += 1
    }
    counts[anchor] = Int32(kept - first)
    heads[anchor] = Int32(kept)
  }

  /// Removes the matches of an anchor inside an outline in the frame.
  func strike(
    of anchor: Int, in outline: Quadrilateral, _ matches: UnsafePointer<FeatureMatch>, features: UnsafePointer<Feature>
  ) {
    strike(of: anchor, matches, features: features) {
      outline.contains(Point2(Double($0.frame.x), Double($0.frame.y)))
    }
  }

  /// Removes the matches that agree with a hypothesis, and the match from which it was made.
  func strike(
    supporting h: Hypothesis, _ matches: UnsafePointer<FeatureMatch>, features: UnsafePointer<Feature>
  ) {
    strike(of: h.anchor, matches, features: features) { $0.frame == h.origin || supports($0, h) }
  }

  private func insert(_ h: Hypothesis) {
    var i = hypotheses.count
    while i > 0, hypotheses[i - 1].support < h.support { i -= 1 }
    guard i < Self.kept else { return }
    hypotheses.insert(h, at: i)
    if hypotheses.count > Self.kept { hypotheses.removeLast() }
  }

  private func local(_ match: FeatureMatch, _ features: UnsafePointer<Feature>) -> Local {
    let f = features[Int(match.query)]
    let r = index.features[Int(match.place)]
    let turn = turns[(Int(f.direction) - Int(r.direction)) & (Feature.directions - 1)]
    let l = ViewCatalog.linears[Int(r.view)]
    let (c, s) = (f.scale * turn.x, f.scale * turn.y)
    return Local(
      reference: r.position, frame: SIMD2(f.x, f.y),
      linear: Linear2(c * l.a - s * l.c, c * l.b - s * l.d, s * l.a + c * l.c, s * l.b + c * l.d),
      weight: max(0.1, (78 - Float(match.distance)) / 40))
  }

  /// The largest disagreement of two matches: a base in squared pixels, plus a squared share of their distance.
  private typealias Tolerance = (base: Float, share: Float)
  /// Six pixels and a fifth of the distance: the precision of one match's size and rotation.
  private static let ofOneMatch: Tolerance = (36, 0.04)
  /// On the plane of a copy: four pixels and a tenth of the distance, because objects may be rotated and scaled by that much.
  private static let onPlane: Tolerance = (16, 0.01)

  /// Returns the best hypothesis among the first `n` of `locals`.
  ///
  /// If `minimum` is below four, either four matches must agree, or `minimum` of them not counting matches closer to the first
  /// match than `apart`, which may be the same corner found on another level.
  private func best(_ anchor: Int, _ n: Int, _ minimum: Int, _ tolerance: Tolerance = ofOneMatch) -> Hypothesis? {
    var top: Hypothesis?
    let blocks = (n + Block.scalarCount - 1) / Block.scalarCount
    spread(n, over: blocks)
    for i in 0..<n {
      let a = locals[i]
      let determinant = a.linear.determinant
      guard determinant > 1e-6 else { continue }
      var support: Float = 0
      var (count, apart) = (0, 0)
      for block in 0..<blocks {
        let near = agreeing(a, block, tolerance)
        guard any(near) else { continue }
        for lane in 0..<Block.scalarCount where near[lane] {
          let k = block * Block.scalarCount + lane
          guard Self.alike(a.linear, locals[k].linear, determinant) else { continue }
          if minimum < 4 {
            let d = locals[k].frame - a.frame
            if k == i || (d * d).sum() >= Self.apart * Self.apart {
              apart += 1
            } else if minimum == 2 {
              continue
            }
          }
          support += locals[k].weight
          count += 1
        }
      }
      if count >= max(4, minimum) || minimum < 4 && apart >= minimum, support > (top?.support ?? 0) {
        let shift = a.frame - a.linear.apply(a.reference.x, a.reference.y)
        top = Hypothesis(
          anchor: anchor, linear: a.linear, shift: shift, origin: a.frame, support: support, count: count)
      }
    }
    return top
  }

  /// One value of each of eight matches, which are compared with one match at once.
  private typealias Block = SIMD8<Float>

  /// Fills `places` from the first `n` of `locals`; the padding of the last block never agrees.
  private func spread(_ n: Int, over blocks: Int) {
    for block in 0..<blocks {
      var (u, v, x, y) = (
        Block(repeating: .nan), Block(repeating: .nan), Block(repeating: .nan), Block(repeating: .nan)
      )
      for lane in 0..<min(Block.scalarCount, n - block * Block.scalarCount) {
        let l = locals[block * Block.scalarCount + lane]
        (u[lane], v[lane], x[lane], y[lane]) = (l.reference.x, l.reference.y, l.frame.x, l.frame.y)
      }
      places[block] = (u, v, x, y)
    }
  }

  /// Returns which matches of a block are at the positions that the map of one match implies.
  @inline(__always)
  private func agreeing(_ a: Local, _ block: Int, _ tolerance: Tolerance) -> SIMDMask<Block.MaskStorage> {
    let (u, v, x, y) = places[block]
    let (ru, rv) = (u - a.reference.x, v - a.reference.y)
    let (dx, dy) = (x - a.frame.x, y - a.frame.y)
    let ex = a.linear.a * ru + a.linear.b * rv - dx
    let ey = a.linear.c * ru + a.linear.d * rv - dy
    return ex * ex + ey * ey .<= tolerance.base + tolerance.share * (dx * dx + dy * dy)
  }

  /// Returns whether two local maps agree in size and rotation: their areas differ less than threefold, and their
  /// rotations by less than 33°.
  ///
  /// - Parameter determinant: The determinant of `a`, above 0.
  @inline(__always)
  static func alike(_ a: Linear2, _ b: Linear2, _ determinant: Float) -> Bool {
    let ratio = b.determinant / determinant
    guard ratio > 0.35, ratio < 2.9 else { return false }
    // b · adj(a); its scale does not change the rotation.
    let p = b.a * a.d - b.b * a.c
    let q = b.b * a.a - b.a * a.b
    let r = b.c * a.d - b.d * a.c
    let s = b.d * a.a - b.c * a.b
    let (c, t) = (p + s, r - q)
    return c > 0 && c * c > 0.7 * (c * c + t * t)
  }

  /// Calls `body` with the reference and frame positions of the matches that agree with a hypothesis.
  func supporters(
    of h: Hypothesis, _ matches: UnsafePointer<FeatureMatch>, features: UnsafePointer<Feature>,
    _ body: (SIMD2<Float>, SIMD2<Float>) -> Void
  ) {
    let n = Int(counts[h.anchor])
    let first = Int(heads[h.anchor]) - n
    for k in 0..<n {
      let l = local(matches[Int(grouped[first + k])], features)
      if supports(l, h) { body(l.reference, l.frame) }
    }
  }

  @inline(__always)
  private func supports(_ l: Local, _ h: Hypothesis) -> Bool {
    let determinant = h.linear.determinant
    let middle = SIMD2(
      Float(library.references[h.anchor].width) / 2, Float(library.references[h.anchor].height) / 2)
    let limit = 6 + 0.2 * determinant.squareRoot() * max(middle.x, middle.y)
    let e = h.apply(l.reference) - l.frame
    return (e * e).sum() <= limit * limit && Self.alike(h.linear, l.linear, determinant)
  }
}
