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
}
