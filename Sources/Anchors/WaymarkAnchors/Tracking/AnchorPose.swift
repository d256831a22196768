package import WaymarkImage

/// Computes the pose of an anchor from its map into a frame.
package enum AnchorPose {
  /// Returns the pose from a single frame; for a flat anchor the better of the two possible tilts.
  ///
  /// - Parameters:
  ///   - map: Reference pixels → frame pixels, without the lens distortion.
  ///   - width: The width of the reference in pixels; `height` likewise.
  ///   - physicalWidth: The width of the printed picture in metres.
  /// - Returns: `nil` if the width is missing or no camera can produce the map.
  package static func single(
    _ map: SurfaceMap, width: Int, height: Int, physicalWidth: Double, _ intrinsics: CameraIntrinsics
  ) -> Pose? {
    solutions(map, width: width, height: height, physicalWidth: physicalWidth, intrinsics).map { Pose($0.best.pose) }
  }

  /// Returns both possible poses; a cylinder has only one.
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
