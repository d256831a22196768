import Testing
import WaymarkImage

@testable import WaymarkAnchors

struct AnchorQualityTests {
  @Test func aRichPictureIsGoodAndABlankOneIsNot() throws {
    #expect(Scenery.anchors[0].quality.score >= 55)
    #expect(Scenery.anchors[0].sightings.count >= 50)
    let blank = try AnchorCompiler().compile(
      name: "blank", physicalWidth: nil, picture: GrayImage(width: 480, height: 480, value: 200))
    #expect(blank.quality.score <= 5)
    #expect(blank.reasons.contains(.tooLittleDetail))
    #expect(blank.reasons.contains(.lowContrast))
  }

  @Test func theScaleIsTheShareOfViews() {
    #expect(AnchorQuality.Scale.recall([]) == 0 && AnchorQuality.Scale.recall([0, 0]) == 0)
    // By the calibration: 75 corners found again on average, 63 % of the views.
    #expect(abs(AnchorQuality.Scale.recall([60, 100]) - 0.632) < 0.001)
    #expect(AnchorQuality.Scale.recall([2000]) <= 1)
  }

  @Test func theTrialIsTheDetectorsOwnWord() throws {
    let trial = RecallTest(views: 24)
    var rich = Scenery.anchors[0]
    try trial.judge(&rich)
    let first = try #require(rich.trial)
    #expect(first.views == 24 && first.found >= 10 && first.found < 24)
    // The result does not depend on pictures judged in between.
    let picture = Scenery.picture(seed: 9)
    var dim = try AnchorCompiler().compile(
      name: "dim", physicalWidth: nil,
      picture: GrayImage(width: 480, height: 360) { pixels in
        for i in pixels.indices { pixels[i] = 120 + picture[i % 480, i / 480] / 20 }
      })
    try trial.judge(&dim)
    #expect(try #require(dim.trial).found < first.found - 4)
    #expect(dim.quality.score < rich.quality.score - 10)
    var again = Scenery.anchors[0]
    try trial.judge(&again)
    #expect(again.trial == first && again.recall == rich.recall)
    var blank = try AnchorCompiler().compile(
      name: "blank", physicalWidth: nil, picture: GrayImage(width: 480, height: 480, value: 200))
    try trial.judge(&blank)
    #expect(blank.trial?.found == 0 && blank.quality.score == 0)
  }

  @Test func theRegressionRisesWithBoth() {
    func recall(_ mean: Int, _ found: Int) -> Double { AnchorQuality.Scale.recall([mean], found: found, of: 64) }
    #expect(recall(0, 64) == 0 && recall(100, 64) < 1 && recall(100, 0) > 0)
    for f in 0..<64 { #expect(recall(100, f + 1) > recall(100, f) && recall(140, f) > recall(100, f)) }
  }

  @Test func reasonsNameWhatIsWrong() throws {
    let compiler = AnchorCompiler()
    let picture = Scenery.picture(seed: 5)
    let dim = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices { pixels[i] = 120 + picture[i % 480, i / 480] / 16 }
    }
    #expect(try compiler.compile(name: "dim", physicalWidth: nil, picture: dim).reasons.contains(.lowContrast))
    let half = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices { pixels[i] = i % 480 < 160 ? picture[i % 480, i / 480] : 240 }
    }
    #expect(try compiler.compile(name: "half", physicalWidth: nil, picture: half).reasons.contains(.oneSided))
    let mirrored = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices {
        let x = i % 480
        pixels[i] = picture[min(x, 479 - x), i / 480]
      }
    }
    #expect(try compiler.compile(name: "m", physicalWidth: nil, picture: mirrored).reasons.contains(.mirrorSymmetric))
    let tiles = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices { pixels[i] = picture[i % 480 % 60, i / 480 % 60] }
    }
    #expect(try compiler.compile(name: "tiles", physicalWidth: nil, picture: tiles).reasons.contains(.repetitive))
    let small = Scenery.picture(seed: 6, width: 160, height: 120)
    #expect(try compiler.compile(name: "small", physicalWidth: nil, picture: small).reasons.contains(.tooSmall))
  }
}
