/// The two neighbours in a row between which a coordinate lies, and how far it is from the first to the second; beyond the ends the row goes
/// on as it ends.
@usableFromInline
package struct LinearTap: Sendable {
  /// The first of the two neighbours.
  @usableFromInline package let low: Int
  /// From the first to the second one: 1, or 0 in a row of one.
  @usableFromInline package let step: Int
  /// 0 at the first, 1 at the second.
  @usableFromInline package let share: Double

  /// - Parameters:
  ///   - place: the middles of the row's elements are whole numbers; what is not a number counts as 0.
  ///   - count: of the row's elements, at least one.
  @inlinable @inline(__always)
  package init(_ place: Double, count: Int) {
    let inside = min(max(0, place), Double(count &- 1))
    step = count > 1 ? 1 : 0
    low = min(Int(inside), count &- 1 &- step)
    share = inside - Double(low)
  }

  /// - Parameter inside: a place of at least 0 that lies before the last element.
  @inlinable @inline(__always)
  package init(inside place: Double) {
    step = 1
    low = Int(place)
    share = place - Double(low)
  }

  /// The middle of one of `count` elements of a row in a row of `others` elements of the same length.
  @inlinable @inline(__always)
  package init(middleOf element: Int, of count: Int, in others: Int) {
    self.init((Double(element) + 0.5) * Double(others) / Double(count) - 0.5, count: others)
  }

  /// The second of the two neighbours.
  @inlinable
  package var high: Int { low &+ step }

  /// Between the values of the two neighbours.
  @inlinable @inline(__always)
  package func mix(_ a: Double, _ b: Double) -> Double { a * (1 - share) + b * share }

  /// Between the values of the two neighbours.
  @inlinable @inline(__always)
  package func mix(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> { a * Float(1 - share) + b * Float(share) }
}

/// Values between four pixels, in proportion to how near they are.
@usableFromInline
package enum Bilinear {
  /// In whole numbers, for lines and pictures of many places.
  ///
  /// - Parameters:
  ///   - above: the left one of the upper pixels; the lower ones lie `stride` bytes behind, the right ones `next` bytes.
  ///   - fx: how far the place is to the right, in units of 1 / 2^`bits` of a pixel; `fy` downwards.
  /// - Returns: the value times 2^(2 · `bits`).
  @inlinable @inline(__always)
  package static func fixed(
    _ above: UnsafePointer<UInt8>, stride: Int, next: Int = 1, fx: Int, fy: Int, bits: Int
  ) -> Int {
    let below = above + stride
    let one = 1 &<< bits
    let top = Int(above[0]) &* (one &- fx) &+ Int(above[next]) &* fx
    let bottom = Int(below[0]) &* (one &- fx) &+ Int(below[next]) &* fx
    return top &* (one &- fy) &+ bottom &* fy
  }
}

extension ImageView {
  /// The brightness at a place, linear between pixels; beyond the border it goes on as it ends. The picture must not be empty.
  @inlinable @inline(__always)
  package func bilinear(_ p: SIMD2<Double>) -> Double {
    bilinear(LinearTap(p.x, count: width), LinearTap(p.y, count: height))
  }

  /// The same at a place of at least 0 that lies before the last column and the last row: four pixels are around it.
  @inlinable @inline(__always)
  package func bilinear(inside p: SIMD2<Double>) -> Double {
    bilinear(LinearTap(inside: p.x), LinearTap(inside: p.y))
  }

  @inlinable @inline(__always)
  func bilinear(_ x: LinearTap, _ y: LinearTap) -> Double {
    let top = row(y.low) + x.low
    let bottom = y.step == 0 ? top : top + stride
    return y.mix(
      x.mix(Double(top[0]), Double(top[x.step])), x.mix(Double(bottom[0]), Double(bottom[x.step])))
  }
}

extension RGBImage {
  /// Red, green and blue at a place, linear between pixels; beyond the border the picture goes on as it ends. It must not be empty.
  package func bilinear(_ p: SIMD2<Double>) -> SIMD4<Float> {
    let (x, y) = (LinearTap(p.x, count: width), LinearTap(p.y, count: height))
    func at(_ x: Int, _ y: Int) -> SIMD4<Float> {
      let c = self[x, y]
      return SIMD4(Float(c.red), Float(c.green), Float(c.blue), 0)
    }
    return y.mix(
      x.mix(at(x.low, y.low), at(x.high, y.low)), x.mix(at(x.low, y.high), at(x.high, y.high)))
  }
}
