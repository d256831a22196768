import CKernels
import Testing
import WaymarkImage

@testable import WaymarkAnchors

/// Each kernel against the same thing written plainly.
struct KernelTests {
  private let width = 83
  private let height = 41
  private let stride = 160

  private func plane(_ seed: UInt64) -> [UInt8] {
    var random = RandomSource(seed: seed)
    return (0..<(stride * (height + 40))).map { _ in UInt8(random.below(256)) }
  }

  private func at(_ p: [UInt8], _ x: Int, _ y: Int) -> Int { Int(p[(y + 20) * stride + x + 20]) }

  private func run(_ source: [UInt8], _ body: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: source.count)
    source.withUnsafeBufferPointer { s in
      out.withUnsafeMutableBufferPointer { d in
        body(s.baseAddress! + 20 * stride + 20, d.baseAddress! + 20 * stride + 20)
      }
    }
    return out
  }

  @Test func binomial() {
    let p = plane(1)
    let q = run(p) { ck_binomial($0, $1, stride, Int32(width), Int32(height)) }
    let weights = [1, 2, 1]
    for y in 0..<height {
      for x in 0..<width {
        var sum = 8
        for j in 0..<3 { for i in 0..<3 { sum += weights[i] * weights[j] * at(p, x + i - 1, y + j - 1) } }
        #expect(at(q, x, y) == sum >> 4)
      }
    }
  }

  @Test func meansAreOfSquaresOfFive() {
    let p = plane(2)
    var scratch = [UInt16](repeating: 0, count: width + 4)
    let q = run(p) { ck_means($0, $1, stride, Int32(width), Int32(height), &scratch) }
    for y in 0..<height {
      for x in 0..<width {
        var sum = 0
        for j in -2...2 { for i in -2...2 { sum += at(p, x + i, y + j) } }
        #expect(abs(Double(at(q, x, y)) - Double(sum) / 25) <= 0.55)
      }
    }
  }

  @Test func fastScores() {
    let circle = [
      (3, 0), (3, 1), (2, 2), (1, 3), (0, 3), (-1, 3), (-2, 2), (-3, 1), (-3, 0), (-3, -1), (-2, -2), (-1, -3), (0, -3),
      (1, -3), (2, -2), (3, -1),
    ]
    let p = plane(3)
    let q = run(p) { ck_fast_scores($0, $1, stride, Int32(width), Int32(height)) }
    for y in 0..<height {
      for x in 0..<width {
        let d = circle.map { at(p, x + $0.0, y + $0.1) - at(p, x, y) }
        var best = 0
        for start in 0..<16 {
          let arc = (0..<9).map { d[(start + $0) % 16] }
          best = max(best, arc.min()!, -arc.max()!)
        }
        #expect(at(q, x, y) == best)
      }
    }
  }

  @Test func maximaAreThoseOfThreeByThree() {
    let p = plane(4).map { $0 / 8 }
    var out = [UInt32](repeating: 0, count: 8192)
    var row = [UInt8](repeating: 0, count: width + 64)
    let count = p.withUnsafeBufferPointer {
      Int(
        ck_fast_maxima(
          $0.baseAddress! + 20 * stride + 20, stride, Int32(width), Int32(height), 12, &out, 8192, &row))
    }
    var expected: [UInt32] = []
    for y in 0..<height {
      for x in 0..<width {
        let v = at(p, x, y)
        let before = [at(p, x - 1, y - 1), at(p, x, y - 1), at(p, x + 1, y - 1), at(p, x - 1, y)]
        let after = [at(p, x + 1, y), at(p, x - 1, y + 1), at(p, x, y + 1), at(p, x + 1, y + 1)]
        if v >= 12, before.allSatisfy({ v > $0 }), after.allSatisfy({ v >= $0 }) {
          expected.append(UInt32(y << 20 | x << 8 | v))
        }
      }
    }
    #expect(Array(out[..<count]) == expected)
  }

  @Test func hammingDistances() {
    var random = RandomSource(seed: 9)
    let a = (0..<4).map { _ in random.next() }
    let b = (0..<4).map { _ in random.next() }
    #expect(Int(ck_hamming(a, b)) == zip(a, b).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount })
    #expect(ck_hamming(a, a) == 0)
  }

  @Test func momentsOfTheDisc() {
    let p = plane(5)
    var (mx, my): (Int32, Int32) = (0, 0)
    p.withUnsafeBufferPointer { ck_moments($0.baseAddress! + 40 * stride + 60, stride, &mx, &my) }
    var (ex, ey) = (0, 0)
    for y in -15...15 {
      for x in -15...15 where 4 * (x * x + y * y) <= 31 * 31 {
        ex += x * at(p, 40 + x, 20 + y)
        ey += y * at(p, 40 + x, 20 + y)
      }
    }
    #expect(Int(mx) == ex && Int(my) == ey)
  }

  @Test func warpsFollowTheMap() {
    let picture = Scenery.picture(seed: 7, width: 120, height: 90)
    let map = Homography(SIMD3(0.7, 0.1, 5), SIMD3(-0.2, 0.9, 20), SIMD3(0.0005, 0.0002, 1))
    var out = [UInt8](repeating: 0, count: 100 * 60)
    picture.withView { ck_warp($0.base, $0.stride, 120, 90, map.rowMajor, -1, &out, 100, 100, 60) }
    for (x, y) in [(0, 0), (17, 3), (50, 30), (99, 59), (33, 41)] {
      let p = map.apply(Point2(Double(x), Double(y)))
      let u = min(max(p.x, 0), 118.999)
      let v = min(max(p.y, 0), 88.999)
      let (i, j) = (Int(u), Int(v))
      let (a, b) = (u - Double(i), v - Double(j))
      let top = Double(picture[i, j]) * (1 - a) + Double(picture[i + 1, j]) * a
      let low = Double(picture[i, j + 1]) * (1 - a) + Double(picture[i + 1, j + 1]) * a
      // A 64th of a pixel of the steepest edge.
      #expect(abs(Double(out[y * 100 + x]) - (top * (1 - b) + low * b)) <= 8)
    }
  }

  @Test func warpsMayLeaveOutWhatIsFarOutside() {
    let picture = Scenery.picture(seed: 7, width: 120, height: 90)
    let map = Homography(SIMD3(2, 0.3, -90), SIMD3(-0.2, 2, -60), SIMD3(0, 0, 1))
    var (whole, part) = ([UInt8](repeating: 7, count: 160 * 120), [UInt8](repeating: 7, count: 160 * 120))
    picture.withView {
      ck_warp($0.base, $0.stride, 120, 90, map.rowMajor, -1, &whole, 160, 160, 120)
      ck_warp($0.base, $0.stride, 120, 90, map.rowMajor, 8, &part, 160, 160, 120)
    }
    var left = 0
    for i in whole.indices {
      let p = map.apply(Point2(Double(i % 160), Double(i / 160)))
      let near = p.x > -8 && p.y > -8 && p.x < 127 && p.y < 97
      if near { #expect(whole[i] == part[i]) } else { #expect(part[i] == whole[i] || part[i] == 0) }
      if part[i] != whole[i] { left += 1 }
    }
    #expect(left > 1000)
  }

  @Test func halvesAreMeansOfFour() {
    let p = plane(11)
    let (w, h) = (width / 2, height / 2)
    let q = run(p) { ck_halve($0, stride, $1, stride, Int32(w), Int32(h)) }
    for y in 0..<h {
      for x in 0..<w {
        let sum = at(p, 2 * x, 2 * y) + at(p, 2 * x + 1, 2 * y) + at(p, 2 * x, 2 * y + 1) + at(p, 2 * x + 1, 2 * y + 1)
        #expect(at(q, x, y) == (sum + 2) / 4)
      }
    }
  }

  @Test func twoThirdsAreMeansOverTheAreaOfAPixel() {
    let p = plane(12)
    let (w, h) = (width / 3 * 2, height / 3 * 2)
    let q = run(p) { ck_two_thirds($0, stride, $1, stride, Int32(w), Int32(h)) }
    // Thirds of pixels: a new pixel covers one and a half old ones, that is 2 and 1 halves along each axis.
    func shares(_ i: Int) -> [(at: Int, weight: Int)] {
      i % 2 == 0 ? [(i / 2 * 3, 2), (i / 2 * 3 + 1, 1)] : [(i / 2 * 3 + 1, 1), (i / 2 * 3 + 2, 2)]
    }
    for y in 0..<h {
      for x in 0..<w {
        var sum = 0
        for v in shares(y) { for u in shares(x) { sum += u.weight * v.weight * at(p, u.at, v.at) } }
        #expect(at(q, x, y) == (sum + 4) / 9)
      }
    }
  }

  @Test func doublesAreLinearBetweenPixelCentres() {
    let p = plane(13)
    let (w, h) = (width / 2, 15)
    let q = run(p) { ck_double($0, stride, $1, stride, Int32(w), Int32(h)) }
    for y in 0..<(2 * h) {
      for x in 0..<(2 * w) {
        func near(_ i: Int, _ n: Int) -> [(at: Int, weight: Int)] {
          [(i / 2, 3), (max(0, min(n - 1, i % 2 == 0 ? i / 2 - 1 : i / 2 + 1)), 1)]
        }
        var sum = 8
        for v in near(y, h) { for u in near(x, w) { sum += u.weight * v.weight * at(p, u.at, v.at) } }
        #expect(at(q, x, y) == sum / 16)
      }
    }
  }

  @Test func sharesAreThoseOfGradients() {
    let p = plane(14)
    var random = RandomSource(seed: 2)
    let offsets = (0..<256).map { _ in Int32((random.below(21) - 10) * stride + random.below(31) - 15) }
    let center = 40 * stride + 60
    var shares = [Int16](repeating: -1, count: 64)
    p.withUnsafeBufferPointer { ck_gradient_shares($0.baseAddress! + center, offsets, &shares) }
    func sample(_ x: Int, _ y: Int) -> Double { Double(p[center + Int(offsets[16 * y + x])]) }
    // A sample belongs to a cell less, the farther it is from the cell's middle: not at all from the next middle on.
    func tent(_ i: Int, _ cell: Int) -> Double { max(0, 1 - abs((Double(i) + 0.5) / 4 - 0.5 - Double(cell))) }
    var cells = [Double](repeating: 0, count: 64)
    for y in 0..<16 {
      for x in 0..<16 {
        let along = x == 0 || x == 15 ? 0 : sample(x + 1, y) - sample(x - 1, y)
        let down = y == 0 || y == 15 ? 0 : sample(x, y + 1) - sample(x, y - 1)
        for row in 0..<4 {
          for column in 0..<4 {
            for (k, gradient) in [along, down, -along, -down].enumerated() {
              cells[16 * row + 4 * column + k] += tent(x, column) * tent(y, row) * max(0, gradient)
            }
          }
        }
      }
    }
    let all = cells.reduce(0, +)
    for i in 0..<64 {
      let expected = 512 * (cells[i] / all).squareRoot()
      #expect(abs(Double(shares[i]) - expected) < 0.51)
    }
  }

  @Test(arguments: [0, 255]) func flatPatchesHaveNoShares(_ value: UInt8) {
    let p = [UInt8](repeating: value, count: 256)
    var shares = [Int16](repeating: -1, count: 64)
    ck_gradient_shares(p, (0..<256).map { Int32($0) }, &shares)
    #expect(shares == Array(repeating: 0, count: 64))
  }

  @Test func theSteepestPatchFits() {
    // Stripes as steep as gray levels go, along either axis: no sum leaves its 16 bits.
    for vertical in [false, true] {
      let p = (0..<256).map { i -> UInt8 in (vertical ? i % 16 : i / 16) / 2 % 2 == 0 ? 0 : 255 }
      var shares = [Int16](repeating: -1, count: 64)
      ck_gradient_shares(p, (0..<256).map { Int32($0) }, &shares)
      #expect(shares.allSatisfy { (0...512).contains($0) })
      let squares = shares.reduce(0.0) { $0 + Double($1) * Double($1) }
      #expect(abs(squares / (512 * 512) - 1) < 0.01)
    }
  }

  @Test func signsAreThoseOfSums() {
    var random = RandomSource(seed: 2)
    var sums = (0..<256).map { _ in Int32(random.below(2_000_001) - 1_000_000) }
    sums[3] = 0
    sums[4] = .max >> 6
    sums[5] = .min >> 6
    var bits = [UInt64](repeating: 0, count: 4)
    var margins = [Int16](repeating: 0, count: 24)
    ck_signs(sums, &bits, &margins, 24)
    for i in 0..<256 {
      let isSet = bits[i / 64] >> UInt64(i % 64) & 1 == 1
      #expect(isSet == (sums[i] > 0))
    }
    for i in 0..<24 { #expect(Double(margins[i]) == (Double(sums[i]) / 1024).rounded(.down)) }
  }

  @Test func nearDescriptorsAreFound() {
    var random = RandomSource(seed: 3)
    let descriptors = (0..<(4 * 300)).map { _ in random.next() & random.next() }
    let query = (0..<4).map { _ in random.next() & random.next() }
    var places = [UInt32](repeating: 0, count: 300)
    var distances = [UInt16](repeating: 0, count: 300)
    for (count, limit) in [(300, 96), (299, 90), (1, 256), (0, 256), (300, 256), (300, -1)] {
      let n = Int(ck_near(query, descriptors, Int32(count), Int32(limit), &places, &distances))
      var expected: [(UInt32, UInt16)] = []
      for i in 0..<count {
        let d = (0..<4).reduce(0) { $0 + (query[$1] ^ descriptors[4 * i + $1]).nonzeroBitCount }
        if d <= limit { expected.append((UInt32(i), UInt16(d))) }
      }
      #expect(n == expected.count)
      if limit == 96 { #expect(n > 3 && n < 290) }
      for i in 0..<min(n, expected.count) { #expect((places[i], distances[i]) == expected[i]) }
    }
  }
}
