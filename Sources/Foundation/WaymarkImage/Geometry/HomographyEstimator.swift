/// Finds the map that most pairs agree with, among pairs many of which are wrong.
///
/// Samples of four are drawn from the best pairs first (PROSAC: O. Chum, J. Matas, "Matching with PROSAC", CVPR 2005),
/// judged by the marginal loss of MAGSAC++ with early exit, and each new best one is polished by reweighted least squares
/// (local optimisation: O. Chum, J. Matas, J. Kittler, "Locally optimized RANSAC", DAGM 2003). The same pairs give the same
/// answer. Memory is taken when a set of pairs is larger than any before, never in the loop.
package struct HomographyEstimator {
  package struct Options: Sendable {
    /// The greatest noise scale of a right pair, in pixels; pairs beyond about three times it are wrong ones.
    package var sigma = 1.5
    /// The most samples drawn.
    let maximumSamples = 1000
    /// The wanted probability that a sample of right pairs only was among those drawn.
    package var confidence = 0.999
    /// The fewest pairs that must agree.
    package var minimumInliers = 8
    /// For how many pairs memory is taken at once; more take more when they come.
    package var capacity = 0
    /// The seed of the samples.
    package var seed: UInt64 = 0x5EED
    package init() {}
  }

  /// The fitted model.
  package struct Fit: Sendable {
    /// The map, last element 1.
    package var homography: Homography
    /// How many pairs agree: closer than the cut of the loss.
    package var inliers: Int
    /// The sum over the pairs of 1 − loss: a soft count of the right ones.
    package var support: Double
    /// The root of the mean squared distance of the agreeing pairs, in pixels.
    package var deviation: Double
    /// How many samples were drawn.
    package var samples: Int
  }

  package let options: Options
  private let loss: MarginalLoss
  private var weights: [Double] = []

  package init(_ options: Options = Options()) {
    self.options = options
    loss = MarginalLoss(sigma: options.sigma)
    weights = Array(repeating: 0, count: options.capacity)
  }

  /// Returns whether a pair agreed with the last map found: its weight is above zero.
  package func weight(_ index: Int) -> Double { weights[index] }

  /// Finds the map.
  ///
  /// - Parameter pairs: the most trustworthy first; finite numbers.
  /// - Returns: `nil` where too few agree with any map.
  package mutating func estimate(_ pairs: UnsafeBufferPointer<PointPair>) -> Fit? {
    let n = pairs.count
    guard n >= max(4, options.minimumInliers) else { return nil }
    if weights.count < n { weights = Array(repeating: 0, count: n) }
    var random = RandomSource(seed: options.seed)
    var best: (homography: Homography, cost: Double)?
    var growth = ProsacGrowth(count: n, limit: options.maximumSamples)
    var needed = options.maximumSamples
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
    guard inliers >= options.minimumInliers else { return nil }
    return Fit(
      homography: found.homography, inliers: inliers, support: Double(n) - found.cost,
      deviation: (squares / Double(inliers)).squareRoot(), samples: drawn)
  }

  /// The map nearby that most pairs agree with, by reweighted least squares from a first guess.
  package mutating func refine(_ start: Homography, _ pairs: UnsafeBufferPointer<PointPair>) -> Homography? {
    if weights.count < pairs.count { weights = Array(repeating: 0, count: pairs.count) }
    return polish(start, pairs, rounds: 10)?.homography
  }

  /// Four different indices below `pool`, the last of them `pool - 1` where `forced` (PROSAC, algorithm 1).
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

  /// The map of a sample; `nil` for three points on a line or a sample that no view from the front can show.
  private func hypothesis(_ pairs: UnsafeBufferPointer<PointPair>, _ s: SIMD4<Int>) -> Homography? {
    let (a, b, c, d) = (pairs[s[0]], pairs[s[1]], pairs[s[2]], pairs[s[3]])
    // Every three points must go round the same way on both sides: a map that turns none of them behind the camera and
    // does not mirror keeps the sign of every triangle (P. Marquez-Neila et al., "Speeding-up homography estimation in
    // mobile devices", Journal of Real-Time Image Processing 11 (2016)).
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

  /// The squared distance in the frame; infinite behind the horizon.
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

  /// How many more samples the wanted confidence asks for, by the share of pairs that agree.
  private func remaining(_ pairs: UnsafeBufferPointer<PointPair>, _ h: Homography, drawn: Int) -> Int {
    var inliers = 0
    for pair in pairs where distance(h, pair) < loss.limit { inliers += 1 }
    let share = Double(inliers) / Double(pairs.count)
    let hit = share * share * share * share
    guard hit > 1e-9 else { return options.maximumSamples }
    guard hit < 1 - 1e-9 else { return 0 }
    let total = Double.naturalLogarithm(1 - options.confidence) / Double.naturalLogarithm(1 - hit)
    return max(0, Int(min(total.rounded(.up), Double(options.maximumSamples))) - drawn)
  }
}

/// How the pool of PROSAC grows with the number of samples drawn (Chum and Matas 2005, equations 3–5).
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

  /// The size of the pool for sample number `drawn`, counted from 1.
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
