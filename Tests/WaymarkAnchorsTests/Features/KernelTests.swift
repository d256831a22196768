import CKernels
import Testing
import WaymarkGeometry
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

  @Test(arguments: [3, 5, 7]) func boxes(_ side: Int) {
    let p = plane(2)
    var scratch = [UInt16](repeating: 0, count: 3 * (width + 6))
    var (three, five, seven) = (p, p, p)
    p.withUnsafeBufferPointer { s in
      let o = 20 * stride + 20
      three.withUnsafeMutableBufferPointer { a in
        five.withUnsafeMutableBufferPointer { b in
          seven.withUnsafeMutableBufferPointer { c in
            ck_boxes(
              s.baseAddress! + o, a.baseAddress! + o, b.baseAddress! + o, c.baseAddress! + o, stride, Int32(width),
              Int32(height), &scratch)
          }
        }
      }
    }
    let q = side == 3 ? three : side == 5 ? five : seven
    let r = side / 2
    for y in 0..<height {
      for x in 0..<width {
        var sum = 0
        for j in -r...r { for i in -r...r { sum += at(p, x + i, y + j) } }
        let mean = Double(sum) / Double(side * side)
        #expect(abs(Double(at(q, x, y)) - mean) <= 0.55)
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
    picture.withView { ck_warp($0.base, $0.stride, 120, 90, map.rowMajor, &out, 100, 100, 60) }
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
}
