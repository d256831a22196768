import CKernels
package import WaymarkImage

/// Shows a reference picture through a map, as a camera would: averaged over each pixel instead of picked at points.
///
/// Samples four times a pixel from the level of a pyramid whose pixels are nearest in size. Keeps its buffers; used from
/// one thread.
package final class PictureRenderer {
  private let pyramid = GrayPyramid()
  private var wide = PixelBuffer(capacity: 0)

  package init() {}

  /// Takes the picture to show.
  package func load(_ picture: ImageView) { pyramid.update(picture, levels: 9, minimumSide: 12) }

  /// Renders into `target` (`width` × `height`, rows without gaps); what lies outside the picture repeats its edge.
  ///
  /// - Parameters:
  ///   - map: target pixels → picture pixels.
  ///   - surroundings: whether what lies outside is wanted; otherwise it may be left black a little way off.
  func render(
    _ map: Homography, into target: UnsafeMutablePointer<UInt8>, width: Int, height: Int, shrink: Double,
    surroundings: Bool = true
  ) {
    guard width > 0, height > 0 else { return }
    if wide.capacity < 4 * width * height { wide = PixelBuffer(capacity: 4 * width * height) }
    // Two samples a pixel along each axis: half of `shrink` picture pixels lie between samples.
    var level = 0
    while level + 2 < pyramid.count, shrink / 2 * pyramid.scale(level + 2) >= 1 { level += 2 }
    let source = pyramid.level(level)
    let s = pyramid.scale(level)
    let full = Homography.resize(Point2(s, s)) * map * Homography.resize(Point2(0.5, 0.5))
    let m = full.normalized.rowMajor
    ck_warp(
      source.base, source.stride, Int32(source.width), Int32(source.height), m, surroundings ? -1 : 8, wide.bytes,
      2 * width, Int32(2 * width), Int32(2 * height))
    ck_halve(wide.bytes, 2 * width, target, width, Int32(width), Int32(height))
  }
}
