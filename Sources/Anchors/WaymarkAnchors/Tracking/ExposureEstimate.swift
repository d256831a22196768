package import WaymarkImage

/// Estimates the exposure time, which determines the motion blur.
///
/// It is estimated from the anchors: three lengths of motion blur are compared with the frame.
package struct ExposureEstimate: Sendable {
  /// The exposure in seconds.
  package private(set) var seconds: Double
  /// The factor between the exposures that are compared.
  package static let step = 1.3

  /// - Parameter seconds: The initial estimate; half the interval between frames is the usual shutter of a film camera.
  package init(seconds: Double = 1.0 / 60) { self.seconds = seconds }

  /// Updates the estimate with the likeness of frame and reference at an exposure shorter by the factor `step`, at the
  /// present one and at a longer one.
  package mutating func update(shorter: Double, present: Double, longer: Double) {
    guard shorter.isFinite, present.isFinite, longer.isFinite else { return }
    let curvature = shorter - 2 * present + longer
    let move: Double
    if curvature < -1e-5 {
      move = min(max(0.5 * (shorter - longer) / curvature, -1), 1)
    } else {
      move = longer > shorter ? 1 : -1
    }
    // Half of the step, so that a single unusual frame has little influence.
    seconds = min(max(seconds * Double.power(Self.step, 0.5 * move), 0.0005), 0.2)
  }

  /// Returns the motion blur of a flat reference of `width` × `height` pixels that is at `corners` in the middle of the
  /// exposure and moves with `motion`; `nil` if it is shorter than a pixel.
  package func blur(
    _ corners: Quadrilateral, _ motion: CornerMotion, width: Int, height: Int, factor: Double = 1
  ) -> MotionBlur? {
    let half = 0.5 * seconds * factor
    guard motion.velocity.mean * 2 * half >= 1 else { return nil }
    let outline = Quadrilateral(width: Double(width), height: Double(height))
    guard
      let opening = Homography(from: outline, to: corners.moved(by: motion, -half)),
      let middle = Homography(from: outline, to: corners),
      let closing = Homography(from: outline, to: corners.moved(by: motion, half))
    else { return nil }
    return MotionBlur(opening: .plane(opening), middle: .plane(middle), closing: .plane(closing))
  }
}

/// Computes the motion blur of an anchor at candidate positions in the next frame, from its last positions.
struct ExpectedSmear {
  let history: MotionHistory
  /// The motion of a round anchor.
  let turns: CylinderMotion
  let exposure: ExposureEstimate
  /// When the frame was captured, in seconds.
  let time: Double
  /// The width of the reference in pixels.
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
