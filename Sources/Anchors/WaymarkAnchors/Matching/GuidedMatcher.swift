import CKernels
import WaymarkImage

/// Looks for every feature of one anchor near the place where a map puts it.
///
/// Only features of views like the one that the map implies are looked for, only among frame features of the right size
/// and direction, so that a far greater Hamming distance than in the blind lookup can be trusted.
final class GuidedMatcher {
  struct Settings {
    /// The greatest Hamming distance.
    var distance = 97
    /// The greatest stretch between the implied view and the feature's: ½(r + 1/r) of the ratio r of the axes.
    var stretch: Float = 1.3
  }

  /// The widest circle around where one match puts a feature, in pixels: farther away nearly all that is found is chance.
  private static let widest: Float = 64

  private let settings = Settings()
  private let index: LibraryIndex
  private let grid: FeatureGrid
  private let capacity: Int
  private let bestDistance: UnsafeMutablePointer<UInt16>
  private let bestPlace: UnsafeMutablePointer<UInt32>
  /// The pairs of the last search.
  let pairs: UnsafeMutableBufferPointer<PointPair>
  /// How many.
  private(set) var count = 0
  private let inverses: [Linear2]
  /// How the features of each view are seen under an affine map, the same everywhere.
  private let seen: UnsafeMutablePointer<ViewSight>

  init(library: AnchorLibrary, features: Int) {
    index = library.index
    capacity = features
    grid = FeatureGrid(capacity: features)
    bestDistance = .allocate(capacity: features)
    bestPlace = .allocate(capacity: features)
    pairs = .allocate(capacity: features)
    seen = .allocate(capacity: ViewCatalog.linears.count)
    inverses = ViewCatalog.linears.map {
      let d = $0.determinant
      return Linear2($0.d / d, -$0.b / d, -$0.c / d, $0.a / d)
    }
  }

  deinit {
    bestDistance.deallocate()
    bestPlace.deallocate()
    seen.deallocate()
    pairs.deallocate()
  }

  /// Takes the features of a frame.
  func load(_ features: FeatureSet, width: Int, height: Int) {
    grid.fill(features.features, count: features.count, width: width, height: height)
  }

  /// Fills `pairs` with what is found of an anchor's features within `radius` pixels of their places under `map`.
  func run(_ anchor: Int, _ map: SurfaceMap, radius: Float, _ set: FeatureSet) {
    search(anchor, map, set, distance: settings.distance) { _ in radius }
    count = 0
    for i in 0..<set.count where bestDistance[i] <= UInt16(settings.distance) { append(i, set) }
  }

  /// Fills `pairs` with all of an anchor's features that are found about where one match puts them, nearest first: farther from
  /// it, where its map is less sure, in a wider circle.
  ///
  /// - Parameters:
  ///   - map: the map of that match.
  ///   - origin: its place in the frame.
  func run(_ anchor: Int, _ map: SurfaceMap, around origin: SIMD2<Float>, _ set: FeatureSet) {
    search(anchor, map, set, distance: FeatureLookup.distance) {
      let d = $0 - origin
      return min(Self.widest, 6 + 0.2 * (d * d).sum().squareRoot())
    }
    count = 0
    var ends = InlineArray<257, Int32>(repeating: 0)
    for i in 0..<set.count where bestDistance[i] <= UInt16(FeatureLookup.distance) { ends[Int(bestDistance[i])] += 1 }
    for distance in 0...FeatureLookup.distance where ends[distance] > 0 {
      for i in 0..<set.count where Int(bestDistance[i]) == distance { append(i, set) }
    }
  }

  /// The pose of a cylinder that a hypothesis leads to, and how many features agree with it.
  ///
  /// Around one point a cylinder looks like the plane that touches it, so that features and hypotheses are those of flat anchors; the
  /// cylinder is fitted to the hypothesis's supporters and then looked for on the whole surface in sight.
  ///
  /// - Parameter shape: the cylinder, anywhere.
  func cylinder(
    _ shape: CylinderMap, from hypothesis: Hypothesis, _ supporters: UnsafeBufferPointer<PointPair>, _ set: FeatureSet
  ) -> (CylinderMap, Int)? {
    guard supporters.count >= 3 else { return nil }
    let middle = supporters.reduce(Point2.zero) { $0 + $1.reference } / Double(supporters.count)
    guard let seeds = CylinderFit.seeds(hypothesis.homography, at: middle, shape: shape, supporters) else { return nil }
    func fit(_ seed: CylinderMap) -> (map: CylinderMap, cost: Double)? {
      CylinderFit.refine(seed, supporters, sigma: 16, iterations: 8).flatMap {
        CylinderFit.refine($0.map, supporters, sigma: 5)
      }
    }
    let first = fit(seeds.0)
    let second = seeds.1.flatMap(fit)
    guard var best = (first.map({ f in second.map { $0.cost < f.cost ? $0 : f } ?? f }) ?? second)?.map else {
      return nil
    }
    let radii: InlineArray<3, Double> = [10, 6, 4]
    let sigmas: InlineArray<3, Double> = [4, 2.5, 1.5]
    for round in 0..<3 {
      let size = best.corners?.signedArea.squareRoot() ?? 0
      run(
        hypothesis.anchor, .cylinder(best), radius: Float(min(24, max(radii[round], round == 0 ? 0.06 * size : 0))), set
      )
      guard count >= 6,
        let fit = CylinderFit.refine(best, UnsafeBufferPointer(rebasing: pairs[..<count]), sigma: sigmas[round])
      else { return nil }
      best = fit.map
    }
    var inliers = 0
    for pair in pairs[..<count] where best.depth(pair.reference) > 0 {
      if best.apply(pair.reference).distance(to: pair.frame) < 4.5 { inliers += 1 }
    }
    return inliers >= 8 ? (best, inliers) : nil
  }

  private func search(
    _ anchor: Int, _ map: SurfaceMap, _ set: FeatureSet, distance: Int, radius: (SIMD2<Float>) -> Float
  ) {
    for i in 0..<set.count { bestDistance[i] = UInt16(distance + 1) }
    let (features, descriptors) = (index.features, index.descriptors)
    var isAffine = false
    if case .plane(let h) = map, h.row2.x == 0, h.row2.y == 0 {
      isAffine = true
      let derivative = h.derivative(at: .zero)
      for view in inverses.indices { seen[view] = sight(of: view, derivative) }
    }
    for place in index.list(of: anchor) {
      let r = features[Int(place)]
      let at = r.position
      let p = Point2(Double(at.x), Double(at.y))
      guard map.depth(p) > 0 else { continue }
      let q = map.apply(p)
      guard q.x > -16, q.y > -16, q.x < 8192, q.y < 8192 else { continue }
      let sight = isAffine ? seen[Int(r.view)] : sight(of: Int(r.view), map.derivative(at: p))
      guard sight.isNear else { continue }
      let scale = sight.scale
      let direction = Int(r.direction) + Int(sight.turn)
      let center = SIMD2(Float(q.x), Float(q.y))
      let descriptor = descriptors + 4 * Int(place)
      let radius = radius(center)
      let limit = radius * radius
      grid.forEach(near: center, radius: radius) { i in
        let f = set.features[i]
        let d = SIMD2(f.x, f.y) - center
        guard (d * d).sum() <= limit, f.scale < 1.7 * scale, scale < 1.7 * f.scale else { return }
        // Within 28° of the direction.
        let off = (Int(f.direction) - direction + 10) & (Feature.directions - 1)
        guard off <= 20 else { return }
        let h = UInt16(ck_hamming(set.descriptor(i), descriptor))
        if h < bestDistance[i] {
          bestDistance[i] = h
          bestPlace[i] = place
        }
      }
    }
  }

  /// How a view of the reference and what a map shows of it differ.
  private struct ViewSight {
    /// True if they are alike but for size and turn.
    var isNear: Bool
    /// The size of the one in pixels of the other.
    var scale: Float = 1
    /// The turn in steps of a feature's direction.
    var turn: Int32 = 0
  }

  @inline(__always)
  private func sight(of view: Int, _ j: (dx: Point2, dy: Point2)) -> ViewSight {
    let m = Linear2(Float(j.dx.x), Float(j.dy.x), Float(j.dx.y), Float(j.dy.y)) * inverses[view]
    let determinant = m.determinant
    guard determinant > 1e-4 else { return ViewSight(isNear: false) }
    let square = m.a * m.a + m.b * m.b + m.c * m.c + m.d * m.d
    guard square <= 2 * settings.stretch * determinant else { return ViewSight(isNear: false) }
    return ViewSight(
      isNear: true, scale: determinant.squareRoot(),
      turn: Int32(truncatingIfNeeded: Self.steps(y: m.c - m.b, x: m.a + m.d)))
  }

  private func append(_ i: Int, _ set: FeatureSet) {
    let at = index.features[Int(bestPlace[i])].position
    let f = set.features[i]
    pairs[count] = PointPair(
      reference: Point2(Double(at.x), Double(at.y)), frame: Point2(Double(f.x), Double(f.y)))
    count += 1
  }

  /// The direction of a vector in steps.
  @inline(__always)
  private static func steps(y: Float, x: Float) -> Int {
    Int((Double.arcTangent(y: Double(y), x: Double(x)) * Double(Feature.directions) / (2 * .pi)).rounded())
  }
}
