/// A lens between the straight picture, in which homographies hold, and the frame as it is.
///
/// Alignment works on the frame's own pixels: only where a patch stands and how its surroundings are bent comes from here,
/// so that no pixel is resampled. Detection takes the distortion out of the features' places.
package struct LensMap: Sendable {
  private let camera: CameraIntrinsics

  /// - Returns: `nil` for a lens that does not distort.
  package init?(_ camera: CameraIntrinsics?) {
    guard let camera, !camera.distortion.isNone else { return nil }
    self.camera = camera
  }

  /// The lens as frames resized by `factor` show it.
  package func scaled(by factor: Double) -> LensMap {
    var resized = camera
    resized.focal = camera.focal * factor
    resized.center = (camera.center + 0.5) * factor - 0.5
    return LensMap(resized) ?? self
  }

  /// Straight pixels → pixels of the frame.
  package func bend(_ p: Point2) -> Point2 { camera.unrectify(p) }

  /// Pixels of the frame → straight pixels.
  package func straighten(_ p: Point2) -> Point2 { camera.rectify(p) }

  /// The corners as the frame shows them.
  package func bend(_ q: Quadrilateral) -> Quadrilateral {
    Quadrilateral(
      topLeft: bend(q.topLeft), topRight: bend(q.topRight), bottomRight: bend(q.bottomRight),
      bottomLeft: bend(q.bottomLeft))
  }

  /// How the frame's pixel moves when the straight one does: the derivatives by x and by y, by central differences over a
  /// pixel, within which Brown's polynomial is straight to many digits.
  package func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    (
      bend(Point2(p.x + 0.5, p.y)) - bend(Point2(p.x - 0.5, p.y)),
      bend(Point2(p.x, p.y + 0.5)) - bend(Point2(p.x, p.y - 0.5))
    )
  }

  /// Draws a reference of `width` × `height` pixels as it looks in the frame whose straight place `homography` gives: the
  /// corners, and the homography through them, which holds exactly there and nearly between.
  package func seen(_ homography: Homography, width: Int, height: Int) -> (corners: Quadrilateral, map: Homography)? {
    let reference = Quadrilateral(width: Double(width), height: Double(height))
    let corners = bend(homography.apply(reference))
    guard corners.isFinite, let map = Homography(from: reference, to: corners) else { return nil }
    return (corners, map)
  }
}
