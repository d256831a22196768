/// Finds the homography that agrees with most pairs, even if many pairs are wrong.
///
/// Samples of four are drawn from the best pairs first (PROSAC: O. Chum, J. Matas, "Matching with PROSAC", CVPR 2005), rated by the
/// marginal loss of MAGSAC++ with early exit, and each new best map is refined by reweighted least squares (local optimisation: O.
/// Chum, J. Matas, J. Kittler, "Locally optimized RANSAC", DAGM 2003). The same pairs give the same result. Memory is allocated
/// only when a set of pairs is larger than every earlier set, never in the loop.
package struct HomographyEstimator {
  /// The greatest number of samples drawn.
  private static let maximumSamples = 1000
  /// The required probability that at least one drawn sample has only correct pairs.
  private static let confidence = 0.999

  package struct Fit: Sendable {
    /// The map, with 1 as its last element.
    package var homography: Homography
    /// The number of pairs that agree with the map: the pairs within the limit of the loss.
    package var inliers: Int
    /// The sum of 1 − loss over all pairs: a soft count of the correct pairs.
    package var support: Double
    /// The root mean square distance of the pairs that agree, in pixels.
    package var deviation: Double
    /// The number of samples drawn.
    package var samples: Int
  }

  private let minimumInliers: Int
  private let loss: MarginalLoss
  private var weights: [Double] = []

  /// - Parameters:
  ///   - sigma: the greatest noise scale of a correct pair, in pixels; pairs beyond about three times `sigma` are outliers.
  ///   - minimumInliers: the least number of pairs that must agree.
  ///   - capacity: the number of pairs for which memory is allocated at once. Memory for a larger set is allocated when the set is
  ///   passed.
  package init(sigma: Double = 1.5, minimumInliers: Int = 8, capacity: Int = 0) {
    self.minimumInliers = minimumInliers
    loss = MarginalLoss(sigma: sigma)
    weights = Array(repeating: 0, count: capacity)
  }

  /// Returns the weight of a pair for the last map found; above zero if the pair agreed with it.
  package func weight(_ index: Int) -> Double { weights[index] }

  /// Finds the map that agrees with most pairs.
  ///
  /// - Parameter pairs: the pairs, the most reliable first; all numbers finite.
  /// - Returns: `nil` if every map agrees with too few pairs.
  package mutating func estimate(_ pairs: UnsafeBufferPointer<PointPair>) -> Fit? {
    let n = pairs.count
    guard n >= max(4, minimumInliers) else { return nil }
    if weights.count < n { weights = Array(repeating: 0, count: n) }
    var random = RandomSource(seed: 0x5EED)
    var best: (homography: Homography, cost: Double)?
    var growth = ProsacGrowth(count: n, limit: Self.maximumSamples)
    var needed = Self.maximumSamples
    var drawn = 0
    while drawn < needed {
      drawn += 1
      let pool = growth.advance(to: drawn)
      let sample = draw(pool: pool, forced: pool < n || growth.grew, random: &random)
      guard let candidate = hypothesis(pairs, sample) else { continue }
      let bound = best?.cost ?? .infinity
      let cost = self.cost(candidate, pairs, bound: bound)
      guard cost < bound else { continue }
      best = (candidate, cost)
      if let polished = polish(candidate, pairs, rounds: 4), polished.cost < cost { best = polished }
      needed = min(needed, drawn + remaining(pairs, best!.homography, drawn: drawn))
    }
    guard var found = best else { return nil }
    if let polished = polish(found.homography, pairs, rounds: 10), polished.cost < found.cost { found = polished }
    var inliers = 0
    var squares = 0.0
    for i in 0..<n {
      let d = distance(found.homography, pairs[i])
      weights[i] = loss.weight(d)
      if d < loss.limit {
        inliers += 1
        squares += d
      }
    }
    guard inliers >= minimumInliers else { return nil }
    return Fit(
      homography: found.homography, inliers: inliers, support: Double(n) - found.cost,
      deviation: (squares / Double(inliers)).squareRoot(), samples: drawn)
  }

  /// Refines a first estimate of the map by reweighted least squares over the pairs; the loss of the result is never
  /// above that of `start`.
  package mutating func refine(_ start: Homography, _ pairs: UnsafeBufferPointer<PointPair>) -> Homography? {
    if weights.count < pairs.count { weights = Array(repeating: 0, count: pairs.count) }
    return polish(start, pairs, rounds: 10)?.homography
  }

  /// Returns four different indices below `pool`; the last is `pool - 1` if `forced` (PROSAC, algorithm 1).
  private func draw(pool: Int, forced: Bool, random: inout RandomSource) -> SIMD4<Int> {
    var s = SIMD4<Int>(repeating: -1)
    var count = 0
    if forced {
      s[0] = pool - 1
      count = 1
    }
    while count < 4 {
      let i = random.below(pool)
      if i != s[0] && i != s[1] && i != s[2] && i != s[3] {
        s[count] = i
        count += 1
      }
    }
    return s
  }

  /// Returns the map through a sample of four pairs; `nil` if three points are on a line, or if the sample cannot be a view from
  /// the front.
  private func hypothesis(_ pairs: UnsafeBufferPointer<PointPair>, _ s: SIMD4<Int>) -> Homography? {
    let (a, b, c, d) = (pairs[s[0]], pairs[s[1]], pairs[s[2]], pairs[s[3]])
    // Every three points must have the same orientation in the reference and in the frame. The reason is that a map that neither
    // mirrors nor moves a point behind the camera keeps the sign of every triangle's area (P. Marquez-Neila et al., "Speeding-up
    // homography estimation in mobile devices", Journal of Real-Time Image Processing 11 (2016)).
    @inline(__always)
    func agree(_ p: PointPair, _ q: PointPair, _ r: PointPair) -> Bool {
      let u = (q.reference - p.reference).cross(r.reference - p.reference)
      let v = (q.frame - p.frame).cross(r.frame - p.frame)
      return u * v > 0 && abs(u) > 4 && abs(v) > 2
    }
    guard agree(a, b, c), agree(a, b, d), agree(a, c, d), agree(b, c, d) else { return nil }
    return Homography(
      from: a.reference, b.reference, c.reference, d.reference, to: a.frame, b.frame, c.frame, d.frame)
  }

  /// Returns the squared distance of a pair in the frame; infinite behind the horizon.
  @inline(__always)
  private func distance(_ h: Homography, _ pair: PointPair) -> Double {
    let d = h.depth(pair.reference)
    guard d > 0 else { return .infinity }
    let v = SIMD3(pair.reference.x, pair.reference.y, 1)
    let r = Point2(h.row0.dot(v), h.row1.dot(v)) / d - pair.frame
    return r.dot(r)
  }

  private func cost(_ h: Homography, _ pairs: UnsafeBufferPointer<PointPair>, bound: Double) -> Double {
    var sum = 0.0
    for pair in pairs {
      sum += loss.loss(distance(h, pair))
      if sum >= bound { return sum }
    }
    return sum
  }

  private mutating func polish(
    _ start: Homography, _ pairs: UnsafeBufferPointer<PointPair>, rounds: Int
  ) -> (homography: Homography, cost: Double)? {
    var best = (homography: start, cost: cost(start, pairs, bound: .infinity))
    for _ in 0..<rounds {
      var used = 0
      for i in 0..<pairs.count {
        weights[i] = loss.weight(distance(best.homography, pairs[i]))
        if weights[i] > 0 { used += 1 }
      }
      guard used >= 5 else { return best }
      let h = weights.withUnsafeBufferPointer {
        best.homography.refined(pairs, weights: $0.baseAddress, iterations: 2)
      }
      guard let h else { return best }
      let next = cost(h, pairs, bound: .infinity)
      guard next < best.cost - 1e-6 else { return next < best.cost ? (h, next) : best }
      best = (h, next)
    }
    return best
  }

  /// Returns the number of further samples needed for the required confidence, given the fraction of pairs that agree.
  private func remaining(_ pairs: UnsafeBufferPointer<PointPair>, _ h: Homography, drawn: Int) -> Int {
    var inliers = 0
    for pair in pairs where distance(h, pair) < loss.limit { inliers += 1 }
    let share = Double(inliers) / Double(pairs.count)
    let hit = share * share * share * share
    guard hit > 1e-9 else { return Self.maximumSamples }
    guard hit < 1 - 1e-9 else { return 0 }
    let total = Double.naturalLogarithm(1 - Self.confidence) / Double.naturalLogarithm(1 - hit)
    return max(0, Int(min(total.rounded(.up), Double(Self.maximumSamples))) - drawn)
  }
}

/// The growth of PROSAC's pool of pairs with the number of samples drawn (Chum and Matas 2005, equations 3–5).
private struct ProsacGrowth {
  private let count: Int
  private var size = 4
  private var average: Double
  private var due = 1.0
  private(set) var grew = true

  init(count: Int, limit: Int) {
    self.count = count
    // T_n for n = m: the number of samples among T_N that would come from the four best pairs.
    average = Double(limit)
    for i in 0..<4 { average *= Double(4 - i) / Double(count - i) }
  }

  /// Returns the size of the pool for sample number `drawn`, from 1.
  mutating func advance(to drawn: Int) -> Int {
    grew = drawn == 1
    while size < count, Double(drawn) > due {
      let next = average * Double(size + 1) / Double(size + 1 - 4)
      due += (next - average).rounded(.up)
      average = next
      size += 1
      grew = true
    }
    return size
  }
}
