import WaymarkImage

/// How an anchor is smeared at places of the next frame: by the way to there from where it was in the last ones.
struct ExpectedSmear {
  let history: MotionHistory
  /// The same of a round anchor.
  let turns: CylinderMotion
  let exposure: ExposureEstimate
  /// When the frame was captured, in seconds.
  let time: Double
  /// The size of the reference, in pixels.
  let width: Int
  let height: Int

  func blur(at place: SurfaceMap) -> MotionBlur? {
    switch place {
    case .plane(let homography):
      let corners = homography.apply(Quadrilateral(width: Double(width), height: Double(height)))
      guard let motion = history.motion(at: corners, time) else { return nil }
      return exposure.blur(corners, motion, width: width, height: height)
    case .cylinder(let cylinder): return turns.blur(cylinder, at: time, exposure: exposure.seconds)
    }
  }
}
