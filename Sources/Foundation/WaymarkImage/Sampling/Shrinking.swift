import CKernels

/// Means over squares of pixels: a picture at a whole fraction of its size.
package enum Shrinking {
  /// Of larger squares every so many rows and columns count, at most as many as this.
  private static let most = 16

  /// Makes the planes of a picture `factor` times smaller; a rest at the right and the bottom falls away.
  ///
  /// - Parameters:
  ///   - base: the first byte of the first row; `stride` bytes lie between rows, a pixel has `channels` bytes.
  ///   - planes: one for each channel, of `width / factor` by `height / factor` bytes without gaps.
  ///   - sums: memory to work in; it grows, and is kept by whoever calls often.
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
    // 255 · 16 fits into 16 bits.
    let used = min(factor, most)
    let step = factor / used
    let count = w * factor * channels
    let area = UInt32(used * used)
    // A multiplication instead of a division: exact below 2³² / area.
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
  /// Means of `factor` × `factor` pixels; a rest at the right and the bottom falls away.
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
