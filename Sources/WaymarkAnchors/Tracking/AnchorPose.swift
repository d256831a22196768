package import WaymarkGeometry

/// The pose of an anchor from its homography.
package enum AnchorPose {
  /// The pose of a single frame, the better of the two possible tilts.
  ///
  /// - Parameters:
  ///   - homography: reference pixels → frame pixels, as seen (distortion included).
  ///   - width: of the reference in pixels; `height` likewise.
  ///   - physicalWidth: of the picture, in metres.
  /// - Returns: `nil` where there is none: no width, or a map that no camera makes.
  package static func single(
    _ homography: Homography, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> Pose? {
    solutions(homography, width: width, height: height, physicalWidth: physicalWidth, intrinsics).map {
      Pose($0.best.pose)
    }
  }

  /// Both poses, distortion taken out.
  static func solutions(
    _ homography: Homography, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> PlanePoseSolver.Solutions? {
    var straight = homography
    if !intrinsics.distortion.isNone {
      // Through a lens the map is a homography only nearly. The one of the straightened corners stands for it.
      let reference = Quadrilateral(width: Double(width), height: Double(height))
      let seen = homography.apply(reference)
      let corners = Quadrilateral(
        topLeft: intrinsics.rectify(seen.topLeft), topRight: intrinsics.rectify(seen.topRight),
        bottomRight: intrinsics.rectify(seen.bottomRight), bottomLeft: intrinsics.rectify(seen.bottomLeft))
      guard let h = Homography(from: reference, to: corners) else { return nil }
      straight = h
    }
    return PlanePoseSolver.solve(
      homography: straight, width: width, height: height, physicalWidth: physicalWidth, intrinsics: intrinsics)
  }
}
