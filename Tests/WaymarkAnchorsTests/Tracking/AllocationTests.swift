import Testing
import WaymarkImage

@testable import WaymarkAnchors

/// After the first frames nothing on the way of a frame takes memory: `Scripts/test-allocations` runs these.
@Suite(.serialized, .enabled(if: AllocationCount.counter != nil)) struct AllocationTests {
  private let frames = (0..<8).map { i in
    Scenery.frame(
      Scenery.picture(seed: 1),
      Homography(
        SIMD3(0.7 + 0.02 * Double(i), -0.1, 100 + 3 * Double(i)), SIMD3(0.1, 0.75 + 0.02 * Double(i), 50),
        SIMD3(0.0001, 0.0001, 1)),
      on: Scenery.picture(seed: 50, width: 640, height: 480))
  }

  @Test func theCounterCounts() throws {
    let count = try #require(
      AllocationCount.during { _ = (0..<3).map { _ in [UInt8](repeating: 1, count: 100).count } })
    #expect(count >= 3)
  }

  @Test func followingAndSearchingTakeNoMemory() throws {
    try Scenery.withLibrary(Scenery.anchors) { library, _ in
      let engine = AnchorEngine(library: library)
      var (seen, searches) = (0, 0)
      func step(_ i: Int) {
        let k = i % 14
        frames[k < 8 ? k : 14 - k].withView {
          let report = engine.process($0, at: Double(i) / 30)
          seen += report.observations.count
          searches += report.searched ? 1 : 0
        }
      }
      for i in 0..<45 { step(i) }
      (seen, searches) = (0, 0)
      // Three searches of the whole frame are among these.
      let count = try #require(AllocationCount.during { for i in 45..<90 { step(i) } })
      #expect(count == 0)
      #expect(seen == 45 && searches == 3)
    }
  }

  @Test func detectionTakesNoMemory() throws {
    let empty = (0..<2).map { Scenery.picture(seed: UInt64(60 + $0), width: 640, height: 480) }
    try Scenery.withLibrary(Scenery.anchors) { library, _ in
      let detector = AnchorDetector(library: library)
      var found = 0
      func look() {
        for f in [frames[0], frames[7], empty[0], empty[1]] { found += f.withView { detector.detect($0) }.count }
      }
      for _ in 0..<2 { look() }
      found = 0
      let pictures = [frames[0], frames[7], empty[0], empty[1]]
      let count = try #require(
        AllocationCount.during { for f in pictures { found += f.withView { detector.detect($0).count } } })
      #expect(count == 0)
      #expect(found == 2)
    }
  }
}
