import CKernels

/// The two neighbouring elements of a row around a coordinate, and the weight of the second. Beyond the ends of the row, the end
/// elements are repeated. The file also has interpolation between four pixels (`Bilinear`), and `Shrinking`, the means over squares
/// of pixels.
@usableFromInline
package struct LinearTap: Sendable {
  /// The index of the first neighbour.
  @usableFromInline package let low: Int
  /// The distance from the first to the second neighbour: 1, or 0 in a row of one element.
  @usableFromInline package let step: Int
  /// The weight of the second neighbour: 0 at the first, 1 at the second.
  @usableFromInline package let share: Double

  /// - Parameters:
  ///   - place: the coordinate; the middles of elements are at whole numbers; NaN is treated as 0.
  ///   - count: the number of the row's elements, at least one.
  @inlinable @inline(__always)
  package init(_ place: Double, count: Int) {
    let inside = min(max(0, place), Double(count &- 1))
    step = count > 1 ? 1 : 0
    low = min(Int(inside), count &- 1 &- step)
    share = inside - Double(low)
  }

  /// - Parameter place: a coordinate of at least 0 and less than the index of the last element.
  @inlinable @inline(__always)
  package init(inside place: Double) {
    step = 1
    low = Int(place)
    share = place - Double(low)
  }

  /// Creates the tap of an element's middle after resizing: element `element` of `count` maps to a row of `others` elements with
  /// the same extent.
  @inlinable @inline(__always)
  package init(middleOf element: Int, of count: Int, in others: Int) {
    self.init((Double(element) + 0.5) * Double(others) / Double(count) - 0.5, count: others)
  }

  /// The index of the second neighbour.
  @inlinable
  package var high: Int { low &+ step }

  /// Interpolates linearly between the values of the two neighbours.
  @inlinable @inline(__always)
  package func mix(_ a: Double, _ b: Double) -> Double { a * (1 - share) + b * share }

  /// Interpolates linearly between the values of the two neighbours.
  @inlinable @inline(__always)
  package func mix(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> SIMD4<Float> { a * Float(1 - share) + b * Float(share) }
}

/// Bilinear interpolation between four pixels.
@usableFromInline
package enum Bilinear {
  /// Interpolates in integers, for many positions along a line or in a picture.
  ///
  /// - Parameters:
  ///   - above: the upper left pixel; the lower pixels are `stride` bytes further, the right pixels `next` bytes.
  ///   - fx: the offset to the right, in units of 1 / 2^`bits` of a pixel; `fy` downwards.
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
  /// Returns the brightness at a position by bilinear interpolation, the border repeated. The picture must not be empty.
  @inlinable @inline(__always)
  package func bilinear(_ p: SIMD2<Double>) -> Double {
    bilinear(LinearTap(p.x, count: width), LinearTap(p.y, count: height))
  }

  /// Returns the brightness at a position by bilinear interpolation, without checks: 0 ≤ x < `width` − 1 and 0 ≤ y < `height` −
  /// 1.
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
  /// Returns red, green and blue at a position by bilinear interpolation, the border repeated. The picture must not be empty.
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

extension ImageView {
  /// Returns the picture at twice the size by bilinear interpolation: each pixel becomes four, sampled a quarter of a
  /// pixel from its centre to each side.
  package func doubled() -> GrayImage {
    GrayImage(width: width * 2, height: height * 2) { pixels in
      guard let target = pixels.baseAddress, width > 0, height > 0 else { return }
      ck_double(base, stride, target, 2 * width, Int32(clamping: width), Int32(clamping: height))
    }
  }
}

extension GrayImage {
  /// Returns the picture with a border of `border` pixels in one tone.
  package func framed(_ border: Int, tone: UInt8) -> GrayImage {
    let (wide, high) = (width + 2 * border, height + 2 * border)
    return GrayImage(width: wide, height: high) { pixels in
      guard let target = pixels.baseAddress else { return }
      pixels.update(repeating: tone)
      withView { view in
        for y in 0..<view.height {
          (target + (y + border) * wide + border).update(from: view.row(y), count: view.width)
        }
      }
    }
  }
}

// MARK: - Shrinking

/// Shrinks pictures by a whole factor, by means over squares of pixels.
package enum Shrinking {
  /// The largest number of rows and columns of a square that are used. In larger squares, rows and columns are skipped at equal
  /// steps.
  private static let most = 16

  /// Shrinks the planes of a picture by `factor`; remaining columns at the right and rows at the bottom are dropped.
  ///
  /// - Parameters:
  ///   - base: the first byte of the first row; rows are `stride` bytes apart, a pixel has `channels` bytes.
  ///   - planes: a plane for each channel, of `width / factor` by `height / factor` bytes without gaps.
  ///   - sums: scratch memory, which grows as needed; keep it between calls.
  package static func means(
    _ base: UnsafePointer<UInt8>, width: Int, height: Int, stride: Int, channels: Int, factor: Int,
    into planes: UnsafePointer<UnsafeMutablePointer<UInt8>>, sums: inout [UInt16]
  ) {
    let (w, h) = (width / factor, height / factor)
    guard w > 0, h > 0 else { return }
    if factor == 2, channels == 1 {
      ck_halve(base, stride, planes[0], w, Int32(clamping: w), Int32(clamping: h))
      return
    }
    // A sum of 16 values up to 255 fits into 16 bits.
    let used = min(factor, most)
    let step = factor / used
    let count = w * factor * channels
    let area = UInt32(used * used)
    // A multiplication instead of a division; the result is exact below 2³² / area.
    let reciprocal = (1 << 32) / UInt64(area) + 1
    if sums.count < count { sums = [UInt16](repeating: 0, count: count) }
    sums.withUnsafeMutableBufferPointer { buffer in
      guard let sums = buffer.baseAddress else { return }
      for y in 0..<h {
        sums.update(repeating: 0, count: count)
        for k in 0..<used {
          let row = base + (y &* factor &+ k &* step) &* stride
          for i in 0..<count { sums[i] = sums[i] &+ UInt16(row[i]) }
        }
        for c in 0..<channels {
          let out = planes[c] + y &* w
          for x in 0..<w {
            var sum = area / 2
            var i = x &* factor &* channels &+ c
            for _ in 0..<used {
              sum &+= UInt32(sums[i])
              i &+= step &* channels
            }
            out[x] = UInt8(truncatingIfNeeded: (UInt64(sum) &* reciprocal) &>> 32)
          }
        }
      }
    }
  }
}

extension ImageView {
  /// Returns the picture shrunk by `factor` as by `Shrinking.means`; remaining columns and rows are dropped.
  package func shrunk(by factor: Int) -> GrayImage {
    GrayImage(width: width / factor, height: height / factor) { pixels in
      guard let target = pixels.baseAddress else { return }
      var sums: [UInt16] = []
      withUnsafePointer(to: target) {
        Shrinking.means(
          base, width: width, height: height, stride: stride, channels: 1, factor: factor, into: $0, sums: &sums)
      }
    }
  }
}
