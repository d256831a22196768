import Testing
import WaymarkImage

@testable import WaymarkAnchors

@Suite struct PrintEdgesTests {
  /// A plain picture with blots in its middle.
  private static let picture: GrayImage = {
    let middle = Stage.picture(4, width: 110, height: 90)
    return GrayImage(width: 300, height: 300) { pixels in
      for i in pixels.indices {
        let (x, y) = (i % 300 - 95, i / 300 - 105)
        pixels[i] = x >= 0 && y >= 0 && x < 110 && y < 90 ? middle[x, y] : 150
      }
    }
  }()

  /// The mean error of the corners, with the sides measured or not, and the reported uncertainty of the first corner.
  private func error(_ edges: Bool, on ground: UInt8, margin: Double = 0) throws -> (Double, Double?) {
    var options = PatchAligner.Options()
    options.measuresCorners = edges
    let aligner = PatchAligner(options)
    let (w, h) = (300.0, 300.0)
    var (sum, deviation) = (0.0, Double?.none)
    for seed in 1...6 as ClosedRange<UInt64> {
      let truth = Stage.homography(Self.picture, tilt: Point2(0.3, 0.2), roll: 0.2, at: Point3(0, 0, 0.4))
      var random = RandomSource(seed: seed)
      let back = try #require(truth.inverse)
      let frame = GrayImage(width: 320, height: 240) { pixels in
        for i in pixels.indices {
          var value = 0.0
          for k in 0..<4 {
            let p = back.apply(
              Point2(Double(i % 320) + (k % 2 == 0 ? -0.25 : 0.25), Double(i / 320) + (k < 2 ? -0.25 : 0.25)))
            let isInside = p.x > -0.5 && p.y > -0.5 && p.x < w - 0.5 && p.y < h - 0.5
            let isMargin =
              p.x > -0.5 - margin && p.y > -0.5 - margin && p.x < w - 0.5 + margin && p.y < h - 0.5 + margin
            let inner = Point2(min(max(p.x, 0), w - 1.001), min(max(p.y, 0), h - 1.001))
            value += isInside ? Double(Stage.sample(Self.picture, inner)) : isMargin ? 150 : Double(ground)
          }
          pixels[i] = UInt8(min(max((value / 4 + 3 * random.gaussian()).rounded(), 0), 255))
        }
      }
      let pyramid = GrayPyramid()
      frame.withView { pyramid.update($0, levels: 7) }
      let start = Stage.disturbed(Self.picture, truth, 1, seed: seed)
      let result = try #require(aligner.align(AnchorTemplate(Self.picture), from: .plane(start), in: pyramid))
      let corners = Stage.corners(Self.picture, result.homography)
      sum += corners.meanCornerDistance(to: Stage.corners(Self.picture, truth)) / 6
      deviation = result.covariance.map { CornerFilter.Estimate(corners: corners, covariance: $0).deviations.x }
    }
    return (sum, deviation)
  }

  @Test(arguments: [30, 240] as [UInt8])
  func sidesDetermineCornersThatTheTextureDoesNot(_ ground: UInt8) throws {
    let (without, none) = try error(false, on: ground)
    let (with, deviation) = try error(true, on: ground)
    #expect(none == nil)
    #expect(with < 0.5 * without && with < 0.15)
    #expect(try #require(deviation) < 0.15)
  }

  /// A margin round the picture has an edge that is not the side of the picture.
  @Test func aMarginIsNotTakenForASide() throws {
    let (without, _) = try error(false, on: 30, margin: 4)
    let (with, _) = try error(true, on: 30, margin: 4)
    #expect(with < without + 0.02)
  }

  /// Where print and ground look alike, nothing changes but the reported uncertainty.
  @Test func sidesThatAreNotSeenAreNotUsed() throws {
    let (without, _) = try error(false, on: 150)
    let (with, deviation) = try error(true, on: 150)
    #expect(with == without)
    #expect(try #require(deviation) > 0.05)
  }
}
