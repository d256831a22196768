import Testing

@testable import WaymarkImage

@Suite struct FilterTests {
  private static let sizes = [(1, 1), (1, 9), (7, 1), (2, 3), (16, 11)]

  private static func noise(_ count: Int) -> [UInt8] {
    var random = RandomSource(seed: UInt64(count))
    return (0..<count).map { _ in UInt8(random.below(256)) }
  }

  @Test(arguments: sizes, [0, 1, 2, 5, 20])
  func boxSumsAreSumsOverSquares(_ size: (Int, Int), _ radius: Int) {
    let (w, h) = size
    let values = Self.noise(w * h).map { Float($0) }
    let sums = BoxSum.sums(of: values, width: w, height: h, radius: radius)
    let vectors = BoxSum.sums(of: values.map { SIMD4($0, 1, -$0, 0) }, width: w, height: h, radius: radius)
    for y in 0..<h {
      for x in 0..<w {
        var sum: Float = 0
        for v in -radius...radius {
          for u in -radius...radius { sum += values[min(max(y + v, 0), h - 1) * w + min(max(x + u, 0), w - 1)] }
        }
        #expect(sums[y * w + x] == sum)
        let area = Float((2 * radius + 1) * (2 * radius + 1))
        #expect(vectors[y * w + x] == SIMD4(sum, area, -sum, 0))
      }
    }
  }

  @Test func nothingHasNoSums() {
    #expect(BoxSum.sums(of: [Float](), width: 0, height: 0, radius: 3).isEmpty)
    #expect(BoxSum.sums(of: [Float](), width: 0, height: 5, radius: 1).isEmpty)
  }

  @Test(arguments: sizes)
  func integralImagesGiveSumsOfRectangles(_ size: (Int, Int)) {
    let (w, h) = size
    let values = Self.noise(w * h).map { Int($0) }
    let integral = IntegralImage<Int>(width: w, height: h) { values[$1 * w + $0] }
    for y in 0..<h {
      for x in 0..<w {
        for reach in [0, 1, 4, 100] {
          var (sum, count) = (0, 0)
          for v in max(0, y - reach)...min(h - 1, y + reach) {
            for u in max(0, x - reach)...min(w - 1, x + reach) {
              sum += values[v * w + u]
              count += 1
            }
          }
          #expect(integral.window(x, y, reach: reach) == (sum, count))
        }
      }
    }
    #expect(integral.sum(x: 0..<w, y: 0..<h) == values.reduce(0, +))
    #expect(integral.sum(x: 0..<0, y: 0..<h) == 0)
    #expect(IntegralImage<Float>(width: 0, height: 0) { _, _ in 1 }.sum(x: 0..<0, y: 0..<0) == 0)
  }

  @Test(arguments: sizes, [0.3, 0.8, 2.5])
  func gaussianBlurIsAWeightedMean(_ size: (Int, Int), _ sigma: Double) {
    let (w, h) = size
    var pixels = Self.noise(w * h)
    let before = pixels
    var rounded = pixels
    pixels.withUnsafeMutableBufferPointer { GaussianBlur.apply($0.baseAddress!, width: w, height: h, sigma: sigma) }
    rounded.withUnsafeMutableBufferPointer {
      GaussianBlur.applyRounding($0.baseAddress!, width: w, height: h, sigma: sigma)
    }
    let reach = 20
    for y in 0..<h {
      for x in 0..<w {
        var (sum, total) = (0.0, 0.0)
        for v in -reach...reach {
          for u in -reach...reach {
            let weight = Double.exponential(-Double(u * u + v * v) / (2 * sigma * sigma))
            total += weight
            sum += weight * Double(before[min(max(y + v, 0), h - 1) * w + min(max(x + u, 0), w - 1)])
          }
        }
        // The tails beyond three deviations are cut off.
        #expect(abs(Double(pixels[y * w + x]) - sum / total) < 1.5)
        #expect(abs(Double(rounded[y * w + x]) - sum / total) < 2)
      }
    }
  }

  @Test func blurringAPlainPictureLeavesIt() {
    var pixels = [UInt8](repeating: 201, count: 12 * 5)
    pixels.withUnsafeMutableBufferPointer { GaussianBlur.apply($0.baseAddress!, width: 12, height: 5, sigma: 1.7) }
    #expect(pixels.allSatisfy { $0 == 201 })
    var nothing: [UInt8] = [9]
    nothing.withUnsafeMutableBufferPointer { GaussianBlur.apply($0.baseAddress!, width: 0, height: 3, sigma: 1) }
    #expect(nothing == [9])
  }
}
