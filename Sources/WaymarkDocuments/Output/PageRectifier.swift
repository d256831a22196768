package import WaymarkGeometry
package import WaymarkImage

/// Draws a page as if it had been photographed straight from above, at the resolution that its pixels carry.
package struct PageRectifier: Sendable {
  /// More pixels are not made of one page.
  package var pixelLimit = 24_000_000

  /// A rectifier with the limits that the scanner uses.
  package init() {}

  /// The page within `page.outline`, its bent sides made straight; nil for an outline that is not a quadrilateral seen from its front.
  package func rectify(_ image: RGBImage, page: DetectedPage) -> RGBImage? {
    draw(image, outline: page.outline, bends: SideBends(page))
  }

  /// The part of a picture within a quadrilateral, taken for a flat page where nothing is said of its sides.
  package func rectify(_ image: RGBImage, outline: Quadrilateral, bends: SideBends? = nil) -> RGBImage? {
    draw(image, outline: outline, bends: bends)
  }

  /// How large the rectified page gets, in pixels.
  package func size(of outline: Quadrilateral, in image: RGBImage) -> (width: Int, height: Int) {
    let shape = PageShape(outline: outline, width: Double(image.width), height: Double(image.height))
    // No side gets shorter than it is in the picture.
    let across = max(
      outline.topLeft.distance(to: outline.topRight), outline.bottomLeft.distance(to: outline.bottomRight))
    let down = max(
      outline.topLeft.distance(to: outline.bottomLeft), outline.topRight.distance(to: outline.bottomRight))
    var height = max(down, across / shape.aspect)
    var width = height * shape.aspect
    let excess = (width * height / Double(pixelLimit)).squareRoot()
    if excess > 1 {
      width /= excess
      height /= excess
    }
    return (max(8, Int(width.rounded())), max(8, Int(height.rounded())))
  }

  private func draw(_ image: RGBImage, outline: Quadrilateral, bends: SideBends?) -> RGBImage? {
    guard image.width > 1, image.height > 1,
      outline.isPlausible(.init()), let map = Homography(unitSquareTo: outline)
    else { return nil }
    let (width, height) = size(of: outline, in: image)
    return RGBImage(width: width, height: height) { out in
      image.withBytes { source in
        guard let source = source.baseAddress, let out = out.baseAddress else { return }
        let columns = (0..<width).map { (Double($0) + 0.5) / Double(width) }
        let top = columns.map { bends?.top($0) ?? 0 }
        let bottom = columns.map { bends?.bottom($0) ?? 0 }
        for y in 0..<height {
          let v = (Double(y) + 0.5) / Double(height)
          let (left, right) = (bends?.left(v) ?? 0, bends?.right(v) ?? 0)
          var target = out + 3 * y * width
          for x in 0..<width {
            let u = columns[x]
            // The straight sides plus what the opposite ones are bent by, in proportion (S. A. Coons, 1967).
            let p = SIMD3(u + (1 - u) * left + u * right, v + (1 - v) * top[x] + v * bottom[x], 1)
            let w = map.row2.dot(p)
            let across = LinearTap(map.row0.dot(p) / w, count: image.width)
            let down = LinearTap(map.row1.dot(p) / w, count: image.height)
            let (fx, fy) = (Int(across.share * 128), Int(down.share * 128))
            let first = source + 3 &* (down.low &* image.width &+ across.low)
            for c in 0..<3 {
              let value = Bilinear.fixed(first + c, stride: 3 &* image.width, next: 3, fx: fx, fy: fy, bits: 7)
              target[c] = UInt8(truncatingIfNeeded: (value &+ 8192) &>> 14)
            }
            target += 3
          }
        }
      }
    }
  }
}

/// How far the sides of a page bend away from the chords between its corners, in units of the page.
package struct SideBends: Sendable {
  /// a + b t of t (1 - t) (a + b t): nothing at both corners.
  private var coefficients: [(a: Double, b: Double)]

  /// Two numbers for each side: top, right, bottom, left.
  package var numbers: [Double] { coefficients.flatMap { [$0.a, $0.b] } }

  /// Bends that were kept as numbers; nil for what no page has.
  package init?(numbers: [Double]) {
    guard numbers.count == 8, numbers.allSatisfy({ $0.isFinite && abs($0) < 4 }) else { return nil }
    coefficients = stride(from: 0, to: 8, by: 2).map { (numbers[$0], numbers[$0 + 1]) }
  }

  /// nil where the sides are straight, or too little of them was seen to tell.
  package init?(_ page: DetectedPage) {
    guard page.sides.count == 4, page.seen.count == 4,
      let map = Homography(unitSquareTo: page.outline), let inverse = map.inverse
    else { return nil }
    coefficients = []
    var largest = 0.0
    for side in 0..<4 {
      var fit = (a: 0.0, b: 0.0)
      if page.seen[side] > 0.8 {
        let points = page.sides[side].map { p -> (t: Double, d: Double) in
          let q = inverse.apply(p)
          return side % 2 == 0 ? (q.x, q.y - (side == 0 ? 0 : 1)) : (q.y, q.x - (side == 3 ? 0 : 1))
        }
        if let found = Self.fit(points) { fit = found }
      }
      largest = max(largest, abs(fit.a + fit.b / 2) / 4)
      coefficients.append(fit)
    }
    // Less than a few pixels of a page is what tracing errs by.
    guard largest > 0.004 else { return nil }
  }

  /// Least squares, once more without what lies far off.
  private static func fit(_ points: [(t: Double, d: Double)]) -> (a: Double, b: Double)? {
    var kept = points.filter { $0.t > 0.01 && $0.t < 0.99 && abs($0.d) < 0.12 }
    var fit: (a: Double, b: Double)?
    for _ in 0..<3 {
      guard kept.count > 12 else { return nil }
      var equations = NormalEquations()
      for (t, d) in kept {
        let p = t * (1 - t)
        equations.add(SIMD8(p, p * t, 0, 0, 0, 0, 0, 0), d)
      }
      guard let solution = equations.solve(count: 2) else { return nil }
      let (a, b) = (solution[0], solution[1])
      fit = (a, b)
      let errors = kept.map { abs($0.t * (1 - $0.t) * (a + b * $0.t) - $0.d) }
      let limit = max(0.004, 3 * errors.sorted()[errors.count / 2])
      kept = zip(kept, errors).filter { $0.1 < limit }.map(\.0)
    }
    return fit
  }

  private func value(_ side: Int, _ t: Double) -> Double {
    t * (1 - t) * (coefficients[side].a + coefficients[side].b * t)
  }

  func top(_ u: Double) -> Double { value(0, u) }
  func right(_ v: Double) -> Double { value(1, v) }
  func bottom(_ u: Double) -> Double { value(2, u) }
  func left(_ v: Double) -> Double { value(3, v) }
}
