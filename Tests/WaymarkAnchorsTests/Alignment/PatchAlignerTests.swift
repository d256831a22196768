import Testing
import WaymarkAnchors
import WaymarkImage

@Suite struct PatchAlignerTests {
  let picture = Stage.picture(4)

  private func align(
    _ frame: GrayImage, from start: Homography, of picture: GrayImage? = nil, blur: MotionBlur? = nil
  ) -> PatchAligner.Result? {
    let pyramid = GrayPyramid()
    frame.withView { pyramid.update($0, levels: 7) }
    return PatchAligner().align(AnchorTemplate(picture ?? self.picture), from: .plane(start), in: pyramid, blur: blur)
  }

  private func error(_ h: Homography, _ truth: Homography) -> Double {
    Stage.corners(picture, h).meanCornerDistance(to: Stage.corners(picture, truth))
  }

  @Test(arguments: [
    (0.0, 0.0, 0.0, 0.36), (0.7, 0.2, 2.0, 0.34), (-0.3, 0.8, -1.0, 0.36), (0.2, -0.3, 0.5, 0.8), (0.1, 0.1, 3.1, 0.25),
  ])
  func knownMapsAreRecovered(_ a: Double, _ b: Double, _ roll: Double, _ distance: Double) throws {
    let truth = Stage.homography(picture, tilt: Point2(a, b), roll: roll, at: Point3(0.01, -0.01, distance))
    let frame = Stage.frame([(picture, [truth])])
    for seed in 1...4 as ClosedRange<UInt64> {
      let start = Stage.disturbed(picture, truth, 2.5, seed: seed)
      let result = try #require(align(frame, from: start))
      #expect(error(result.homography, truth) < 0.15)
      #expect(result.score > 0.93 && result.share > 0.9 && result.residual < 0.3)
    }
  }

  @Test func lightDoesNotMatter() throws {
    let truth = Stage.path(picture, 0.4)
    let frame = Stage.frame([(picture, [truth])], .init(gain: 0.4, offset: 70))
    let result = try #require(align(frame, from: Stage.disturbed(picture, truth, 2, seed: 3)))
    #expect(error(result.homography, truth) < 0.3)
  }

  @Test func coveredPartsAreLeftOut() throws {
    let truth = Stage.homography(picture, tilt: Point2(0.2, 0.1), roll: 0.1, at: Point3(0, 0, 0.36))
    let frame = Stage.frame([(picture, [truth])], .init(cover: (150...240, 60...230)))
    let result = try #require(align(frame, from: Stage.disturbed(picture, truth, 1.5, seed: 3)))
    #expect(error(result.homography, truth) < 0.5)
    #expect(result.share < 0.85 && result.share > 0.3)
  }

  @Test func smearIsDrawnAlong() throws {
    func place(_ t: Double) -> Homography {
      Stage.homography(picture, tilt: Point2(0.2, 0.1), roll: 0.3, at: Point3(0.015 * t, 0.004 * t, 0.36))
    }
    let frame = Stage.frame([(picture, (0..<8).map { place((Double($0) + 0.5) / 8 - 0.5) })])
    let blur = MotionBlur(
      opening: .plane(place(-0.5)), middle: .plane(place(0)), closing: .plane(place(0.5)))
    #expect(blur.way(of: Point2(120, 90)).chord.length > 12)
    let start = Stage.disturbed(picture, place(0), 1.5, seed: 2)
    let with = try #require(align(frame, from: start, blur: blur))
    #expect(error(with.homography, place(0)) < 0.25)
    let without = align(frame, from: start)
    #expect(with.score > (without?.score ?? 0) + 0.02)
  }

  @Test func theWayOfASmearIsBent() throws {
    // A hand that turns back: seven pixels to the right and back again while the shutter is open. The middle of the smear lies
    // beside the place in the middle of the exposure.
    func place(_ t: Double) -> Homography {
      Stage.homography(
        picture, tilt: Point2(0.2, 0.1), roll: 0.3, at: Point3(0.008 * t + 0.02 * t * t, 0.004 * t, 0.36))
    }
    let frame = Stage.frame([(picture, (0..<8).map { place((Double($0) + 0.5) / 8 - 0.5) })])
    let blur = MotionBlur(
      opening: .plane(place(-0.5)), middle: .plane(place(0)), closing: .plane(place(0.5)))
    #expect(blur.way(of: Point2(120, 90)).sag.length > 3)
    let straight = MotionBlur(
      opening: .plane(place(-0.5)),
      middle: .plane(
        Homography(
          from: Stage.corners(picture, .identity),
          to: Stage.corners(picture, place(-0.5)).halfway(to: Stage.corners(picture, place(0.5))))!),
      closing: .plane(place(0.5)))
    #expect(straight.way(of: Point2(120, 90)).sag.length < 0.1)
    let start = Stage.disturbed(picture, place(0), 1, seed: 2)
    let with = try #require(align(frame, from: start, blur: blur))
    #expect(error(with.homography, place(0)) < 0.25)
    let without = try #require(align(frame, from: start, blur: straight))
    #expect(error(without.homography, place(0)) > 0.5)
  }

  @Test func otherPicturesScoreLow() {
    let truth = Stage.path(picture, 0.2)
    let frame = Stage.frame([(Stage.picture(5), [truth])])
    let result = align(frame, from: truth)
    #expect(result.map { $0.score < 0.6 && $0.share < 0.25 } ?? true)
    let blank = GrayImage(width: 320, height: 240, value: 90)
    #expect(align(blank, from: truth).map { $0.score < 0.1 && $0.inliers == 0 } ?? true)
  }

  @Test func degenerateStartsAreRefused() {
    let frame = Stage.frame([])
    #expect(align(frame, from: Homography(SIMD3(0, 0, 5), SIMD3(0, 0, 5), SIMD3(0, 0, 1))) == nil)
    #expect(align(frame, from: Homography(SIMD3(.nan, 0, 5), SIMD3(0, 1, 5), SIMD3(0, 0, 1))) == nil)
    // Mirrored.
    #expect(align(frame, from: Homography(SIMD3(-1, 0, 280), SIMD3(0, 1, 5), SIMD3(0, 0, 1))) == nil)
    // Out of the frame.
    #expect(align(frame, from: .translation(Point2(2000, 0))) == nil)
    let tiny = GrayImage(width: 1, height: 1, value: 3)
    #expect(align(tiny, from: .identity) == nil)
  }

  @Test func blankReferencesHaveNoPatches() {
    let template = AnchorTemplate(GrayImage(width: 200, height: 100, value: 50))
    let ranking = TextureRanking()
    for i in 0..<template.pyramid.count { #expect(template.level(i, ranking: ranking).centers.isEmpty) }
    let small = AnchorTemplate(GrayImage(width: 3, height: 3, value: 50))
    for i in 0..<small.pyramid.count { #expect(small.level(i, ranking: ranking).centers.isEmpty) }
  }

  @Test func patchesAreSpread() {
    let template = AnchorTemplate(picture)
    let centers = template.level(0, ranking: TextureRanking()).centers.prefix(40)
    #expect(centers.count == 40)
    for quarter in 0..<4 {
      let n = centers.count { ($0.x > 120) == (quarter % 2 == 1) && ($0.y > 90) == (quarter / 2 == 1) }
      #expect(n >= 5)
    }
  }

  @Test func jointSearchFindsTheShift() throws {
    let truth = Stage.path(picture, 0.3)
    let frame = Stage.frame([(picture, [truth])], .init(cover: (60...120, 60...200)))
    let pyramid = GrayPyramid()
    frame.withView { pyramid.update($0, levels: 7) }
    let start = (Homography.translation(Point2(15, -17)) * truth).normalized
    let found = try #require(
      PatchSearch().search(AnchorTemplate(picture), around: .plane(start), in: pyramid, octave: 1, radius: 11))
    #expect(error(found.map.homography, truth) < 2)
  }
}

extension Quadrilateral {
  fileprivate func halfway(to q: Quadrilateral) -> Quadrilateral {
    Quadrilateral(
      topLeft: (topLeft + q.topLeft) / 2, topRight: (topRight + q.topRight) / 2,
      bottomRight: (bottomRight + q.bottomRight) / 2, bottomLeft: (bottomLeft + q.bottomLeft) / 2)
  }
}
