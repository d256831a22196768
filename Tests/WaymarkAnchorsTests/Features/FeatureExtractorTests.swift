import CKernels
import Testing
import WaymarkImage

@testable import WaymarkAnchors

struct FeatureExtractorTests {
  /// The share of features of a picture, those of some levels, that have a near descriptor within two pixels in a changed one.
  private func repeated(
    _ picture: GrayImage, _ changed: GrayImage, _ map: Homography, levels: Range<UInt8> = 0..<2, distance: Int32 = 60
  ) -> Double {
    let (a, b) = (FeatureExtractor(), FeatureExtractor())
    picture.withView { a.extract($0) }
    changed.withView { b.extract($0) }
    var (hits, total) = (0, 0)
    for i in 0..<a.features.count
    where a.features.features[i].score > 20 && levels.contains(a.features.features[i].level) {
      let f = a.features.features[i]
      let p = map.apply(Point2(Double(f.x), Double(f.y)))
      guard p.x > 30, p.y > 30, p.x < Double(changed.width - 30), p.y < Double(changed.height - 30) else { continue }
      total += 1
      for k in 0..<b.features.count {
        let g = b.features.features[k]
        if Point2(Double(g.x), Double(g.y)).distance(to: p) < 2 * Double(g.scale),
          ck_hamming(a.features.descriptor(i), b.features.descriptor(k)) <= distance
        {
          hits += 1
          break
        }
      }
    }
    return Double(hits) / Double(max(1, total))
  }

  @Test(arguments: [0.3, 1.2, 2.5, 4.0, 5.5]) func descriptorsTurnWithThePicture(_ angle: Double) {
    let picture = Scenery.picture(seed: 11)
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    let map =
      Homography.translation(Point2(320, 240)) * Homography(SIMD3(c, -s, 0), SIMD3(s, c, 0), SIMD3(0, 0, 1))
      * Homography.translation(Point2(-240, -180))
    #expect(repeated(picture, Scenery.frame(picture, map), map) > 0.6)
  }

  @Test func descriptorsDoNotMindLight() {
    let picture = Scenery.picture(seed: 12)
    let dim = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(40 + Double(picture[i % 480, i / 480]) * 0.4) }
    }
    #expect(repeated(picture, dim, .identity) > 0.75)
  }

  @Test func descriptorsBearNoise() {
    let picture = Scenery.picture(seed: 13)
    var random = RandomSource(seed: 1)
    let noisy = GrayImage(width: 480, height: 360) { pixels in
      for i in pixels.indices {
        pixels[i] = UInt8(max(0, min(255, Double(picture[i % 480, i / 480]) + 8 * random.gaussian())))
      }
    }
    #expect(repeated(picture, noisy, .identity) > 0.6)
  }

  @Test func halfTheSizeIsTheSameOnAnotherLevel() {
    let picture = Scenery.picture(seed: 14)
    let map = Homography.resize(Point2(0.5, 0.5))
    let half = Scenery.frame(picture, map, width: 240, height: 180)
    // What is half as large is two levels lower.
    #expect(repeated(picture, half, map, levels: 2..<4) > 0.9)
  }

  @Test func aDoubledPictureKeepsItsPixels() {
    let picture = Scenery.picture(seed: 15, width: 160, height: 120)
    let extractor = FeatureExtractor(settings: .enlarging)
    picture.withView { extractor.extract($0, doubled: true) }
    #expect(extractor.features.count > 50)
    for i in 0..<extractor.features.count {
      let f = extractor.features.features[i]
      #expect(f.x > 0 && f.y > 0 && f.x < 160 && f.y < 120 && f.scale < 1)
    }
  }
}
