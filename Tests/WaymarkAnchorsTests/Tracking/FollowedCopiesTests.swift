import Testing
import WaymarkImage

@testable import WaymarkAnchors

/// A source with the anchors of a library.
private class LibrarySource: ScriptedSource {
  let detector: AnchorDetector

  init(_ library: AnchorLibrary) {
    detector = AnchorDetector(library: library)
    super.init(library.references)
  }

  override func template(_ anchor: Int) -> AnchorTemplate { detector.template(anchor) }
}

/// Copies that a camera moves along: which number each has, and for how long.
@Suite struct FollowedCopiesTests {
  private static let picture = Scenery.picture(seed: 2)
  private static let outline = Quadrilateral(width: 480, height: 360)

  /// A row of copies, shifted by `x` pixels.
  private static func row(_ count: Int, x: Double, scale: Double = 0.3) -> [Homography] {
    (0..<count).map { i in
      Homography(
        SIMD3(scale, 0, 20 + 160 * Double(i % 4) + x), SIMD3(0, scale, 30 + 125 * Double(i / 4)), SIMD3(0, 0, 1))
    }
  }

  private static func frame(_ places: [Homography]) -> GrayImage {
    places.reduce(GrayImage(width: 640, height: 480, value: 90)) { Scenery.frame(picture, $1, on: $0) }
  }

  /// Which copy stands at each place.
  private static func copies(_ report: AnchorReport, at places: [Homography]) -> [Int?] {
    places.map { place in
      let corners = place.apply(outline)
      let here = report.observations.filter {
        $0.trackingMethod == .fullTracking && $0.corners.meanCornerDistance(to: corners) < 2
      }
      // No two on one thing.
      return here.count == 1 ? here[0].copy : nil
    }
  }

  private func engine(_ copies: Int) throws -> AnchorEngine {
    var options = AnchorEngine.Options()
    options.copies = AnchorCopies(copies)
    return AnchorEngine(library: try Scenery.library(Scenery.anchors), options: options)
  }

  @Test func everyCopyKeepsItsNumberWhileItIsFollowed() throws {
    let engine = try engine(20)
    var numbers: [[Int?]] = []
    for i in 0..<40 {
      let places = Self.row(5, x: 1.5 * Double(i % 20 < 10 ? i % 10 : 10 - i % 10))
      let report = Self.frame(places).withView { engine.process($0, at: Double(i) / 30) }
      #expect(report.observations.count <= 5)
      if i >= 20 { numbers.append(Self.copies(report, at: places)) }
    }
    #expect(Set(numbers).count == 1)
    #expect(Set(numbers[0].compactMap { $0 }).count == 5)
  }

  @Test func whatLeavesAndComesBackIsANewOne() throws {
    let engine = try engine(20)
    let places = Self.row(3, x: 0)
    let (all, two) = (Self.frame(places), Self.frame(Array(places.prefix(2))))
    var first: [Int?] = []
    var (found, lost) = ([Int](), [Int]())
    for i in 0..<90 {
      let report = (i < 30 || i >= 60 ? all : two).withView { engine.process($0, at: Double(i) / 30) }
      found += report.found
      lost += report.lost.compactMap(\.copy)
      if i == 29 { first = Self.copies(report, at: places) }
      if i == 59 { #expect(Self.copies(report, at: Array(places.prefix(2))) == Array(first.prefix(2))) }
      if i == 89 {
        let now = Self.copies(report, at: places)
        #expect(Array(now.prefix(2)) == Array(first.prefix(2)))
        let (before, after) = try (#require(first[2]), #require(now[2]))
        #expect(after > before)
      }
    }
    #expect(found == [1, 1, 1, 1])
    #expect(lost == [first[2]])
  }

  /// The copy between two others is covered: nothing may hold on to one of those in its place.
  @Test func twoTracksNeverHoldOneThing() throws {
    let engine = try engine(20)
    let scale = 0.11
    let places = (0..<3).map {
      Homography(SIMD3(scale, 0, 200 + 58 * Double($0)), SIMD3(0, scale, 200), SIMD3(0, 0, 1))
    }
    let (all, outer) = (Self.frame(places), Self.frame([places[0], places[2]]))
    for i in 0..<60 {
      let report = (i < 30 ? all : outer).withView { engine.process($0, at: Double(i) / 30) }
      let seen = report.observations.filter { $0.trackingMethod == .fullTracking }
      for (k, a) in seen.enumerated() { #expect(!seen[..<k].contains { $0.corners.overlaps(a.corners) }) }
      if i == 29 { #expect(Set(Self.copies(report, at: places).compactMap { $0 }).count == 3) }
      if i == 59 { #expect(seen.count == 2) }
    }
  }

  @Test func noMoreThanAreAllowedAreFollowed() throws {
    let engine = try engine(2)
    let frame = Self.frame(Self.row(5, x: 0))
    for i in 0..<40 {
      let report = frame.withView { engine.process($0, at: Double(i) / 30) }
      #expect(report.observations.count <= 2)
      if i == 39 { #expect(report.observations.count == 2) }
    }
  }

  @Test func whereOneIsAllowedNothingHasANumber() throws {
    let engine = try engine(1)
    let frame = Self.frame(Self.row(3, x: 0))
    for i in 0..<20 {
      let report = frame.withView { engine.process($0, at: Double(i) / 30) }
      #expect(report.observations.count == 1 && report.observations[0].copy == nil)
    }
    #expect(engine.lastCopy == 0)
  }

  /// An engine that replaces another one continues with its numbers.
  @Test func numbersGoOn() throws {
    let engine = try engine(5)
    engine.lastCopy = 7
    let report = Self.frame(Self.row(2, x: 0)).withView { engine.process($0, at: 0) }
    #expect(Set(report.observations.map(\.copy)) == [8, 9])
  }

  /// A search gets the followed copies, beside which further ones may stand; anchors with one copy are left out.
  @Test(arguments: [1, 20]) func searchesStartFromTheCopiesThatAreFollowed(allowed: Int) throws {
    let library = try Scenery.library(Scenery.anchors)
    final class Listening: LibrarySource {
      var received: [[DetectedAnchor]] = []
      /// The first look finds only the first copy of the frame.
      override func detections(
        in frame: ImageView, known: [Quadrilateral], beside others: [DetectedAnchor]
      ) -> [DetectedAnchor] {
        received.append(others)
        detector.copies = copies
        let found = detector.detections(in: frame, known: known, beside: others)
        return received.count > 1 ? found : found.filter { $0.homography.row0.z < 100 }
      }
    }
    let source = Listening(library)
    var options = AnchorEngine.Options()
    options.copies = AnchorCopies(allowed)
    let engine = AnchorEngine(source: source, options: options)
    let places = Self.row(3, x: 0)
    let frame = Self.frame(places)
    for i in 0..<40 { _ = frame.withView { engine.process($0, at: Double(i) / 30) } }
    #expect(source.received.count >= 2 && source.received[0].isEmpty)
    let first = places[0].apply(Self.outline)
    let isFirst = source.received[1].map { $0.homography.apply(Self.outline).meanCornerDistance(to: first) < 2 }
    #expect(isFirst == (allowed > 1 ? [true] : []))
  }

  /// More copies than there may be, each frame at other places: what is kept stays bounded.
  @Test func whatIsKeptIsBounded() throws {
    let library = try Scenery.library(Scenery.anchors)
    final class Restless: LibrarySource {
      var turn = 0
      override func detections(
        in frame: ImageView, known: [Quadrilateral], beside _: [DetectedAnchor]
      ) -> [DetectedAnchor] {
        turn += 1
        return (0..<60).map { i in
          DetectedAnchor(
            anchor: 1,
            homography: Homography(
              SIMD3(0.1, 0, 50 * Double(i % 12) + Double(turn * 7 % 40)),
              SIMD3(0, 0.1, 60 * Double(i / 12) + Double(turn * 11 % 50)), SIMD3(0, 0, 1)),
            inliers: 20, score: 0.9)
        }
      }
    }
    var options = AnchorEngine.Options()
    options.copies = AnchorCopies(30)
    let engine = AnchorEngine(source: Restless(library), options: options)
    let blank = GrayImage(width: 640, height: 480, value: 90)
    for i in 0..<30 {
      let report = blank.withView { engine.process($0, at: Double(i) / 30) }
      #expect(report.observations.count <= AnchorCopies.most)
    }
  }
}
