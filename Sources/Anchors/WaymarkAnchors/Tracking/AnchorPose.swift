package import WaymarkImage

/// The pose of an anchor from where it is in a frame.
package enum AnchorPose {
  /// The pose of a single frame, of a flat anchor the better of the two possible tilts.
  ///
  /// - Parameters:
  ///   - map: reference pixels → frame pixels, without the lens's distortion.
  ///   - width: of the reference in pixels; `height` likewise.
  ///   - physicalWidth: of the picture, in metres.
  /// - Returns: `nil` where there is none: no width, or a map that no camera makes.
  package static func single(
    _ map: SurfaceMap, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> Pose? {
    solutions(map, width: width, height: height, physicalWidth: physicalWidth, intrinsics).map { Pose($0.best.pose) }
  }

  /// Both poses; a cylinder has only one.
  static func solutions(
    _ map: SurfaceMap, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> PlanePoseSolver.Solutions? {
    switch map {
    case .plane(let homography):
      PlanePoseSolver.solve(
        homography: homography, width: width, height: height, physicalWidth: physicalWidth, intrinsics: intrinsics)
    case .cylinder(let cylinder): (PlanePoseSolver.Solution(pose: cylinder.pose, error: 0), nil)
    }
  }
}
