import Testing
import WaymarkImage

@Suite struct HomographyFitTests {
  let truth = Homography(SIMD3(0.9, -0.2, 120), SIMD3(0.15, 0.8, 60), SIMD3(2e-4, -1e-4, 1))

  func pairs(_ count: Int, noise: Double = 0, seed: UInt64 = 1) -> [PointPair] {
    var random = RandomSource(seed: seed)
    return (0..<count).map { _ in
      let p = Point2(random.unit() * 480, random.unit() * 360)
      return PointPair(
        reference: p, frame: truth.apply(p) + noise * Point2(random.gaussian(), random.gaussian()))
    }
  }

  @Test func fourPointsAreMetExactly() throws {
    let from = Quadrilateral(width: 480, height: 360)
    let to = Quadrilateral(
      topLeft: Point2(100, 80), topRight: Point2(400, 120), bottomRight: Point2(420, 380), bottomLeft: Point2(90, 300))
    let h = try #require(Homography(from: from, to: to))
    #expect(h.apply(from).meanCornerDistance(to: to) < 1e-9)
  }

  @Test func threePointsOnALineAreRefused() {
    let line = Quadrilateral(
      topLeft: Point2(0, 0), topRight: Point2(10, 0), bottomRight: Point2(20, 0), bottomLeft: Point2(0, 10))
    #expect(Homography(from: line, to: Quadrilateral(width: 10, height: 10)) == nil)
    #expect(Homography(from: Quadrilateral(width: 10, height: 10), to: line) == nil)
  }

  @Test func exactPairsGiveTheMapBack() throws {
    let h = try #require(pairs(20).withUnsafeBufferPointer { Homography.fit($0) })
    let q = Quadrilateral(width: 480, height: 360)
    #expect(h.apply(q).meanCornerDistance(to: truth.apply(q)) < 1e-7)
  }

  @Test func refinementReachesTheLeastSquares() throws {
    let noisy = pairs(60, noise: 0.7)
    let h = try #require(noisy.withUnsafeBufferPointer { Homography.fit($0, iterations: 20) })
    func cost(_ h: Homography) -> Double {
      noisy.reduce(0) { $0 + ($1.frame - h.apply($1.reference)).dot($1.frame - h.apply($1.reference)) }
    }
    let best = cost(h)
    #expect(best < cost(truth))
    // No neighbour is better: the gradient is zero there.
    let m = h.rowMajor
    for i in 0..<8 {
      for sign in [-1.0, 1.0] {
        var changed = m
        changed[i] += sign * 1e-6 * max(abs(m[i]), 1e-3)
        #expect(cost(Homography(rowMajor: changed)!) >= best * (1 - 1e-9))
      }
    }
  }

  @Test func weightsOfZeroHideAPair() throws {
    var list = pairs(12)
    list[3].frame += Point2(50, -80)
    var weights = [Double](repeating: 1, count: 12)
    weights[3] = 0
    let h = try #require(
      list.withUnsafeBufferPointer { p in weights.withUnsafeBufferPointer { Homography.fit(p, weights: $0.baseAddress) }
      })
    #expect(h.apply(Point2(10, 20)).distance(to: truth.apply(Point2(10, 20))) < 1e-6)
  }

  @Test func degeneratePairsGiveNothing() {
    let point = [PointPair](repeating: PointPair(reference: Point2(1, 2), frame: Point2(3, 4)), count: 9)
    #expect(point.withUnsafeBufferPointer { Homography.fit($0) } == nil)
    let line = (0..<9).map { PointPair(reference: Point2(Double($0), 0), frame: Point2(Double($0), 5)) }
    #expect(line.withUnsafeBufferPointer { Homography.fit($0) } == nil)
  }

  @Test(arguments: [0.2, 0.5, 0.75]) func wrongPairsAreLeftOut(_ share: Double) throws {
    var random = RandomSource(seed: 7)
    var list = pairs(200, noise: 0.5, seed: 3)
    // Wrong pairs everywhere in the order, right ones a little more often in front.
    var wrong = 0
    for i in list.indices where random.unit() < share * (0.6 + 0.4 * Double(i) / 100) {
      list[i].frame = Point2(random.unit() * 640, random.unit() * 480)
      wrong += 1
    }
    var estimator = HomographyEstimator()
    let fit = try #require(list.withUnsafeBufferPointer { estimator.estimate($0) })
    let q = Quadrilateral(width: 480, height: 360)
    #expect(fit.homography.apply(q).meanCornerDistance(to: truth.apply(q)) < 1)
    #expect(abs(fit.inliers - (200 - wrong)) <= 4)
    let again = try #require(list.withUnsafeBufferPointer { estimator.estimate($0) })
    #expect(again.homography == fit.homography && again.samples == fit.samples)
  }

  @Test func noiseAloneHasNoMap() {
    var random = RandomSource(seed: 11)
    let list = (0..<60).map { _ in
      PointPair(
        reference: Point2(random.unit() * 480, random.unit() * 360),
        frame: Point2(random.unit() * 640, random.unit() * 480))
    }
    var estimator = HomographyEstimator(minimumInliers: 12)
    #expect(list.withUnsafeBufferPointer { estimator.estimate($0) } == nil)
  }

  @Test func marginalLossFallsSmoothlyAndEnds() {
    let loss = MarginalLoss(sigma: 2)
    var last = -1.0
    for i in 0...400 {
      let r = Double(i) * 0.02
      let value = loss.loss(r * r)
      #expect(value >= last - 1e-9)
      last = value
    }
    #expect(loss.loss(0) == 0 && loss.weight(0) == 1)
    #expect(loss.loss(loss.limit) == 1 && loss.weight(loss.limit) == 0)
    #expect(loss.loss(.nan) == 1 && loss.weight(.nan) == 0)
    // The middle of the weight against the closed form.
    #expect(abs(loss.weight(4) - 0.3173) < 0.01)
  }
}

@Suite struct HomographySteadyTests {
  private static let outline = Quadrilateral(width: 480, height: 360)
  private static let right = Homography(SIMD3(0.2, 0.01, 120), SIMD3(-0.01, 0.2, 90), SIMD3(0.0001, 0, 1))
  /// The right map, three and two pixels aside and four per cent larger.
  private static var start: Homography {
    Homography(SIMD3(1.04, 0, 3 - 0.04 * 168), SIMD3(0, 1.04, 2 - 0.04 * 126), SIMD3(0, 0, 1)) * right
  }

  private static func steadied(_ places: [Point2], wrong: Point2? = nil, looseness: Double = 0.1) -> Homography? {
    var pairs = places.map { PointPair(reference: $0, frame: right.apply($0)) }
    let middle = Point2(240, 180)
    if let wrong { pairs.append(PointPair(reference: middle, frame: right.apply(middle) + wrong)) }
    return pairs.withUnsafeBufferPointer { start.steadied(by: $0, looseness: looseness, sigma: 2) }
  }

  private static func error(_ map: Homography) -> Double {
    map.apply(outline).largestCornerDistance(to: right.apply(outline))
  }

  @Test func manyPairsGiveTheWholeMap() throws {
    var places: [Point2] = []
    for y in stride(from: 30.0, to: 360, by: 70) {
      for x in stride(from: 20.0, to: 480, by: 90) { places.append(Point2(x, y)) }
    }
    #expect(Self.error(try #require(Self.steadied(places))) < 0.3)
  }

  @Test func aWrongPairBendsNothing() throws {
    let places = [Point2(60, 60), Point2(420, 80), Point2(400, 300), Point2(90, 310), Point2(250, 90)]
    #expect(Self.error(try #require(Self.steadied(places, wrong: Point2(9, -7)))) < 1.5)
  }

  /// What lies on one line says nothing of the other direction: it stays as it was known.
  @Test func pairsOnALineKeepTheShape() throws {
    let map = try #require(Self.steadied([Point2(40, 180), Point2(240, 180), Point2(440, 180)], looseness: 0.04))
    #expect(Self.error(map) < 3)
  }

  @Test func twoPairsAreTooFew() { #expect(Self.steadied([Point2(60, 60), Point2(420, 80)]) == nil) }
}
