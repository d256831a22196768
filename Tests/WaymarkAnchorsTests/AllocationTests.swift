import Foundation
import Testing
import WaymarkImage

@testable import WaymarkAnchors

/// After the first frames no stage of recognising and following anchors takes memory, on drawn frames: `Scripts/test-allocations` runs
/// this. `Benchmarks/anchors/stages` has it print the times, too, which no test judges.
@Suite(.enabled(if: AllocationCount.counter != nil)) struct StageAllocationTests {
  /// Where times are printed, a stage runs often enough for a median.
  private static let tellsTimes = ProcessInfo.processInfo.environment["WAYMARK_BENCH"] != nil

  private static var cpu: Double {
    var t = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t)
    return Double(t.tv_sec) + 1e-9 * Double(t.tv_nsec)
  }

  /// The median time of a step in milliseconds, and the most allocations of one run after the first ones.
  private func measure(_ name: String, runs: Int? = nil, warm: Int = 10, _ body: (Int) -> Void) -> UInt64 {
    let runs = runs ?? (Self.tellsTimes ? 60 : warm + 4)
    var times: [Double] = []
    var most: UInt64 = 0
    times.reserveCapacity(runs)
    for i in 0..<runs {
      let before = AllocationCount.counter?() ?? 0
      let start = Self.cpu
      body(i)
      let seconds = Self.cpu - start
      let made = (AllocationCount.counter?() ?? 0) - before
      if i >= warm {
        times.append(1e3 * seconds)
        most = max(most, made)
      }
    }
    guard Self.tellsTimes else { return most }
    times.sort()
    let line = String(
      format: "%-34@ %8.3f ms  p95 %8.3f  allocations ", name as NSString, times[times.count / 2],
      times[times.count * 95 / 100])
    FileHandle.standardError.write(Data("\(line)\(most)\n".utf8))
    return most
  }

  @Test func noStageTakesMemory() throws {
    let picture = Scenery.picture(seed: 1)
    let frames = (0..<8).map { i in
      Scenery.frame(
        picture,
        Homography(
          SIMD3(0.7, -0.1, 120 + 3 * Double(i)), SIMD3(0.1, 0.75, 60 + 2 * Double(i)), SIMD3(0.0001, 0.0001, 1)),
        on: Scenery.picture(seed: 50, width: 640, height: 480))
    }
    let empty = (0..<8).map { Scenery.picture(seed: UInt64(60 + $0), width: 640, height: 480) }
    let library = try Scenery.library(Scenery.anchors)
    var most: [String: UInt64] = [:]
    func stage(_ name: String, _ body: (GrayImage) -> Void) {
      most[name] = measure(name) { body(frames[$0 % 8]) }
    }
    let pyramid = GrayPyramid()
    stage("pyramid") { $0.withView { pyramid.update($0, levels: 7) } }
    let extractor = FeatureExtractor()
    stage("features") { $0.withView { extractor.extract($0) } }
    let enlarging = FeatureExtractor(settings: .enlarging)
    stage("features, doubled") { $0.withView { enlarging.extract($0, doubled: true) } }
    let lookup = FeatureLookup(library: library, features: extractor.features.capacity)
    stage("lookup") { _ in lookup.run(extractor.features) }
    let search = HypothesisSearch(library: library, matches: lookup.limit)
    stage("hypotheses") { _ in
      search.run(lookup.matches, count: lookup.count, features: extractor.features.features)
    }
    let guided = GuidedMatcher(library: library, features: extractor.features.capacity)
    let hypothesis = try #require(search.hypotheses.first)
    stage("guided matching, a round") { _ in
      guided.load(extractor.features, width: 640, height: 480)
      guided.run(hypothesis.anchor, .plane(hypothesis.homography), radius: 16, extractor.features)
    }
    let image = try #require(library.references[0].image)
    let template = AnchorTemplate(image)
    stage("template of an anchor") { _ in _ = AnchorTemplate(image) }
    let aligner = PatchAligner()
    stage("alignment") { frame in
      frame.withView { pyramid.update($0, levels: 7) }
      _ = aligner.align(template, from: .plane(hypothesis.homography), in: pyramid)
    }
    let detector = AnchorDetector(library: library)
    stage("detection") { frame in _ = frame.withView { detector.detect($0) } }
    most["detection, no anchor"] = measure("detection, no anchor") { i in
      _ = empty[i % 8].withView { detector.detect($0) }
    }
    let engine = AnchorEngine(library: library)
    most["following"] = measure("following", runs: Self.tellsTimes ? 120 : 60, warm: 40) { i in
      let step = i % 14
      _ = frames[step < 8 ? step : 14 - step].withView { engine.process($0, at: Double(i) / 30) }
    }
    // A template is made once for an anchor, all else works in memory that is kept.
    most["template of an anchor"] = nil
    #expect(most.count == 10)
    for (name, count) in most { #expect(count == 0, "\(name) allocates") }
  }
}

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
    let library = try Scenery.library(Scenery.anchors)
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

  @Test func lookingFromOtherDirectionsTakesNoMemory() throws {
    let empty = Scenery.picture(seed: 60, width: 640, height: 480)
    let engine = AnchorEngine(library: try Scenery.library(Scenery.anchors))
    func step(_ i: Int) { empty.withView { _ = engine.process($0, at: Double(i) / 30) } }
    let round = 4 * TiltedFrames.views.count
    // Two seconds and a round of the directions.
    for i in 0..<(60 + round) { step(i) }
    let count = try #require(AllocationCount.during { for i in (60 + round)..<(60 + 2 * round) { step(i) } })
    #expect(count == 0)
  }

  @Test func detectionTakesNoMemory() throws {
    let empty = (0..<2).map { Scenery.picture(seed: UInt64(60 + $0), width: 640, height: 480) }
    let library = try Scenery.library(Scenery.anchors)
    let detector = AnchorDetector(library: library)
    var found = 0
    // By index: an array's iterator takes memory where the tests are not optimised.
    let pictures = [frames[0], frames[7], empty[0], empty[1]]
    func look() {
      for i in 0..<4 { pictures[i].withView { found += detector.detect($0).count } }
    }
    for _ in 0..<2 { look() }
    found = 0
    let count = try #require(AllocationCount.during { look() })
    #expect(count == 0)
    #expect(found == 2)
  }
}

/// How often the calling thread has requested memory, counted by a library that is loaded before the tests
/// (`Tests/Support/allocations`, `Scripts/test-allocations`).
enum AllocationCount {
  static let counter: (@Sendable () -> UInt64)? = {
    guard let symbol = dlsym(nil, "counted_allocations") else { return nil }
    typealias Count = @convention(c) () -> UInt64
    let count = unsafeBitCast(symbol, to: Count.self)
    return { count() }
  }()

  /// How often `body` asks for memory; `nil` without the library.
  static func during(_ body: () -> Void) -> UInt64? {
    guard let counter else { return nil }
    let before = counter()
    body()
    return counter() - before
  }
}
