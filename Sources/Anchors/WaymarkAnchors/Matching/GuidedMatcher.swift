import CKernels
import WaymarkImage

/// Searches for every feature of one anchor near its position in the frame under a map.
///
/// `FeatureGrid` below finds the features of the frame near a position.
///
/// The search is limited to features of views similar to the view that the map implies, and to frame features of the right size and
/// direction. It may therefore accept a much larger Hamming distance than the blind lookup.
final class GuidedMatcher {
  /// The largest Hamming distance of a match, of 256 bits.
  private static let distance = 97
  /// The largest distortion between the implied view and the feature's view: ½(r + 1/r) of the ratio r of the axes.
  private static let stretch: Float = 1.3
  /// The largest search radius around the position that one match implies, in pixels; farther away nearly all matches are chance.
  private static let widest: Float = 64

  private let memory = ScratchMemory()
  private let index: LibraryIndex
  private let grid: FeatureGrid
  private let capacity: Int
  private let bestDistance: UnsafeMutablePointer<UInt16>
  private let bestPlace: UnsafeMutablePointer<UInt32>
  /// The storage for the pairs of the last search; the first `count` are valid.
  let pairs: UnsafeMutableBufferPointer<PointPair>
  private(set) var count = 0
  /// The pairs found by the last search.
  var found: UnsafeBufferPointer<PointPair> { UnsafeBufferPointer(rebasing: pairs[..<count]) }
  private let inverses: [Linear2]
  /// The difference of each view from the picture that an affine map shows; it is the same at all points.
  private let seen: UnsafeMutablePointer<ViewDifference>

  init(library: AnchorLibrary, features: Int) {
    index = library.index
    capacity = features
    grid = FeatureGrid(capacity: features)
    bestDistance = memory.allocate(features)
    bestPlace = memory.allocate(features)
    pairs = UnsafeMutableBufferPointer(start: memory.allocate(features), count: features)
    seen = memory.allocate(ViewCatalog.linears.count)
    inverses = ViewCatalog.linears.map {
      let d = $0.determinant
      return Linear2($0.d / d, -$0.b / d, -$0.c / d, $0.a / d)
    }
  }

  /// Groups the features of a frame by position, before `run` or `cylinder` searches among them.
  func load(_ features: FeatureSet, width: Int, height: Int) {
    grid.fill(features.features, count: features.count, width: width, height: height)
  }

  /// Fills `pairs` with an anchor's features found within `radius` pixels of their positions under `map`.
  func run(_ anchor: Int, _ map: SurfaceMap, radius: Float, _ set: FeatureSet) {
    search(anchor, map, set, distance: Self.distance) { _ in radius }
    count = 0
    for i in 0..<set.count where bestDistance[i] <= UInt16(Self.distance) { append(i, set) }
  }

  /// Fills `pairs` with an anchor's features found near the positions that one match implies, nearest first. The search radius
  /// grows with the distance from the match, because its map is less precise farther away.
  ///
  /// - Parameters:
  ///   - map: The map of the match.
  ///   - origin: The position of the match in the frame.
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

  /// Returns a cylinder fitted from a hypothesis, and the number of features that agree with it; `nil` if fewer than
  /// eight agree.
  ///
  /// Around one point a cylinder looks like its tangent plane, so a hypothesis is made as for a flat anchor. A cylinder is then
  /// fitted to the supporters of the hypothesis, and the anchor's features are searched for on the whole visible surface.
  ///
  /// - Parameters:
  ///   - shape: The cylinder at any pose.
  ///   - supporters: The pairs that agree with the hypothesis.
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
        let fit = CylinderFit.refine(best, found, sigma: sigmas[round])
      else { return nil }
      best = fit.map
    }
    var inliers = 0
    for pair in found where best.depth(pair.reference) > 0 {
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
        // The directions may differ by up to 28°.
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

  /// The difference between a view of the reference and the picture that a map shows.
  private struct ViewDifference {
    /// True if the two differ in little but size and rotation.
    var isNear: Bool
    /// The size of the map's picture relative to the view.
    var scale: Float = 1
    /// The rotation in steps of 2π / `Feature.directions`.
    var turn: Int32 = 0
  }

  @inline(__always)
  private func sight(of view: Int, _ j: (dx: Point2, dy: Point2)) -> ViewDifference {
    let m = Linear2(Float(j.dx.x), Float(j.dy.x), Float(j.dx.y), Float(j.dy.y)) * inverses[view]
    let determinant = m.determinant
    guard determinant > 1e-4 else { return ViewDifference(isNear: false) }
    let square = m.a * m.a + m.b * m.b + m.c * m.c + m.d * m.d
    guard square <= 2 * Self.stretch * determinant else { return ViewDifference(isNear: false) }
    return ViewDifference(
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

  /// Returns the direction of a vector in steps of 2π / `Feature.directions`.
  @inline(__always)
  private static func steps(y: Float, x: Float) -> Int {
    Int((Double.arcTangent(y: Double(y), x: Double(x)) * Double(Feature.directions) / (2 * .pi)).rounded())
  }
}

/// The features of a frame, grouped into square cells.
final class FeatureGrid {
  static let cell: Float = 12
  private var columns = 0
  private var rows = 0
  private var starts: [Int32] = []
  private let order: UnsafeMutablePointer<Int32>
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
    order = .allocate(capacity: capacity)
  }

  deinit { order.deallocate() }

  func fill(_ features: UnsafePointer<Feature>, count: Int, width: Int, height: Int) {
    columns = Int(Float(width) / Self.cell) + 1
    rows = Int(Float(height) / Self.cell) + 1
    let cells = columns * rows
    if starts.count < cells + 2 { starts = Array(repeating: 0, count: cells + 2) }
    for i in 0..<(cells + 2) { starts[i] = 0 }
    for i in 0..<count { starts[cell(features[i]) + 2] += 1 }
    for i in 2..<(cells + 2) { starts[i] += starts[i - 1] }
    // While filling, `starts[c + 1]` is the index for the next feature of cell `c`.
    for i in 0..<count {
      let c = cell(features[i])
      order[Int(starts[c + 1])] = Int32(i)
      starts[c + 1] += 1
    }
  }

  private func cell(_ f: Feature) -> Int {
    let x = max(0, min(columns - 1, Int(max(0, f.x) / Self.cell)))
    let y = max(0, min(rows - 1, Int(max(0, f.y) / Self.cell)))
    return y * columns + x
  }

  /// Calls `body` with the index of every feature in the cells that a square around a point touches.
  @inline(__always)
  func forEach(near p: SIMD2<Float>, radius: Float, _ body: (Int) -> Void) {
    let x0 = max(0, Int((p.x - radius) / Self.cell))
    let x1 = min(columns - 1, Int((p.x + radius) / Self.cell))
    let y0 = max(0, Int((p.y - radius) / Self.cell))
    let y1 = min(rows - 1, Int((p.y + radius) / Self.cell))
    guard x0 <= x1, y0 <= y1 else { return }
    for y in y0...y1 {
      for i in Int(starts[y * columns + x0])..<Int(starts[y * columns + x1 + 1]) { body(Int(order[i])) }
    }
  }
}
