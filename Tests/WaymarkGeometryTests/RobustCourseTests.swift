import Testing
import WaymarkImage

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
