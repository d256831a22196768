package import WaymarkGeometry

/// How a picture that moves while the shutter is open is smeared: every point along its own way.
package struct MotionBlur: Sendable {
  /// Reference → frame when the shutter opens and when it closes.
  private let opening: Homography
  private let closing: Homography

  package init(opening: Homography, closing: Homography) {
    self.opening = opening
    self.closing = closing
  }

  /// The way of a point of the reference in the frame while the shutter is open, in pixels.
  package func extent(at p: Point2) -> Point2 {
    let d = closing.apply(p) - opening.apply(p)
    return d.x.isFinite && d.y.isFinite ? d : .zero
  }
}
