import CKernels
import Testing
import WaymarkAnchors
import WaymarkImage

/// The kernels against plain Swift.
@Suite struct PatchKernelTests {
  let image = Stage.picture(4)

  private func draw(_ map: [Float], _ offsets: [Float] = [0, 0]) -> [Float] {
    var out = [Float](repeating: 0, count: Int(CK_DRAWN_CAPACITY))
    image.withView {
      ck_patch_draw(
        $0.base, $0.stride, Int32($0.width), Int32($0.height), map, offsets, Int32(offsets.count / 2), &out)
    }
    return out
  }

  @Test func drawingSamplesThroughTheMap() {
    let map: [Float] = [1.1, 0.2, 60.25, -0.15, 0.9, 40.5, 0.0005, -0.0003, 1]
    let offsets: [Float] = [-0.25, 0, 0.25, 0.5, 0, -0.5]
    let drawn = draw(map, offsets)
    let h = Homography(rowMajor: map.map(Double.init))!
    for y in 0..<10 {
      for x in 0..<10 {
        var expected: Float = 0
        for k in 0..<3 {
          let p = Point2(Double(x - 1) + Double(offsets[2 * k]), Double(y - 1) + Double(offsets[2 * k + 1]))
          expected += Stage.sample(image, h.apply(p)) / 3
        }
        #expect(abs(drawn[10 * y + x] - expected) < 0.02)
      }
    }
  }

  @Test func outsideTheEdgeIsRepeated() {
    let drawn = draw([1, 0, -500, 0, 1, -500, 0, 0, 1])
    #expect(drawn.prefix(100).allSatisfy { $0 == Float(image[0, 0]) })
    // A map that divides by zero must not read outside.
    #expect(draw([1, 0, 0, 0, 1, 0, 1, 0, 0]).prefix(100).allSatisfy { $0 >= 0 && $0 <= 255 })
  }

  private func prepared(_ drawn: [Float]) -> (values: [Float], tensor: [Float], length: Float) {
    var values = [Float](repeating: 0, count: Int(CK_PREPARED))
    var tensor = [Float](repeating: 0, count: 3)
    let length = ck_patch_prepare(drawn, &values, &tensor)
    return (values, tensor, length)
  }

  @Test func preparedPatternsAreOrthogonal() {
    let p = prepared(draw([1, 0, 50, 0, 1, 60, 0, 0, 1]))
    let t = p.values[0..<64]
    let gx = p.values[64..<128]
    let gy = p.values[128..<192]
    func dot(_ a: ArraySlice<Float>, _ b: ArraySlice<Float>) -> Float { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    #expect(abs(t.reduce(0, +)) < 1e-4 && abs(dot(t, t) - 1) < 1e-5)
    #expect(abs(gx.reduce(0, +)) < 1e-4 && abs(dot(gx, t)) < 1e-5 && abs(dot(gy, t)) < 1e-5)
    #expect(abs(dot(gx, gx) - p.tensor[0]) < 1e-5 && abs(dot(gx, gy) - p.tensor[1]) < 1e-5)
    #expect(abs(dot(gy, gy) - p.tensor[2]) < 1e-5)
    let flat = [Float](repeating: 7, count: Int(CK_DRAWN_CAPACITY))
    #expect(prepared(flat).length == 0)
  }

  @Test func measuringIsTheCorrelation() {
    let p = prepared(draw([1, 0, 50, 0, 1, 60, 0, 0, 1]))
    var out = [Float](repeating: 0, count: 5)
    image.withView {
      ck_patch_measure($0.base + 58 * $0.stride + 51, $0.stride, 0.25, 0.5, p.values, &out)
    }
    func pixel(_ x: Int, _ y: Int) -> Float { Stage.sample(image, Point2(51.25 + Double(x), 58.5 + Double(y))) }
    let values = (0..<64).map { pixel($0 % 8, $0 / 8) }
    let mean = values.reduce(0, +) / 64
    let length = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }.squareRoot()
    #expect(abs(out[0] - mean) < 1e-2 && abs(out[1] - length) < 1e-1)
    for part in 0..<3 {
      let product = (0..<64).reduce(Float(0)) { $0 + p.values[64 * part + $1] * values[$1] } / length
      #expect(abs(out[2 + part] - product) < 1e-3)
    }
  }

  @Test func searchFindsThePatchAgain() {
    let p = prepared(draw([1, 0, 50, 0, 1, 60, 0, 0, 1]))
    var pattern = [Int16](repeating: 0, count: 64)
    ck_patch_quantize(p.values, &pattern)
    var map = [Float](repeating: 0, count: 13 * 13)
    image.withView { ck_patch_search($0.base + 57 * $0.stride + 54, $0.stride, pattern, 6, 1, &map) }
    let best = map.indices.max { map[$0] < map[$1] }!
    #expect((best % 13 - 6, best / 13 - 6) == (-4, 3))
    #expect(map[best] > 0.999)
  }

  @Test func textureCellsAreSumsOfSquares() {
    let columns = image.width / 4
    var cells = [Int32](repeating: 0, count: columns * (image.height / 4) * 3)
    image.withView { ck_texture_cells($0.base, $0.stride, Int32($0.width), Int32($0.height), &cells) }
    for (cx, cy) in [(0, 0), (3, 7), (columns - 1, image.height / 4 - 1), (20, 11)] {
      var sums: (Int32, Int32, Int32) = (0, 0, 0)
      for y in 4 * cy..<4 * cy + 4 {
        for x in 4 * cx..<4 * cx + 4 where x > 0 && y > 0 && x + 1 < image.width && y + 1 < image.height {
          let gx = Int32(image[x + 1, y]) - Int32(image[x - 1, y])
          let gy = Int32(image[x, y + 1]) - Int32(image[x, y - 1])
          sums = (sums.0 + gx * gx, sums.1 + gx * gy, sums.2 + gy * gy)
        }
      }
      let i = 3 * (cy * columns + cx)
      #expect((cells[i], cells[i + 1], cells[i + 2]) == sums)
    }
  }

  @Test func structureIsTheProductsOfGradients() {
    // The drawn patch rises by 3 a pixel to the right, the frame by 5 downwards.
    let drawn = (0..<100).map { Float(3 * ($0 % 10)) }
    let frame = (0..<144).map { UInt8(5 * ($0 / 12)) }
    var m = [Float](repeating: -1, count: 10)
    frame.withUnsafeBufferPointer { ck_patch_structure(drawn, $0.baseAddress! + 26, 12, &m) }
    // At the edge of the drawn patch the smoothing has only its own pixels, and the slope falls by a quarter twice.
    #expect(m[0] > 8 && m[0] <= 9 && m[1] == 0 && m[2] == 0)
    #expect(m[3] == 0 && m[4] == 0 && m[5] == 25)
    #expect(m[6] == 0 && m[7] > 14 && m[7] <= 15 && m[8] == 0 && m[9] == 0)
  }
}
