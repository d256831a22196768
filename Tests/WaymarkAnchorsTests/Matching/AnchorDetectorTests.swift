import Testing
import WaymarkImage

@testable import WaymarkAnchors

struct AnchorDetectorTests {
  /// Maps reference → frame: upright, turned and small, steeply tilted.
  static let maps: [Homography] = [
    Homography(SIMD3(0.8, 0, 120), SIMD3(0, 0.8, 90), SIMD3(0, 0, 1)),
    Homography(SIMD3(0.28, -0.3, 300), SIMD3(0.3, 0.28, 120), SIMD3(0, 0, 1)),
    Homography(SIMD3(0.45, 0.1, 180), SIMD3(-0.1, 0.9, 110), SIMD3(-0.0003, 0.0002, 1)),
  ]

  private static let outline = Quadrilateral(width: 480, height: 360)

  @Test(arguments: maps.indices) func knownWarpsAreRecovered(_ index: Int) throws {
    let map = Self.maps[index]
    let library = try Scenery.library(Scenery.anchors)
    let frame = Scenery.frame(Scenery.picture(seed: 2), map)
    let detections = frame.withView { AnchorDetector(library: library).detect($0) }
    try #require(detections.count == 1)
    #expect(detections[0].anchor == 1)
    #expect(detections[0].homography.apply(Self.outline).meanCornerDistance(to: map.apply(Self.outline)) < 0.5)
  }

  @Test func aSmallAnchorIsFoundByLookingTwice() throws {
    let map = Homography(SIMD3(0.16, -0.05, 300), SIMD3(0.05, 0.16, 200), SIMD3(0, 0, 1))
    let library = try Scenery.library(Scenery.anchors)
    let frame = Scenery.frame(Scenery.picture(seed: 1), map)
    let detections = frame.withView { AnchorDetector(library: library).detect($0) }
    try #require(detections.count == 1)
    #expect(detections[0].anchor == 0)
    #expect(detections[0].homography.apply(Self.outline).meanCornerDistance(to: map.apply(Self.outline)) < 1.5)
  }

  /// The left part of a reference in a frame out of focus, with noise.
  private static func dim(_ picture: GrayImage, width: Int, _ map: Homography, sigma: Double) -> GrayImage {
    let part = picture.withView {
      GrayImage(copying: ImageView(base: $0.base, width: width, height: $0.height, stride: $0.stride))
    }
    let sharp = Scenery.frame(part, map, on: Scenery.picture(seed: 70, width: 640, height: 480))
    var random = RandomSource(seed: 9)
    return GrayImage(width: sharp.width, height: sharp.height) { pixels in
      guard let base = pixels.baseAddress else { return }
      base.update(from: sharp.unsafeView.base, count: pixels.count)
      GaussianBlur.apply(base, width: sharp.width, height: sharp.height, sigma: sigma)
      for i in pixels.indices { pixels[i] = UInt8(min(255, max(0, Int(pixels[i]) + random.below(17) - 8))) }
    }
  }

  /// Fewer than four matches agree here: two are enough where the first look has found nothing, and the proof is the same.
  @Test(arguments: [(2, 110, 2, 2.0), (3, 180, 1, 3.0)])
  func whatHasFewMatchesIsFound(_ seed: Int, _ width: Int, _ index: Int, _ sigma: Double) throws {
    let map = Self.maps[index]
    let frame = Self.dim(Scenery.picture(seed: UInt64(seed)), width: width, map, sigma: sigma)
    let library = try Scenery.library(Scenery.anchors)
    let claims = frame.withView { AnchorDetector(library: library).detect($0) }
    try #require(claims.map(\.anchor) == [seed - 1])
    let seen = Quadrilateral(width: Double(width), height: 360)
    #expect(claims[0].homography.apply(seen).meanCornerDistance(to: map.apply(seen)) < 3)
  }

  @Test func twoAnchorsInOneFrame() throws {
    let left = Homography(SIMD3(0.5, 0, 20), SIMD3(0, 0.5, 40), SIMD3(0, 0, 1))
    let right = Homography(SIMD3(0.5, 0.05, 340), SIMD3(-0.05, 0.5, 240), SIMD3(0, 0, 1))
    let library = try Scenery.library(Scenery.anchors)
    let first = Scenery.frame(Scenery.picture(seed: 1), left)
    let frame = Scenery.frame(Scenery.picture(seed: 3), right, on: first)
    let detector = AnchorDetector(library: library)
    let detections = frame.withView { detector.detect($0) }
    #expect(Set(detections.map(\.anchor)) == [0, 2])
    // A known place is not looked at.
    let known = left.apply(Quadrilateral(width: 480, height: 360))
    let rest = frame.withView { detector.detect($0, except: [known]) }
    #expect(rest.map(\.anchor) == [2])
  }

  @Test func aFrameFullOfAnchorsIsReadInOneGo() throws {
    let compiler = AnchorCompiler()
    let pictures = (1...12).map { Scenery.picture(seed: UInt64(40 + $0)) }
    let anchors = pictures.enumerated().map {
      compiler.compile(name: "\($0.offset)", physicalWidth: nil, image: $0.element)
    }
    let library = try Scenery.library(anchors)
    var frame = GrayImage(width: 640, height: 480, value: 90)
    for (i, picture) in pictures.enumerated() {
      let (x, y) = (20 + 155 * Double(i % 4), 30 + 150 * Double(i / 4))
      frame = Scenery.frame(
        picture, Homography(SIMD3(0.28, 0.01, x), SIMD3(-0.01, 0.28, y), SIMD3(0, 0, 1)), on: frame)
    }
    let detections = frame.withView { AnchorDetector(library: library).detect($0) }
    #expect(detections.count >= 8)
    #expect(Set(detections.map(\.anchor)).count == detections.count)
    // The engine searches on in the next frames until there is nothing more to find.
    let engine = AnchorEngine(library: library)
    var seen = 0
    for i in 0..<20 { seen = frame.withView { engine.process($0, at: Double(i) / 30) }.observations.count }
    #expect(seen >= 11)
  }

  /// A picture of 1,200 pixels as an anchor, and the map of its reference that is 5.5 times its size around a place.
  private static let large = Scenery.picture(seed: 71, width: 1200, height: 900)
  private static func near(_ x: Double, _ y: Double) -> Homography {
    let (c, s) = (5.5 * Double.cosine(0.4), 5.5 * Double.sine(0.4))
    return Homography(SIMD3(c, -s, 320 - c * x + s * y), SIMD3(s, c, 240 - s * x - c * y), SIMD3(0, 0, 1))
  }
  /// Frames show the picture with all its pixels, which the reference of 480 has not.
  private static func frame(_ map: Homography) -> GrayImage {
    Scenery.frame(large, map * Homography.resize(Point2(0.4, 0.4)))
  }

  @Test func aPartOfAPictureThatFillsTheFrameIsFound() throws {
    let anchor = try AnchorCompiler().compile(name: "large", physicalWidth: nil, picture: Self.large)
    #expect(anchor.detail?.width == 960 && anchor.image.width == 480)
    let library = try Scenery.library([anchor])
    let detector = AnchorDetector(library: library)
    var right = 0
    let places = [(90.0, 90.0), (240, 90), (390, 90), (90, 270), (240, 270), (390, 270)]
    for (x, y) in places {
      let map = Self.near(x, y)
      let detections = Self.frame(map).withView { detector.detect($0) }
      // Of an outline five times as large as the frame.
      if let detection = detections.first,
        detection.homography.apply(Self.outline).meanCornerDistance(to: map.apply(Self.outline)) < 10
      {
        right += 1
      }
    }
    #expect(right >= 5)
  }

  @Test func aPictureSeenFromFarAsideIsFound() throws {
    let picture = Scenery.picture(seed: 72)
    let anchor = try AnchorCompiler().compile(name: "aside", physicalWidth: nil, picture: picture)
    let library = try Scenery.library([anchor])
    let detector = AnchorDetector(library: library)
    var right = 0
    // Squeezed 5 times, as at 78°.
    for k in 0..<6 {
      let angle = Double(k) * .pi / 6 + 0.1
      let (c, s) = (Double.cosine(angle), Double.sine(angle))
      let map =
        Homography.translation(Point2(320, 240))
        * Homography(
          SIMD3(1.1 * c * c + 0.22 * s * s, 0.88 * c * s, 0), SIMD3(0.88 * c * s, 1.1 * s * s + 0.22 * c * c, 0),
          SIMD3(0, 0, 1)) * Homography.translation(Point2(-240, -180))
      let detections = Scenery.frame(picture, map).withView { detector.detect($0) }
      if let detection = detections.first,
        detection.homography.apply(Self.outline).meanCornerDistance(to: map.apply(Self.outline)) < 3
      {
        right += 1
      }
    }
    #expect(right >= 5)
  }

  @Test func largeLibrariesKeepWhatIsUsual() throws {
    let settings = AnchorCompiler.Settings(anchors: 100)
    #expect(settings.details == 0 && settings.grazing == 0)
    let anchor = try AnchorCompiler(settings: settings).compile(name: "large", physicalWidth: nil, picture: Self.large)
    #expect(anchor.detail == nil && anchor.features.allSatisfy { $0.kind == .usual })
  }

  @Test func twoEqualAnchorsGiveOneClaimAtOnePlace() throws {
    var twin = Scenery.anchors[0]
    twin.name = "twin"
    let library = try Scenery.library([Scenery.anchors[0], twin])
    let frame = Scenery.frame(Scenery.picture(seed: 1), Self.maps[0])
    let detections = frame.withView { AnchorDetector(library: library).detect($0) }
    #expect(detections.count == 1)
    #expect(AnchorTwin.pairs(in: library).count == 1)
  }

  @Test func framesWithoutAnchorsGiveNoClaim() throws {
    let library = try Scenery.library(Scenery.anchors)
    let detector = AnchorDetector(library: library)
    var random = RandomSource(seed: 4)
    let noise = GrayImage(width: 640, height: 480) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(random.below(256)) }
    }
    let frames = [
      GrayImage(width: 640, height: 480, value: 0), GrayImage(width: 640, height: 480, value: 255), noise,
      GrayImage(width: 1, height: 1, value: 7), GrayImage(width: 640, height: 3, value: 7),
      GrayImage(width: 0, height: 0, value: 0), Scenery.picture(seed: 99, width: 640, height: 480),
      GrayImage(width: 8000, height: 6000, value: 128),
    ]
    for frame in frames { #expect(frame.withView { detector.detect($0) }.isEmpty) }
  }

  @Test func aLargeFrameIsSearchedInItsOwnPixels() throws {
    let map = Homography(SIMD3(2.2, 0, 300), SIMD3(0, 2.2, 250), SIMD3(0, 0, 1))
    let library = try Scenery.library(Scenery.anchors)
    let frame = Scenery.frame(Scenery.picture(seed: 3), map, width: 1920, height: 1440)
    let detections = frame.withView { AnchorDetector(library: library).detect($0) }
    try #require(detections.count == 1)
    #expect(detections[0].homography.apply(Self.outline).meanCornerDistance(to: map.apply(Self.outline)) < 2)
  }

  @Test func aMirroredPictureIsNoClaim() throws {
    let mirror = Homography(SIMD3(-0.8, 0, 500), SIMD3(0, 0.8, 90), SIMD3(0, 0, 1))
    let library = try Scenery.library(Scenery.anchors)
    let frame = Scenery.frame(Scenery.picture(seed: 2), mirror)
    #expect(frame.withView { AnchorDetector(library: library).detect($0) }.isEmpty)
  }

  @Test func theSameFrameGivesTheSameClaims() throws {
    let library = try Scenery.library(Scenery.anchors)
    let frame = Scenery.frame(Scenery.picture(seed: 2), Self.maps[2])
    let detector = AnchorDetector(library: library)
    let first = frame.withView { detector.detect($0) }.map(\.homography)
    _ = GrayImage(width: 320, height: 240, value: 3).withView { detector.detect($0) }
    #expect(frame.withView { detector.detect($0) }.map(\.homography) == first)
    #expect(frame.withView { AnchorDetector(library: library).detect($0) }.map(\.homography) == first)
  }

  @Test func anEmptyLibraryFindsNothing() throws {
    let library = try Scenery.library([])
    #expect(Scenery.picture(seed: 1).withView { AnchorDetector(library: library).detect($0) }.isEmpty)
  }
}
