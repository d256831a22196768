/// The lens distortion between the undistorted picture, in which homographies hold, and the frame.
///
/// Alignment reads the frame's own pixels and uses this map only for the position and the local distortion of a patch, so
/// that the frame is never resampled. Detection removes the distortion from the positions of the features.
package struct LensMap: Sendable {
  private let camera: CameraIntrinsics

  /// - Returns: `nil` for a lens that does not distort.
  package init?(_ camera: CameraIntrinsics?) {
    guard let camera, !camera.distortion.isNone else { return nil }
    self.camera = camera
  }

  /// Returns the map for frames resized by `factor`.
  package func scaled(by factor: Double) -> LensMap {
    var resized = camera
    resized.focal = camera.focal * factor
    resized.center = (camera.center + 0.5) * factor - 0.5
    return LensMap(resized) ?? self
  }

  /// Maps a pixel of the undistorted picture to the frame.
  package func bend(_ p: Point2) -> Point2 { camera.unrectify(p) }

  /// Maps a pixel of the frame to the undistorted picture.
  package func straighten(_ p: Point2) -> Point2 { camera.rectify(p) }

  /// Maps corners of the undistorted picture to the frame.
  package func bend(_ q: Quadrilateral) -> Quadrilateral {
    Quadrilateral(
      topLeft: bend(q.topLeft), topRight: bend(q.topRight), bottomRight: bend(q.bottomRight),
      bottomLeft: bend(q.bottomLeft))
  }

  /// Returns the derivatives of `bend` by x and by y, from central differences over one pixel, within which Brown's
  /// polynomial is practically linear.
  package func derivative(at p: Point2) -> (dx: Point2, dy: Point2) {
    (
      bend(Point2(p.x + 0.5, p.y)) - bend(Point2(p.x - 0.5, p.y)),
      bend(Point2(p.x, p.y + 0.5)) - bend(Point2(p.x, p.y - 0.5))
    )
  }

  /// Returns the corners in the frame of a reference of `width` × `height` pixels, given its homography to the undistorted
  /// picture, and the homography from the reference to these corners: exact at the corners, approximate between them. `nil`
  /// if the corners are not finite or determine no homography.
  package func seen(_ homography: Homography, width: Int, height: Int) -> (corners: Quadrilateral, map: Homography)? {
    let reference = Quadrilateral(width: Double(width), height: Double(height))
    let corners = bend(homography.apply(reference))
    guard corners.isFinite, let map = Homography(from: reference, to: corners) else { return nil }
    return (corners, map)
  }
}
