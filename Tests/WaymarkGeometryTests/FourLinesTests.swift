import Testing
import WaymarkImage

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
