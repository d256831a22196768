import Testing

@testable import WaymarkImage

@Suite struct LineTests {
  /// The eigenvectors found by trying directions.
  @Test func axesAreThoseOfTheMostAndLeastSpread() throws {
    var random = RandomSource(seed: 5)
    for _ in 0..<100 {
      let (a, b, c) = (random.gaussian(), random.gaussian(), random.gaussian())
      let m = SymmetricMatrix2(xx: a, xy: b, yy: c)
      func value(_ v: Point2) -> Double { a * v.x * v.x + 2 * b * v.x * v.y + c * v.y * v.y }
      let values = (0..<3600).map {
        value(Point2(Double.cosine(.pi * Double($0) / 3600), Double.sine(.pi * Double($0) / 3600)))
      }
      let (major, minor) = try (#require(m.principalAxis), #require(m.minorAxis))
      #expect(abs(value(major) - values.max()!) < 1e-5)
      #expect(abs(value(minor) - values.min()!) < 1e-5)
      #expect(abs(major.length - 1) < 1e-12 && abs(major.dot(minor)) < 1e-9)
      #expect(abs(m.spread - (value(major) - value(minor))) < 1e-9)
      let angle = m.principalAngle
      #expect(abs(Point2(Double.cosine(angle), Double.sine(angle)).cross(major)) < 1e-9)
    }
    #expect(SymmetricMatrix2(xx: 2, xy: 0, yy: 2).principalAxis == nil)
    #expect(SymmetricMatrix2(xx: 0, xy: 0, yy: 0).minorAxis == nil)
  }

  @Test func momentsAreSumsInAnyOrder() {
    var random = RandomSource(seed: 6)
    let points = (0..<40).map { _ in (p: Point2(100 * random.unit(), 80 * random.unit()), w: random.unit()) }
    var (all, first, rest) = (PointMoments(), PointMoments(), PointMoments())
    for (i, point) in points.enumerated() {
      all.add(point.p, weight: point.w)
      if i < 15 { first.add(point.p, weight: point.w) } else { rest.add(point.p, weight: point.w) }
    }
    rest.add(first)
    let total = points.reduce(0) { $0 + $1.w }
    let mean = points.reduce(Point2.zero) { $0 + $1.p * $1.w } / total
    let xx = points.reduce(0) { $0 + $1.w * ($1.p.x - mean.x) * ($1.p.x - mean.x) } / total
    let xy = points.reduce(0) { $0 + $1.w * ($1.p.x - mean.x) * ($1.p.y - mean.y) } / total
    for moments in [all, rest] {
      #expect(abs(moments.weight - total) < 1e-9)
      #expect(moments.mean.distance(to: mean) < 1e-9)
      #expect(abs(moments.covariance.xx - xx) < 1e-8 && abs(moments.covariance.xy - xy) < 1e-8)
    }
    #expect(PointMoments().mean == .zero)
    #expect(PointMoments().covariance == SymmetricMatrix2(xx: 0, xy: 0, yy: 0))
  }

  @Test func heightOfALineOverAPlace() {
    let line = PointMoments((0..<9).map { Point2(Double($0), 3 - 0.5 * Double($0)) })
    #expect(abs(line.y(at: 20) + 7) < 1e-9)
    // Above each other they determine no slope.
    #expect(PointMoments([Point2(4, 1), Point2(4, 3)]).y(at: 50) == 2)
    #expect(PointMoments([Point2(4, 1)]).y(at: 50) == 1)
    #expect(PointMoments().y(at: 50) == 0)
  }

  @Test func lineThroughPointsHasTheLeastSquares() throws {
    var random = RandomSource(seed: 7)
    let truth = StraightLine(through: Point2(300, -40), along: Point2(2, -7))
    let points = (0..<200).map { _ in
      truth.foot(Point2(500 * random.unit(), 500 * random.unit())) + truth.normal * (0.3 * random.gaussian())
    }
    let line = try #require(StraightLine(PointMoments(points)))
    func cost(_ line: StraightLine) -> Double {
      points.reduce(0) { $0 + line.distance(to: $1) * line.distance(to: $1) }
    }
    for turn in [-1e-3, 1e-3] {
      let normal = line.normal * Double.cosine(turn) + line.direction * Double.sine(turn)
      let mean = PointMoments(points).mean
      #expect(cost(line) < cost(StraightLine(normal: normal, offset: normal.dot(mean))))
      #expect(cost(line) < cost(StraightLine(normal: line.normal, offset: line.offset + turn)))
    }
    #expect(abs(line.normal.cross(truth.normal)) < 2e-3)
  }

  @Test func outliersCountLittle() throws {
    var random = RandomSource(seed: 8)
    let truth = StraightLine(through: Point2(2000, 1500), along: Point2(1, 0.3))
    var points = (0..<60).map {
      truth.foot(Point2(1500 + 10 * Double($0), 1500)) + truth.normal * (0.2 * random.gaussian())
    }
    points += (0..<15).map { truth.foot(Point2(1500 + 40 * Double($0), 1500)) + truth.normal * 25 }
    let robust = try #require(StraightLine(through: points, [Double](repeating: 1, count: points.count), scale: 1))
    let plain = try #require(StraightLine(PointMoments(points)))
    func off(_ line: StraightLine) -> Double { abs(line.distance(to: truth.foot(Point2(1800, 1500)))) }
    #expect(off(robust) < 0.3)
    #expect(off(plain) > 3)
  }

  @Test func pointsWithoutADirectionGiveNoLine() {
    let same = [Point2](repeating: Point2(5, 5), count: 8)
    #expect(StraightLine(PointMoments(same)) == nil)
    #expect(StraightLine(PointMoments()) == nil)
    #expect(StraightLine(through: [], [], scale: 1) == nil)
    #expect(StraightLine(through: same, [Double](repeating: 1, count: 8), scale: 1) == nil)
    #expect(StraightLine(through: [Point2(0, 0), Point2(5, 1)], [0, 0], scale: 1) == nil)
    #expect(StraightLine(through: [Point2(0, 0), Point2(5, 1)], [1, 1], scale: 1) != nil)
  }

  @Test func linesCrossWhereBothAre() throws {
    let (a, b) = (
      StraightLine(through: Point2(3, 4), along: Point2(5, 1)),
      StraightLine(through: Point2(-2, 9), along: Point2(1, -2))
    )
    let p = try #require(a.crossing(b, leastSine: 0.4))
    #expect(abs(a.distance(to: p)) < 1e-12 && abs(b.distance(to: p)) < 1e-12)
    #expect(a.crossing(b.reversed, leastSine: 0.4)!.distance(to: p) < 1e-12)
    #expect(a.crossing(a, leastSine: 0) == nil)
    #expect(a.crossing(StraightLine(through: .zero, along: Point2(5, 1.1)), leastSine: 0.1) == nil)
    #expect(a.reversed.distance(to: Point2(0, 0)) == -a.distance(to: Point2(0, 0)))
    #expect(abs(a.distance(to: a.foot(Point2(40, -7)))) < 1e-12)
  }
}

/// Courses through points of which some are wrong.
@Suite struct RobustCourseTests {
  @Test func whatContradictsMostOthersIsLeftOut() {
    var points = (0..<21).map { (Double($0), 2 + 0.5 * Double($0)) }
    points[4].1 = 40
    points[15].1 = -7
    points[16].1 += 3
    let kept = RobustCourse.consistent(points, within: 3.5)
    #expect(kept.map { $0.0 } == points.map { $0.0 }.filter { $0 != 4 && $0 != 15 })
    #expect(RobustCourse.consistent(points, within: 2.5).count == 18)
  }

  @Test func twoPointsContradictNothing() {
    #expect(RobustCourse.consistent([(0, 1), (1, 100)], within: 1).count == 2)
    // All at one place have no slope.
    #expect(RobustCourse.consistent([(1, 1), (1, 100), (1, 50)], within: 1).count == 3)
  }

  @Test func aValueBetweenPlacesLiesOnTheWayFromOneToTheOther() {
    let points = [(0.0, 1.0), (2, 5), (4, 4)]
    #expect(RobustCourse.interpolate(points, 0.5) == 2)
    #expect(RobustCourse.interpolate(points, 3) == 4.5)
    // Several at one place count by their mean.
    #expect(RobustCourse.interpolate([(0, 1), (2, 4), (2, 6)], 2) == 5)
    #expect(RobustCourse.interpolate([], 2) == nil)
  }

  @Test func outsideItGoesOnAsTheWholeDoes() {
    let points = [(0.0, 1.0), (2, 9), (4, 5)]
    #expect(RobustCourse.interpolate(points, -2) == -1)
    #expect(RobustCourse.interpolate(points, 6) == 7)
    #expect(RobustCourse.interpolate([(3, 8)], 20) == 8)
  }

  @Test func aLineGoesThroughPointsByLeastSquares() throws {
    #expect(RobustCourse.line([], at: 1) == nil)
    let value = try #require(RobustCourse.line([(0, 0), (1, 3), (2, 3)], at: 3))
    #expect(abs(value - 5) < 1e-9)
  }
}

@Suite struct FourLinesTests {
  /// The sides of a rectangle, their normals outwards, and a line far off that is parallel to two of them.
  private let lines = [
    StraightLine(normal: Point2(0, -1), offset: 0), StraightLine(normal: Point2(1, 0), offset: 40),
    StraightLine(normal: Point2(0, 1), offset: 30), StraightLine(normal: Point2(-1, 0), offset: 0),
    StraightLine(normal: Point2(1, 0), offset: 100),
  ]

  private func found(
    _ lines: [StraightLine], isDirected: Bool, side: (Int, Int, Int) -> Double? = { _, _, _ in 1 }
  ) -> [FourLines.Found] {
    let four = FourLines(count: lines.count) { i, k in
      guard !isDirected || lines[i].normal.cross(lines[k].normal) > 0.3 else { return nil }
      return lines[i].crossing(lines[k], leastSine: 0.3)
    }
    var found: [FourLines.Found] = []
    four.forEach(isDirected: isDirected, side: side) { found.append($0) }
    return found
  }

  @Test func directedLinesMakeEachQuadrilateralOnceAndClockwise() {
    let found = found(lines, isDirected: true)
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.corners.isConvex && $0.support == 4 })
    #expect(Set(found.map { $0.corners.signedArea }) == [1200, 3000])
    for one in found {
      for i in 0..<4 {
        // A side lies on the line that it is named after.
        #expect(abs(lines[one.lines[i]].distance(to: one.corners[i])) < 1e-9)
        #expect(abs(lines[one.lines[i]].distance(to: one.corners[i + 1])) < 1e-9)
      }
    }
  }

  @Test func undirectedLinesMakeEachQuadrilateralOnce() {
    let mixed = lines.enumerated().map { $0.isMultiple(of: 2) ? $1 : $1.reversed }
    // Of the three lines that stand upright each two go with the two that lie.
    let found = found(mixed, isDirected: false)
    #expect(found.count == 3)
    #expect(Set(found.map { abs($0.corners.signedArea) }) == [1200, 1800, 3000])
    for one in found {
      for i in 0..<4 { #expect(abs(mixed[one.lines[i]].distance(to: one.corners[i])) < 1e-9) }
    }
  }

  @Test func whatIsNoSideRulesItsQuadrilateralsOut() {
    #expect(found(lines, isDirected: true) { line, _, _ in line == 4 ? nil : 2 }.map(\.support) == [8])
    #expect(found(lines, isDirected: false) { line, _, _ in line == 0 ? nil : 1 }.isEmpty)
  }

  @Test func fewerThanFourLinesMakeNone() {
    for count in 0..<4 {
      #expect(found(Array(lines.prefix(count)), isDirected: true).isEmpty)
      #expect(found(Array(lines.prefix(count)), isDirected: false).isEmpty)
    }
  }

  /// Against all orders of all fours.
  @Test func noneIsMissedAmongMany() {
    var random = RandomSource(seed: 9)
    let lines = (0..<11).map { i -> StraightLine in
      // All round, in no order.
      let angle = 2 * .pi * (Double(i * 4 % 11) + random.unit()) / 11
      return StraightLine(normal: Point2(Double.cosine(angle), Double.sine(angle)), offset: 20 + 10 * random.unit())
    }
    func follows(_ a: Int, _ b: Int) -> Bool { a != b && lines[a].normal.cross(lines[b].normal) > 0.3 }
    var expected: Set<SIMD4<Int>> = []
    for a in 0..<11 {
      for b in (a + 1)..<11 where follows(a, b) {
        for c in (a + 1)..<11 where c != b && follows(b, c) {
          for d in (a + 1)..<11 where d != b && d != c && follows(c, d) && follows(d, a) {
            expected.insert(SIMD4(a, b, c, d))
          }
        }
      }
    }
    let found = found(lines, isDirected: true).map(\.lines)
    #expect(Set(found) == expected)
    #expect(found.count == expected.count && !expected.isEmpty)
  }
}
