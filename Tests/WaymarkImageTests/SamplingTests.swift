import Testing

@testable import WaymarkImage

@Suite struct SamplingTests {
  private static func noise(_ width: Int, _ height: Int) -> GrayImage {
    var random = RandomSource(seed: UInt64(width * 1000 + height))
    return GrayImage(width: width, height: height) { for i in $0.indices { $0[i] = UInt8(random.below(256)) } }
  }

  /// The sum over all pixels, each by how near it is.
  private static func reference(_ image: GrayImage, _ p: Point2) -> Double {
    let x = min(max(p.x, 0), Double(image.width - 1)), y = min(max(p.y, 0), Double(image.height - 1))
    var sum = 0.0
    for v in 0..<image.height {
      for u in 0..<image.width {
        sum += Double(image[u, v]) * max(0, 1 - abs(x - Double(u))) * max(0, 1 - abs(y - Double(v)))
      }
    }
    return sum
  }

  @Test(arguments: [(1, 1), (1, 5), (6, 1), (2, 2), (9, 7)])
  func aSampleIsTheWeightedMeanOfItsNeighbours(_ width: Int, _ height: Int) {
    let image = Self.noise(width, height)
    var random = RandomSource(seed: 4)
    image.withView { view in
      for _ in 0..<300 {
        let p = Point2(Double(width + 4) * random.unit() - 2, Double(height + 4) * random.unit() - 2)
        #expect(abs(view.bilinear(p) - Self.reference(image, p)) < 1e-9)
        #expect(abs(Double(RGBImage(image).bilinear(p).y) - Self.reference(image, p)) < 1e-3)
        if p.x >= 0, p.y >= 0, p.x < Double(width - 1), p.y < Double(height - 1) {
          #expect(view.bilinear(inside: p) == view.bilinear(p))
        }
      }
      for y in 0..<height {
        for x in 0..<width { #expect(view.bilinear(Point2(Double(x), Double(y))) == Double(view[x, y])) }
      }
    }
  }

  @Test func placesWithoutSenseAreTakenToTheBorder() {
    Self.noise(5, 4).withView { view in
      #expect(view.bilinear(Point2(.nan, .nan)) == Double(view[0, 0]))
      #expect(view.bilinear(Point2(.infinity, -.infinity)) == Double(view[4, 0]))
      #expect(view.bilinear(Point2(-1e300, 1e300)) == Double(view[0, 3]))
    }
  }

  @Test func wholeNumbersComeWithinTheirUnit() {
    let image = Self.noise(8, 8)
    image.withView { view in
      for bits in [7, 8, 11] {
        for i in 0..<200 {
          let (fx, fy) = (i * 37 % (1 << bits), i * 91 % (1 << bits))
          let (x, y) = (i % 7, i / 7 % 7)
          let value = Bilinear.fixed(view.row(y) + x, stride: view.stride, fx: fx, fy: fy, bits: bits)
          let p = Point2(Double(x) + Double(fx) / Double(1 << bits), Double(y) + Double(fy) / Double(1 << bits))
          #expect(abs(Double(value) / Double(1 << (2 * bits)) - view.bilinear(p)) < 1e-9)
        }
      }
    }
  }

  @Test func tapsLieBetweenMiddles() {
    let tap = LinearTap(middleOf: 2, of: 4, in: 2)
    #expect((tap.low, tap.high, tap.share) == (0, 1, 0.75))
    let only = LinearTap(middleOf: 3, of: 9, in: 1)
    #expect((only.low, only.high, only.share) == (0, 0, 0))
    #expect(LinearTap(9, count: 4).mix(1, 3) == 3)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 16])
  func shrinkingRoundsTheMean(_ factor: Int) {
    for (width, height) in [(1, 1), (factor, factor), (3 * factor + 1, 2 * factor + factor / 2), (64, 48)] {
      let image = Self.noise(width, height)
      let small = image.withView { $0.shrunk(by: factor) }
      #expect((small.width, small.height) == (width / factor, height / factor))
      for y in 0..<small.height {
        for x in 0..<small.width {
          var sum = 0
          for v in 0..<factor { for u in 0..<factor { sum += Int(image[x * factor + u, y * factor + v]) } }
          #expect(Int(small[x, y]) == (sum + factor * factor / 2) / (factor * factor))
        }
      }
    }
  }

  @Test func channelsAreShrunkApart() {
    let image = TestPictures.rgb(31, 22)
    var planes = (0..<3).map { _ in [UInt8](repeating: 0, count: 10 * 7) }
    var sums: [UInt16] = []
    image.withBytes { bytes in
      let targets = planes.indices.map { c in planes[c].withUnsafeMutableBufferPointer { $0.baseAddress! } }
      targets.withUnsafeBufferPointer {
        Shrinking.means(
          bytes.baseAddress!, width: 31, height: 22, stride: 93, channels: 3, factor: 3, into: $0.baseAddress!,
          sums: &sums)
      }
    }
    for y in 0..<7 {
      for x in 0..<10 {
        var sum = SIMD3<Int>.zero
        for i in 0..<9 {
          let c = image[3 * x + i % 3, 3 * y + i / 3]
          sum = sum &+ SIMD3(Int(c.red), Int(c.green), Int(c.blue))
        }
        for c in 0..<3 { #expect(Int(planes[c][10 * y + x]) == (sum[c] + 4) / 9) }
      }
    }
  }

  @Test func ofVeryLargeSquaresSixteenRowsAndColumnsCount() {
    let image = GrayImage(width: 80, height: 40) { out in for i in out.indices { out[i] = UInt8(i % 80 / 40 * 200) } }
    let small = image.withView { $0.shrunk(by: 40) }
    #expect((small.width, small.height) == (2, 1))
    #expect((small[0, 0], small[1, 0]) == (0, 200))
    #expect(image.withView { $0.shrunk(by: 41) }.height == 0)
  }

  /// Of an area in a picture, each pixel by how much of it is covered.
  @Test(arguments: [(31, 17), (96, 96), (50, 120)])
  func resamplingByAreasIsTheMeanOfWhatIsCovered(_ width: Int, _ height: Int) {
    let (n, image) = (24, Self.noise(width, height))
    var resampler = Resampler(from: (width, height), to: (n, n), areasOnly: true)
    #expect(resampler.isFor(width, height) && !resampler.isFor(height, width + 1))
    var rows = 0
    image.withView { view in
      resampler.run(view.base, stride: view.stride) { y, row in
        rows += 1
        for x in 0..<n {
          let (left, right) = (Double(x * width) / Double(n), Double((x + 1) * width) / Double(n))
          let (top, bottom) = (Double(y * height) / Double(n), Double((y + 1) * height) / Double(n))
          var sum = 0.0
          for v in 0..<height {
            for u in 0..<width {
              let across = min(right, Double(u + 1)) - max(left, Double(u))
              let down = min(bottom, Double(v + 1)) - max(top, Double(v))
              if across > 0, down > 0 { sum += across * down * Double(view[u, v]) }
            }
          }
          #expect(abs(Double(row[x]) - sum / ((right - left) * (bottom - top))) < 1e-3)
        }
      }
    }
    #expect(rows == n)
    var (across, down) = ([Float](), [Float]())
    image.withView { view in
      resampler.run(view.base, stride: view.stride) { across += $1 }
      resampler.runDownFirst(view.base, stride: view.stride) { down += $1 }
    }
    #expect(across.count == n * n && zip(across, down).allSatisfy { abs($0 - $1) < 1e-3 })
  }
}

struct ResamplingTests {
  @Test func smallerMeansTheMean() {
    let picture = GrayImage(width: 4, height: 2) { out in
      for (i, v) in [0, 100, 200, 200, 100, 0, 40, 0].enumerated() { out[i] = UInt8(v) }
    }
    let half = picture.resized(width: 2, height: 1)
    #expect((half[0, 0], half[1, 0]) == (50, 110))
  }

  @Test func anySizeKeepsAPlainPicturePlain() {
    let plain = GrayImage(width: 17, height: 23, value: 77)
    for (w, h) in [(1, 1), (5, 23), (16, 40), (33, 7), (100, 100)] {
      let other = plain.resized(width: w, height: h)
      #expect((other.width, other.height) == (w, h))
      for y in 0..<h { for x in 0..<w { #expect(other[x, y] == 77) } }
    }
  }

  @Test func largerIsLinearBetweenCentres() {
    let two = GrayImage(width: 2, height: 1) {
      $0[0] = 0; $0[1] = 100
    }
    let four = two.resized(width: 4, height: 1)
    #expect([four[0, 0], four[1, 0], four[2, 0], four[3, 0]] == [0, 25, 75, 100])
  }

  @Test func colourGoesTheSameWay() {
    let gray = TestPictures.gray(40, 30)
    let (a, b) = (gray.resized(width: 13, height: 9), RGBImage(gray).resized(width: 13, height: 9))
    for y in 0..<9 { for x in 0..<13 { #expect(b[x, y].blue == a[x, y]) } }
  }
}
