import Testing

@testable import WaymarkImage

@Suite struct CylinderTests {
  private static let camera = CameraIntrinsics(fx: 500, fy: 510, cx: 319.5, cy: 239.5)!

  /// A label of 480×300 pixels and 0.15 m, by default on a can of 33 mm.
  private static func map(
    radius: Double = 0.033, tilt: Point3 = Point3(0.2, 0.3, 0.1), at: Point3 = Point3(0.02, -0.01, 0.35)
  ) -> CylinderMap {
    CylinderMap(
      pose: PlanePose(rotation: .rotation(tilt), translation: at), width: 480, height: 300, physicalWidth: 0.15,
      radius: radius, camera: camera)
  }

  private static let points = (0..<60).map { Point2(8 * Double($0), Double(($0 * 37) % 300)) }

  @Test func whatIsSeenGoesBackToWhereItIs() throws {
    let map = Self.map()
    var seen = 0
    for p in Self.points where map.depth(p) > 0 {
      seen += 1
      #expect(try #require(map.inverse(map.apply(p))).distance(to: p) < 1e-6)
      #expect(map.tangent(at: p).apply(p).distance(to: map.apply(p)) < 1e-9)
      let (d, t) = (map.derivative(at: p), map.tangent(at: p).derivative(at: p))
      #expect(d.dx.distance(to: t.dx) < 1e-9 && d.dy.distance(to: t.dy) < 1e-9)
      let step = map.apply(p + Point2(1e-4, 0)) - map.apply(p - Point2(1e-4, 0))
      #expect((step / 2e-4).distance(to: d.dx) < 1e-6)
    }
    // Less than half of the way round is in sight; 260 degrees are printed.
    #expect((20...40).contains(seen))
    #expect(map.inverse(Point2(0, 0)) == nil)
  }

  @Test func farSideIsNotInSight() throws {
    let map = Self.map(tilt: .zero, at: Point3(0, 0, 0.35))
    let visible = try #require(map.visible)
    // From 0.383 m the edge of a radius of 33 mm is seen at acos(33/383) from the middle.
    #expect(abs((visible.upperBound - 239.5) * 0.15 / 480 / 0.033 - 1.4845) < 1e-3)
    #expect(map.depth(Point2(239.5, 150)) > 0.3 && map.depth(Point2(470, 150)) < 0)
    #expect(map.outline.count == 18 && map.corners?.isConvex == true)
    // From behind, both ends of a picture that goes all round are in sight.
    let back = CylinderMap(
      pose: PlanePose(rotation: .rotation(Point3(0, 3, 0)), translation: Point3(0, 0, 0.5)), width: 480, height: 300,
      physicalWidth: 2 * .pi * 0.033, radius: 0.033, camera: Self.camera)
    #expect(back.depth(Point2(5, 150)) > 0 && back.depth(Point2(475, 150)) > 0 && back.depth(Point2(240, 150)) < 0)
    #expect(back.visible.map { $0.upperBound - $0.lowerBound < 200 } == true)
    let inside = Self.map(at: Point3(0, 0, -0.02))
    #expect(inside.visible == nil && inside.outline.isEmpty && inside.corners == nil)
  }

  @Test func largeRadiusIsAPlane() {
    let map = Self.map(radius: 1e5)
    for p in Self.points {
      let (a, b) = (map.apply(p), map.tangent(at: Point2(239.5, 149.5)).apply(p))
      #expect(a.distance(to: b) < 1e-3)
    }
  }

  @Test func derivativesOfThePoseAreThoseOfSmallSteps() {
    let map = Self.map()
    let pivot = map.axisPoint
    for p in [Point2(200, 40), Point2(260, 280)] {
      let (x, y) = map.poseDerivative(at: p, pivot: pivot)
      for k in 0..<6 {
        var v = SIMD8<Double>.zero
        v[k] = 1e-6
        let (turn, shift) = (Point3(v[0], v[1], v[2]), Point3(v[3], v[4], v[5]))
        let ahead = map.moved(turn: turn, shift: shift, pivot: pivot).apply(p)
        let behind = map.moved(turn: -turn, shift: -shift, pivot: pivot).apply(p)
        #expect(((ahead - behind) / 2e-6).distance(to: Point2(x[k], y[k])) < 1e-2)
      }
    }
  }

  /// From what one place looks like, and pairs of which a third are wrong.
  @Test(arguments: [0.02, 0.033, 0.1, 0.5]) func poseFromPairs(_ radius: Double) throws {
    let truth = Self.map(radius: radius, at: Point3(0.01, 0.02, 0.3 + radius))
    var random = RandomSource(seed: 3)
    var pairs: [PointPair] = []
    for _ in 0..<150 {
      let p = Point2(480 * random.unit(), 300 * random.unit())
      guard truth.depth(p) > 0 else { continue }
      let noise = 0.3 * Point2(random.gaussian(), random.gaussian())
      let wrong = random.unit() < 0.33
      let other = Point2(640 * random.unit(), 480 * random.unit())
      pairs.append(PointPair(reference: p, frame: wrong ? other : truth.apply(p) + noise))
    }
    let middle = try #require(truth.visibleMiddle)
    let near = pairs.filter { truth.apply($0.reference).distance(to: $0.frame) < 3 }
    let shape = Self.map(radius: radius, tilt: .zero)
    let seeds = try #require(
      near.withUnsafeBufferPointer { CylinderFit.seeds(truth.tangent(at: middle), at: middle, shape: shape, $0) })
    let fits = pairs.withUnsafeBufferPointer { pairs in
      [seeds.0, seeds.1].compactMap { $0 }.compactMap { seed in
        CylinderFit.refine(seed, pairs, sigma: 12).flatMap { CylinderFit.refine($0.map, pairs, sigma: 1.5) }
      }
    }
    let best = try #require(fits.min { $0.cost < $1.cost }?.map)
    for p in Self.points where truth.depth(p) > 0 {
      #expect(best.apply(p).distance(to: truth.apply(p)) < 0.6)
    }
    #expect(best.pose.translation.distance(to: truth.pose.translation) < 0.006)
  }

  @Test func nothingFromNothing() {
    let map = Self.map()
    let none: [PointPair] = []
    none.withUnsafeBufferPointer {
      #expect(CylinderFit.seeds(.identity, at: .zero, shape: map, $0) == nil)
      #expect(CylinderFit.refine(map, $0, sigma: 2)?.map == map)
    }
    let wild = [PointPair(reference: Point2(.nan, 0), frame: Point2(1, .infinity))]
    wild.withUnsafeBufferPointer { _ = CylinderFit.refine(map, $0, sigma: 2) }
    #expect(CylinderMap.fits(width: 0.2, radius: 0.033) && !CylinderMap.fits(width: 0.22, radius: 0.033))
  }
}
