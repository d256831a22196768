package import WaymarkGeometry

/// The pose of an anchor from its homography.
package enum AnchorPose {
  /// The pose of a single frame, the better of the two possible tilts.
  ///
  /// - Parameters:
  ///   - homography: reference pixels → frame pixels, without the lens's distortion.
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

  /// Both poses.
  static func solutions(
    _ homography: Homography, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> PlanePoseSolver.Solutions? {
    PlanePoseSolver.solve(
      homography: homography, width: width, height: height, physicalWidth: physicalWidth, intrinsics: intrinsics)
  }
}
