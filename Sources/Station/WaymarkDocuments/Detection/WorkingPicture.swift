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
    factor = max(1, (max(width, height) + Self.longSide - 1) / Self.longSide)
    planeCount = channels
    for plane in planes[..<channels] { plane.resize(width / factor, height / factor) }
    guard let base else { return }
    withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>.self, capacity: channels) { targets in
      for c in 0..<channels { targets.initializeElement(at: c, to: planes[c].pixels) }
      guard let targets = targets.baseAddress else { return }
      Shrinking.means(
        base, width: width, height: height, stride: stride, channels: channels, factor: factor, into: targets,
        sums: &sums)
    }
  }

  /// Fills `closed`.
  func removeMarks(radius: Int) {
    for c in 0..<planeCount { Morphology.close(planes[c], radius: radius, into: closed[c], scratch: scratch) }
  }

  /// Paints over the inside of an outline, row by row from what is left of it to what is right of it, so that nothing of it is seen any more.
  func paint(over outline: Quadrilateral) {
    for y in 0..<height {
      guard let hidden = outline.columns(at: Double(y), margin: Self.rim) else { continue }
      let (from, to) = (Int(max(0, hidden.lowerBound)), Int(min(Double(width), hidden.upperBound)))
      guard from < to else { continue }
      for plane in planes[..<planeCount] {
        let row = plane.pixels + y * width
        let left = from > 0 ? Int(row[from - 1]) : to < width ? Int(row[to]) : 128
        let right = to < width ? Int(row[to]) : left
        for x in from..<to { row[x] = UInt8(left + (right - left) * (x - from) / (to - from)) }
      }
    }
  }

  /// How far beyond an outline its page, and the shadow of it, may reach.
  private static let rim = 4.0
}

extension Quadrilateral {
  /// Where a row of pixels lies inside, or outside by at most `margin`; nil where it does not. For a convex outline.
  fileprivate func columns(at y: Double, margin: Double) -> Range<Double>? {
    var (left, right) = (Double.infinity, -Double.infinity)
    for i in 0..<4 {
      let (a, b) = (self[i], self[i + 1])
      // The side with the rim around it: its places no farther from the row.
      let (low, high) = a.y < b.y ? (a, b) : (b, a)
      guard low.y - margin <= y, y <= high.y + margin else { continue }
      let rise = high.y - low.y
      for row in [y - margin, y, y + margin] {
        let share = rise > 0 ? min(max(0, (row - low.y) / rise), 1) : 0.5
        let x = low.x + (high.x - low.x) * share
        left = min(left, x - margin)
        right = max(right, x + margin)
      }
      if rise < 2 * margin {
        left = min(left, min(low.x, high.x) - margin)
        right = max(right, max(low.x, high.x) + margin)
      }
    }
    return left < right ? left..<right : nil
  }
}
