import WaymarkImage

/// The periods with which a picture repeats: rows of icons, bricks, lines of a form.
///
/// The autocorrelation of the picture at a small size, its local mean taken out, so that only what has structure resembles. What is not
/// repeated has no second peak.
enum RepeatedStructure {
  /// The steps in pixels of the reference, each with its opposite; none for most pictures.
  ///
  /// - Parameter detail: how many times the reference's size the largest level of the pyramid is.
  static func steps(of pyramid: GrayPyramid, detail: Double) -> [Point2] {
    let levels = 0..<pyramid.count
    guard let index = levels.first(where: { max(pyramid.level($0).width, pyramid.level($0).height) <= side }) else {
      return []
    }
    let view = pyramid.level(index)
    let scale = detail * pyramid.scale(index)
    let (w, h) = (view.width, view.height)
    guard min(w, h) >= 16 else { return [] }
    let pixels = flattened(view)
    // Half of the plane is enough: the other one is the same.
    let (reachX, reachY) = (w * 5 / 8, h * 5 / 8)
    let columns = 2 * reachX + 1
    var map = [Float](repeating: -1, count: columns * (reachY + 1))
    pixels.withUnsafeBufferPointer { p in
      for dy in 0...reachY {
        for dx in -reachX...reachX where dy > 0 || dx > 0 {
          map[dy * columns + dx + reachX] = correlation(p, w, h, dx, dy)
        }
      }
    }
    func value(_ dx: Int, _ dy: Int) -> Float {
      let (x, y) = dy < 0 || dy == 0 && dx < 0 ? (-dx, -dy) : (dx, dy)
      return abs(x) <= reachX && y <= reachY ? map[y * columns + x + reachX] : -1
    }
    var peaks: [(step: Point2, height: Float)] = []
    for dy in 0...reachY {
      for dx in -reachX...reachX where dy > 0 || dx > 0 {
        let v = value(dx, dy)
        // At the rim of what is looked at it may still rise.
        guard v > least, abs(dx) + dy >= 4, abs(dx) < reachX, dy < reachY else { continue }
        let isPeak = (-1...1).allSatisfy { j in
          (-1...1).allSatisfy { i in (i, j) == (0, 0) || (dx + i, dy + j) == (0, 0) || value(dx + i, dy + j) <= v }
        }
        if isPeak { peaks.append((Point2(Double(dx), Double(dy)) / scale, v)) }
      }
    }
    // The peak taken by mistake is the next one, not the one after it.
    peaks.sort { $0.step.length < $1.step.length }
    return peaks.prefix(most).flatMap { [$0.step, Point2.zero - $0.step] }
  }

  /// The greatest side of the size that is compared.
  private static let side = 128
  /// The least correlation of a picture with itself, a step aside.
  private static let least: Float = 0.5
  /// The most steps, not counting their opposites.
  private static let most = 6

  /// The picture without its local means, over squares of 13 pixels.
  private static func flattened(_ view: ImageView) -> [Float] {
    let (w, h) = (view.width, view.height)
    let r = 6
    let sums = IntegralImage<Int32>(width: w, height: h) { Int32(view.row($1)[$0]) }
    var out = [Float](repeating: 0, count: w * h)
    for y in 0..<h {
      for x in 0..<w {
        let (sum, count) = sums.window(x, y, reach: r)
        out[y * w + x] = Float(view.row(y)[x]) - Float(sum) / Float(count)
      }
    }
    return out
  }

  /// The normalised correlation of a picture with itself, shifted by (`dx`, `dy`), `dy` ≥ 0, over what overlaps.
  private static func correlation(_ p: UnsafeBufferPointer<Float>, _ w: Int, _ h: Int, _ dx: Int, _ dy: Int) -> Float {
    var (both, one, other) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
    var rest = SIMD3<Float>.zero
    let (low, high) = (max(0, -dx), min(w, w - dx))
    for y in 0..<(h - dy) {
      let (a, b) = (y * w, (y + dy) * w + dx)
      var x = low
      while x + 8 <= high {
        let u = UnsafeRawPointer(p.baseAddress! + a + x).loadUnaligned(as: SIMD8<Float>.self)
        let v = UnsafeRawPointer(p.baseAddress! + b + x).loadUnaligned(as: SIMD8<Float>.self)
        both += u * v
        one += u * u
        other += v * v
        x += 8
      }
      while x < high {
        let (u, v) = (p[a + x], p[b + x])
        rest += SIMD3(u * v, u * u, v * v)
        x += 1
      }
    }
    let product = (one.sum() + rest.y) * (other.sum() + rest.z)
    return product > 0 ? (both.sum() + rest.x) / product.squareRoot() : 0
  }
}
