import WaymarkImage

extension Homography {
  /// Returns whether the corners' depths differ no more than they can: a picture that fills a small angle is about as far away at
  /// one end as at the other, however it is tilted. Bent wrong maps fail here.
  ///
  /// - Parameters:
  ///   - q: the corners of the reference.
  ///   - outline: of the reference in the frame.
  ///   - width: of the frame in pixels.
  func hasCameraLikeDepth(of q: Quadrilateral, _ outline: Quadrilateral, width: Int) -> Bool {
    let depths = SIMD4(depth(q.topLeft), depth(q.topRight), depth(q.bottomRight), depth(q.bottomLeft))
    let (least, greatest) = (abs(depths.min()), abs(depths.max()))
    let ratio = max(least, greatest) / max(1e-9, min(least, greatest))
    // The focal length of a wide lens is 0.7 of the frame's width.
    return ratio < min(4, 1.1 + 1.8 * outline.longerDiagonal / (0.7 * Double(width)))
  }
}
