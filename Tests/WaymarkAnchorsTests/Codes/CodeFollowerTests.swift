import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct CodeFollowerTests {
  private static let modules = 21
  private static let pixels = 8

  /// A symbol of 21×21 modules with a quiet zone of two, another one for every seed.
  private static func symbol(_ seed: UInt64) -> GrayImage {
    var random = RandomSource(seed: seed)
    let dark = (0..<modules * modules).map { _ in random.unit() < 0.5 }
    let side = (modules + 4) * pixels
    return GrayImage(width: side, height: side) { out in
      for i in out.indices {
        let (x, y) = (i % side / pixels - 2, i / side / pixels - 2)
        let isInside = x >= 0 && y >= 0 && x < modules && y < modules
        out[i] = isInside && dark[y * modules + x] ? 40 : 220
      }
    }
  }

  /// The outer edges of the modules, in pixels of the picture.
  private static let outline = Quadrilateral(
    topLeft: Point2(15.5, 15.5), topRight: Point2(183.5, 15.5), bottomRight: Point2(183.5, 183.5),
    bottomLeft: Point2(15.5, 183.5))

  private let follower = CodeFollower(intrinsics: Stage.camera)

  private func sighting(
    _ seed: UInt64, _ map: Homography, off: Point2 = Point2(1, -0.8),
    grids: [SIMD2<Int>] = (1...40).map { SIMD2(17 + 4 * $0, 17 + 4 * $0) },
    isCertain: Bool = true
  ) -> CodeDetection {
    var corners = map.apply(Self.outline)
    // A reader's outline is off by a pixel here and there.
    corners.topLeft += off
    corners.bottomRight -= off
    return CodeDetection(
      content: .init(symbology: "qr", bytes: [UInt8(seed)]), corners: corners, grids: grids, isCertain: isCertain,
      physicalWidth: 0.2 * 168 / 200)
  }

  private func place(_ i: Int) -> Homography {
    Stage.path(Self.symbol(1), Double(i) / 30, speed: 0.6, distance: 0.45)
  }

  private func step(
    _ i: Int, _ seed: UInt64, read: [CodeDetection] = [], cover: (x: ClosedRange<Int>, y: ClosedRange<Int>)? = nil
  ) -> CodeFollower.Report {
    var shot = Stage.Shot(seed: UInt64(i))
    shot.cover = cover
    let frame = Stage.frame([(Self.symbol(seed), [place(i)])], shot)
    let reading = CodeFollower.Reading(frame: frame, time: Double(i) / 30, sightings: read)
    return frame.withView { follower.process($0, at: Double(i) / 30, read: read.isEmpty ? nil : reading) }
  }

  @Test func aCodeReadOnceIsFollowedExactly() throws {
    var sum = 0.0
    for i in 0..<20 {
      let report = step(i, 1, read: i == 0 ? [sighting(1, place(0))] : [])
      #expect(report.found == (i == 0 ? [1] : []))
      let seen = try #require(report.observations.first)
      #expect(seen.trackingMethod == .fullTracking && seen.id == 1)
      sum += seen.corners.meanCornerDistance(to: place(i).apply(Self.outline))
      #expect(seen.referenceSize == Point2(168, 168) || seen.referenceSize.x == seen.referenceSize.y)
      #expect(try #require(seen.pose).facesCamera)
    }
    // The reading was off by a pixel; the edges of all modules are not.
    #expect(sum / 20 < 0.2)
  }

  @Test func halfCoveredItIsStillKnown() throws {
    _ = step(0, 1, read: [sighting(1, place(0))])
    for i in 1..<12 {
      let middle = Int(place(i).apply(Self.outline).center.x)
      let report = step(i, 1, cover: i < 3 ? nil : (x: 0...middle, y: 0...239))
      let seen = try #require(report.observations.first)
      #expect(seen.trackingMethod == .fullTracking)
      #expect(seen.corners.meanCornerDistance(to: place(i).apply(Self.outline)) < 1.5)
    }
  }

  @Test func anotherCodeInItsPlaceIsAnotherCode() throws {
    var lost: [Int] = []
    var held: [Int] = []
    for i in 0..<26 {
      let report = step(i, i < 6 ? 1 : 2, read: i == 0 ? [sighting(1, place(0))] : [])
      lost += report.lost.map(\.id)
      if report.observations.contains(where: { $0.trackingMethod == .fullTracking }) { held.append(i) }
    }
    #expect(lost == [1])
    #expect(try #require(held.last) <= 6 + 3)
    // Read, it is a new one at once.
    let report = step(26, 2, read: [sighting(2, place(26))])
    #expect(report.found == [2])
  }

  @Test func barsAreReadTwiceAndAgainWithinASecond() {
    let bars = sighting(1, place(0), off: .zero, grids: [], isCertain: false)
    #expect(step(0, 1, read: [bars]).found.isEmpty)
    var again = bars
    again.corners = place(1).apply(Self.outline)
    #expect(step(1, 1, read: [again]).found == [1])
    var lost: [Int] = []
    for i in 2..<60 where lost.isEmpty { lost += step(i, 1).lost.map(\.id) }
    #expect(lost == [1])
  }

  /// Bars say where they are across themselves only; carried along themselves they keep their place and shape anyway.
  @Test func barsKeepTheirPlaceAndShape() throws {
    var random = RandomSource(seed: 9)
    let elements = (0..<31).map { _ in 1 + Int(random.unit() * 3.5) }
    let dark = elements.enumerated().flatMap { Array(repeating: $0.offset.isMultiple(of: 2), count: $0.element) }
    let length = 2 * dark.count
    /// Bars of two pixels a module, 60 high, carried three pixels a frame along themselves and two across.
    func frame(_ i: Int) -> (image: GrayImage, corners: Quadrilateral) {
      let (left, top) = (40 + 2 * i, 20 + 3 * i)
      let image = GrayImage(width: 320, height: 240) { out in
        for k in out.indices {
          let (x, y) = (k % 320 - left, k / 320 - top)
          let isInside = x >= 0 && y >= 0 && x < length && y < 60
          out[k] = UInt8((isInside && dark[x / 2] ? 50 : 210) + Int(random.unit() * 6))
        }
      }
      let p = Point2(Double(left) - 0.5, Double(top) - 0.5), (w, h) = (Double(length), 60.0)
      return (
        image,
        Quadrilateral(
          topLeft: p, topRight: p + Point2(w, 0), bottomRight: p + Point2(w, h), bottomLeft: p + Point2(0, h))
      )
    }
    for i in 0..<28 {
      let (image, corners) = frame(i)
      let sighting = CodeDetection(
        content: .init(symbology: "ean13", bytes: [1]), corners: corners, grids: [], isLinear: true)
      let reading = CodeFollower.Reading(frame: image, time: Double(i) / 30, sightings: [sighting])
      let report = image.withView { follower.process($0, at: Double(i) / 30, read: i == 0 ? reading : nil) }
      let seen = try #require(report.observations.first)
      #expect(seen.trackingMethod == .fullTracking)
      #expect(seen.corners.meanCornerDistance(to: corners) < 1, "frame \(i)")
    }
  }

  @Test func theGridIsFoundAmongAll() throws {
    let frame = Stage.frame([(Self.symbol(3), [place(0)])])
    try frame.withView { view in
      let sampler = CodeSampler(frame: view, lens: nil)
      let all = (1...40).map { SIMD2(17 + 4 * $0, 17 + 4 * $0) }
      #expect(sampler.grid(of: place(0).apply(Self.outline), all) == SIMD2(21, 21))
      // Where nothing is, no grid is made up.
      let empty = Quadrilateral(
        topLeft: Point2(5, 5), topRight: Point2(25, 5), bottomRight: Point2(25, 25), bottomLeft: Point2(5, 25))
      _ = sampler.grid(of: empty, all)
      let modules = try #require(sampler.modules(place(0).apply(Self.outline), SIMD2(21, 21)))
      #expect(modules.isLight(-1, 5) && modules.isLight(21, 5))
    }
  }

  @Test func oddSightingsAreSurvived() {
    let point = Quadrilateral(topLeft: .zero, topRight: .zero, bottomRight: .zero, bottomLeft: .zero)
    var odd = sighting(1, place(0))
    odd.corners = point
    #expect(step(0, 1, read: [odd]).observations.isEmpty)
    odd.corners = Homography.translation(Point2(5000, 5000)).apply(Self.outline)
    _ = step(1, 1, read: [odd])
    odd.corners.topLeft.x = .nan
    #expect(step(2, 1, read: [odd]).found.isEmpty)
  }
}
