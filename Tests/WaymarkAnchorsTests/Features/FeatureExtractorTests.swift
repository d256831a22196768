import CKernels
import CModels
import Testing
import WaymarkImage
import WaymarkSystem

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

  /// At double size, a small dim picture has features although its surroundings have stronger corners.
  @Test func aDimPictureIsNotCrowdedOutAtDoubleSize() {
    let picture = Scenery.picture(seed: 16, width: 640, height: 480)
    let dim = GrayImage(width: 640, height: 480) { pixels in
      for i in pixels.indices {
        let (x, y, p) = (i % 640, i / 640, Int(picture[i % 640, i / 640]))
        let isInside = (280..<360).contains(x) && (200..<280).contains(y)
        pixels[i] = UInt8(isInside ? 128 + (p - 128) / 4 : p)
      }
    }
    let extractor = FeatureExtractor(settings: .enlarging)
    dim.withView { extractor.extract($0, doubled: true) }
    let inside = (0..<extractor.features.count).count {
      let f = extractor.features.features[$0]
      return (284..<356).contains(f.x) && (204..<276).contains(f.y)
    }
    #expect(inside >= 16)
  }
}

struct DescriptorModelTests {
  private static let bytes: [UInt8] = {
    var count = 0
    let bytes = waymark_anchor_descriptor(&count)
    return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  }()

  private func model(_ payload: [UInt8]) throws(ModelError) -> DescriptorModel {
    try DescriptorModel(
      ModelFile(ModelBytes.file(payload, name: "anchor-descriptor"), name: "anchor-descriptor"))
  }

  @Test func itIsInTheProgram() throws {
    #expect(try ModelFile(Self.bytes, name: "anchor-descriptor").script == "Benchmarks/anchors/learn_descriptor.py")
    #expect(try DescriptorModel.load().offsets.count == 256)
  }

  /// The order in which the kernel wants the weights gives the same sums as directions row by row.
  @Test func weightsAreInTheOrderOfTheKernel() throws {
    let model = try DescriptorModel.load()
    var numbers = ModelFile.Numbers(try ModelFile(Self.bytes, name: "anchor-descriptor"))
    var rows: [[Int]] = []
    for _ in 0..<256 { rows.append((0..<64).map { _ in Int(Int16(bitPattern: numbers.half())) }) }
    let offsets = (0..<256).map { _ in Int(Int32(bitPattern: numbers.word())) }
    var random = RandomSource(seed: 5)
    let shares = (0..<(3 * 64 + Int(CK_SLACK))).map { _ in Int16(random.below(513)) }
    var sums = [Int32](repeating: 0, count: 3 * 256)
    ck_convolve(shares, 0, 64, 1, 32, 3, model.weights, Int32(DescriptorModel.blocks), model.offsets, &sums)
    for place in 0..<3 {
      for bit in 0..<256 {
        var expected = offsets[bit]
        for share in 0..<64 { expected += rows[bit][share] * Int(shares[64 * place + share]) }
        #expect(Int(sums[256 * place + bit]) == expected)
      }
    }
  }

  /// No patch makes a sum that leaves 32 bits or a margin that leaves 16.
  @Test func noSumIsTooLarge() throws {
    let model = try DescriptorModel.load()
    for block in 0..<DescriptorModel.blocks {
      for output in 0..<Int(CK_OUTPUTS) {
        var squares = 0.0
        for pair in 0..<32 {
          for i in 0..<2 {
            let weight = model.weights[2 * ((32 * block + pair) * Int(CK_OUTPUTS) + output) + i]
            squares += Double(weight) * Double(weight)
          }
        }
        // The squares of all shares make 512 squared, and each was rounded by half.
        let most = squares.squareRoot() * 516 + Double(abs(model.offsets[16 * block + output]))
        #expect(most < Double(Int16.max) * 1024)
      }
    }
  }

  @Test func anotherSizeIsAnotherModel() throws {
    let payload = try ModelFile(Self.bytes, name: "anchor-descriptor").payload
    for wrong: [UInt8] in [Array(payload.dropLast()), payload + [0], []] {
      #expect(throws: ModelError.self) { try model(wrong) }
    }
    var other = payload
    other[7] ^= 1
    #expect(try model(other).fingerprint != DescriptorModel.load().fingerprint)
  }

  /// Neither few nor most corners have one of the leading bits, and no two of them say the same: keys of the index are filled evenly.
  @Test func leadingBitsShareTheCornersOut() throws {
    let extractor = FeatureExtractor()
    var words: [UInt64] = []
    for seed in 1...12 as ClosedRange<UInt64> {
      Scenery.picture(seed: seed).withView { extractor.extract($0) }
      words += (0..<extractor.features.count).map { extractor.features.descriptor($0)[0] }
    }
    let count = Double(words.count)
    /// The share of corners of which `bit` is true.
    func share(_ bit: (UInt64) -> UInt64) -> Double { Double(words.count { bit($0) & 1 == 1 }) / count }
    for a in 0..<20 {
      let set = share { $0 >> UInt64(a) }
      #expect((0.2...0.8).contains(set))
      for b in 0..<a {
        let differ = share { ($0 >> UInt64(a)) ^ ($0 >> UInt64(b)) }
        #expect((0.3...0.7).contains(differ))
      }
    }
  }
}
