import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct CopiesTests {
  private static let outline = Quadrilateral(width: 480, height: 360)

  /// Upright copies in rows, each a little turned.
  private static func places(_ count: Int, columns: Int, scale: Double, width: Double = 640) -> [Homography] {
    (0..<count).map { i in
      let pitch = width / Double(columns)
      let (x, y) = (Double(i % columns) * pitch + 8, Double(i / columns) * (360 * scale + 12) + 10)
      let turn = 0.03 * Double(i % 3 - 1) * scale
      return Homography(SIMD3(scale, -turn, x + 4), SIMD3(turn, scale, y), SIMD3(0, 0, 1))
    }
  }

  private static func frame(_ places: [Homography], of picture: GrayImage, width: Int = 640, height: Int = 480)
    -> GrayImage
  {
    places.reduce(GrayImage(width: width, height: height, value: 90)) {
      Scenery.frame(picture, $1, width: width, height: height, on: $0)
    }
  }

  /// Expects as many claims as there are places, each at another one.
  private func expect(_ claims: [DetectedAnchor], at places: [Homography]) {
    var left = places.map { $0.apply(Self.outline) }
    for claim in claims {
      let corners = claim.homography.apply(Self.outline)
      guard let i = left.firstIndex(where: { $0.meanCornerDistance(to: corners) < 1.5 }) else {
        Issue.record("a claim at \(corners.center), where no copy is left")
        continue
      }
      left.remove(at: i)
    }
    #expect(left.isEmpty, "\(left.count) copies were not reported")
  }

  @Test(arguments: [(2, 2, 0.6), (3, 2, 0.55), (5, 3, 0.4)])
  func everyCopyIsReported(_ count: Int, _ columns: Int, _ scale: Double) throws {
    let places = Self.places(count, columns: columns, scale: scale)
    let frame = Self.frame(places, of: Scenery.picture(seed: 2))
    let library = try Scenery.library(Scenery.anchors)
    let detector = AnchorDetector(library: library)
    let one = frame.withView { detector.detect($0) }
    #expect(one.map(\.anchor) == [1])
    detector.copies = AnchorCopies(20)
    let all = frame.withView { detector.detect($0) }
    #expect(all.allSatisfy { $0.anchor == 1 })
    expect(all, at: places)
  }

  /// Copies of 84 × 63 pixels with little in them: of many of them too few corners are recognised, and the rest is found by its place in the row.
  @Test func aFullShelfIsReadToItsEnd() throws {
    let picture = Self.dull
    let anchor = AnchorCompiler().compile(name: "dull", physicalWidth: nil, image: picture)
    let places = Self.places(30, columns: 6, scale: 0.175)
    let frame = Self.noisy(Self.frame(places, of: picture))
    let library = try Scenery.library(Scenery.anchors + [anchor])
    let detector = AnchorDetector(library: library)
    detector.copies = AnchorCopies(30)
    let claims = frame.withView { detector.detect($0) }
    #expect(claims.allSatisfy { $0.anchor == 3 })
    expect(claims, at: places)
  }

  /// A picture with a few shapes of little contrast.
  private static var dull: GrayImage {
    let full = Scenery.picture(seed: 9)
    return GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(110 + Int(full[i % 480 / 2 + 120, i / 480 / 2 + 90]) / 5) }
    }
  }

  private static func noisy(_ image: GrayImage) -> GrayImage {
    var random = RandomSource(seed: 5)
    return GrayImage(width: image.width, height: image.height) { pixels in
      for i in pixels.indices {
        let noise = random.below(7) + random.below(7) - 6
        pixels[i] = UInt8(min(255, max(0, Int(image[i % image.width, i / image.width]) + noise)))
      }
    }
  }

  @Test func asManyAsAreAllowedOfEachAreReported() throws {
    let (left, right) = (Self.places(3, columns: 4, scale: 0.3), Self.places(7, columns: 4, scale: 0.3).suffix(3))
    let first = Self.frame(left, of: Scenery.picture(seed: 1))
    let frame = right.reduce(first) { Scenery.frame(Scenery.picture(seed: 3), $1, on: $0) }
    let library = try Scenery.library(Scenery.anchors)
    let detector = AnchorDetector(library: library)
    detector.copies = AnchorCopies(named: ["picture-1": 2, "picture-3": 30])
    let claims = frame.withView { detector.detect($0) }
    #expect(claims.filter { $0.anchor == 0 }.count == 2)
    expect(claims.filter { $0.anchor == 2 }, at: Array(right))
  }

  /// A frame with more copies than are reported.
  @Test func thirtyAreTheMost() throws {
    let places = Self.places(36, columns: 6, scale: 0.3, width: 960)
    let frame = Self.frame(places, of: Scenery.picture(seed: 2), width: 960, height: 760)
    let library = try Scenery.library(Scenery.anchors)
    let detector = AnchorDetector(library: library)
    detector.copies = AnchorCopies(1_000)
    let claims = frame.withView { detector.detect($0) }
    #expect(claims.count == AnchorCopies.most)
    let outlines = claims.map { $0.homography.apply(Self.outline) }
    for (i, a) in outlines.enumerated() { #expect(!outlines[..<i].contains { $0.overlaps(a) }) }
  }

  @Test func oneIsOneAndNothingIsNothing() throws {
    let place = Homography(SIMD3(0.45, 0.1, 180), SIMD3(-0.1, 0.9, 110), SIMD3(-0.0003, 0.0002, 1))
    let library = try Scenery.library(Scenery.anchors)
    let detector = AnchorDetector(library: library)
    detector.copies = AnchorCopies(20)
    let frame = Scenery.frame(Scenery.picture(seed: 2), place)
    expect(frame.withView { detector.detect($0) }, at: [place])
    for seed in 60..<66 as Range<UInt64> {
      let foreign = Scenery.picture(seed: seed, width: 640, height: 480)
      #expect(foreign.withView { detector.detect($0) }.isEmpty)
    }
  }

  /// A picture that repeats itself is not a row of copies of itself.
  @Test func aPatternIsNotSeveralCopies() throws {
    let tile = Scenery.picture(seed: 5, width: 120, height: 120)
    let pattern = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices { pixels[i] = tile[i % 480 % 120, i / 480 % 120] }
    }
    let anchor = AnchorCompiler().compile(name: "pattern", physicalWidth: nil, image: pattern)
    let library = try Scenery.library([anchor])
    let detector = AnchorDetector(library: library)
    detector.copies = AnchorCopies(20)
    let frame = Scenery.frame(pattern, Homography(SIMD3(0.8, 0.05, 120), SIMD3(-0.05, 0.8, 90), SIMD3(0, 0, 1)))
    let claims = frame.withView { detector.detect($0) }
    #expect(claims.count <= 1)
  }

  @Test func numbersOutOfBoundsCountAsTheNearest() {
    #expect(AnchorCopies(0) == AnchorCopies())
    #expect(AnchorCopies(-3).isSingle && AnchorCopies(31) == AnchorCopies(30))
    let copies = AnchorCopies(2, named: ["a": 1, "b": 99, "c": 2])
    #expect(["a", "b", "c", "d"].map { copies.allowed(of: $0) } == [1, 30, 2, 2])
    #expect(!copies.isSingle && AnchorCopies(named: ["a": 1]).isSingle)
  }

  @Test func outlinesOverlapByAFifthOfTheSmallerOne() {
    func square(_ x: Double, _ size: Double = 100) -> Quadrilateral {
      Quadrilateral(
        topLeft: Point2(x, 0), topRight: Point2(x + size, 0), bottomRight: Point2(x + size, size),
        bottomLeft: Point2(x, size))
    }
    #expect(square(0).overlaps(square(60)) && square(60).overlaps(square(0)))
    #expect(!square(0).overlaps(square(90)) && !square(0).overlaps(square(300)))
    #expect(square(0).overlaps(square(40, 10)) && square(40, 10).overlaps(square(0)))
  }
}

@Suite struct CopyPlanesTests {
  private static let size = Quadrilateral(width: 480, height: 360)
  /// A copy seen aslant.
  private static let copy = Homography(SIMD3(0.2, 0.03, 120), SIMD3(-0.01, 0.22, 90), SIMD3(0.0004, -0.0002, 1))

  private static var planes: CopyPlanes {
    var planes = CopyPlanes()
    planes.add(copy, copy.apply(size))
    return planes
  }

  @Test func oneMatchGivesThePlaceOfTheNextCopy() throws {
    let next = Self.copy * Homography.translation(Point2(510, 20))
    let reference = Point2(100, 300)
    let seen = next.apply(reference)
    let map = try #require(
      Self.planes.map(
        from: SIMD2(Float(reference.x), Float(reference.y)), to: SIMD2(Float(seen.x), Float(seen.y))))
    #expect(map.apply(Self.size).meanCornerDistance(to: next.apply(Self.size)) < 0.01)
  }

  @Test func theNearestCopyDecides() throws {
    var planes = Self.planes
    let other = Homography(SIMD3(0.5, 0, 500), SIMD3(0, 0.5, 400), SIMD3(0, 0, 1))
    planes.add(other, other.apply(Self.size))
    let (map, point) = try #require(planes.point(at: SIMD2(600, 500)))
    #expect(map == other)
    #expect(point.distance(to: Point2(200, 200)) < 1e-6)
  }

  @Test func beyondTheHorizonThereIsNothing() {
    // Where the plane's depth has no place in the frame.
    let steep = Homography(SIMD3(0.2, 0, 0), SIMD3(0, 0.2, 0), SIMD3(0.002, 0, 1))
    var planes = CopyPlanes()
    #expect(planes.isEmpty && planes.point(at: SIMD2(0, 0)) == nil)
    planes.add(steep, steep.apply(Self.size))
    #expect(planes.point(at: SIMD2(40, 0)) != nil)
    #expect(planes.point(at: SIMD2(200, 0)) == nil)
  }
}

@Suite struct NeighbourPlacesTests {
  private static let reference = AnchorReference(
    name: "a", physicalWidth: nil, image: GrayImage(width: 480, height: 360, value: 0))
  private static let frame = Point2(640, 480)
  /// 96 × 72 pixels with its middle at a place of the frame.
  private static func copy(at middle: Point2) -> Homography {
    Homography(SIMD3(0.2, 0, middle.x - 48), SIMD3(0, 0.2, middle.y - 36), SIMD3(0, 0, 1))
  }
  private static func outline(_ map: Homography) -> Quadrilateral { map.apply(Quadrilateral(width: 480, height: 360)) }
  private static func middles(_ maps: [Homography]) -> [Point2] { maps.map { outline($0).center } }

  @Test func everySideWithRoomIsHandedOutOnce() {
    var places = NeighbourPlaces()
    let copy = Self.copy(at: Point2(300, 240))
    let first = places.beside(copy, Self.reference, in: Self.frame, except: [Self.outline(copy)], doubled: false)
    #expect(first.count == 4)
    let right = Self.middles(first)[0]
    #expect(abs(right.x - 300 - 96 * 1.06) < 1 && abs(right.y - 240) < 1)
    #expect(places.beside(copy, Self.reference, in: Self.frame, except: [], doubled: false).isEmpty)
    #expect(places.beside(copy, Self.reference, in: Self.frame, except: [], doubled: true).count == 4)
    places.beginFrame()
    #expect(places.beside(copy, Self.reference, in: Self.frame, except: [], doubled: false).count == 4)
  }

  @Test func noneLiesOnAClaimOrOutsideOfTheFrame() {
    var places = NeighbourPlaces()
    let copy = Self.copy(at: Point2(60, 50))
    let beside = Self.outline(Self.copy(at: Point2(160, 50)))
    let found = Self.middles(
      places.beside(copy, Self.reference, in: Self.frame, except: [Self.outline(copy), beside], doubled: false))
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.y > 110 })
  }
}
