import WaymarkImage

/// A picture made small enough to look at whole, in one plane (gray) or three (red, green, blue).
final class WorkingPicture {
  /// How many pixels of the original a pixel stands for, in each direction.
  private(set) var factor = 1
  private(set) var planeCount = 1
  /// As seen.
  let planes = [PixelPlane(), PixelPlane(), PixelPlane()]
  /// Without dark marks of the width of writing.
  let closed = [PixelPlane(), PixelPlane(), PixelPlane()]
  private let scratch = PixelPlane()
  private var sums: [UInt16] = []

  /// The long side that the reduced picture has at most.
  static let longSide = 400

  var width: Int { planes[0].width }
  var height: Int { planes[0].height }

  func load(_ image: RGBImage) {
    image.withBytes { reduce($0.baseAddress, image.width, image.height, stride: 3 * image.width, channels: 3) }
  }

  func load(_ view: ImageView) {
    reduce(view.base, view.width, view.height, stride: view.stride, channels: 1)
  }

  /// Means over squares of `factor` pixels.
  private func reduce(_ base: UnsafePointer<UInt8>?, _ width: Int, _ height: Int, stride: Int, channels: Int) {
    // 255 · 16 · 16 fits into 16 bits; greater squares are sampled.
    factor = max(1, (max(width, height) + Self.longSide - 1) / Self.longSide)
    planeCount = channels
    let (w, h) = (width / factor, height / factor)
    for plane in planes[..<channels] { plane.resize(w, h) }
    guard let base, w > 0, h > 0 else { return }
    let used = min(factor, 16)
    let step = factor / used
    let count = w * factor * channels
    if sums.count < count { sums = [UInt16](repeating: 0, count: count) }
    let scale = UInt32(65536 / (used * used))
    sums.withUnsafeMutableBufferPointer { buffer in
      guard let sums = buffer.baseAddress else { return }
      for y in 0..<h {
        sums.update(repeating: 0, count: count)
        for k in 0..<used {
          let row = base + (y &* factor &+ k &* step) &* stride
          for i in 0..<count { sums[i] = sums[i] &+ UInt16(row[i]) }
        }
        for c in 0..<channels {
          let out = planes[c].pixels + y &* w
          for x in 0..<w {
            var sum: UInt32 = 0
            var i = x &* factor &* channels &+ c
            for _ in 0..<used {
              sum &+= UInt32(sums[i])
              i &+= step &* channels
            }
            out[x] = UInt8(truncatingIfNeeded: min(255, (sum &* scale &+ 32768) &>> 16))
          }
        }
      }
    }
  }

  /// Fills `closed`.
  func removeMarks(radius: Int) {
    for c in 0..<planeCount { Morphology.close(planes[c], radius: radius, into: closed[c], scratch: scratch) }
  }
}
