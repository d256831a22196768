package import WaymarkImage

/// Estimates the share of the frame time for which the shutter is open, which determines motion blur.
///
/// It is learned from the anchors themselves: of three lengths of smear, the one that looks most like the frame.
package struct ExposureEstimate: Sendable {
  /// The exposure in seconds.
  package private(set) var seconds: Double
  /// How far apart the lengths tried are, as a share of the exposure.
  package static let step = 1.3

  /// - Parameter seconds: a first guess; half the interval between frames is the usual shutter of a film.
  package init(seconds: Double = 1.0 / 60) { self.seconds = seconds }

  /// Takes how alike frame and reference were with an exposure shorter by `step`, the present one, and a longer one.
  package mutating func update(shorter: Double, present: Double, longer: Double) {
    guard shorter.isFinite, present.isFinite, longer.isFinite else { return }
    let curvature = shorter - 2 * present + longer
    let move: Double
    if curvature < -1e-5 {
      move = min(max(0.5 * (shorter - longer) / curvature, -1), 1)
    } else {
      move = longer > shorter ? 1 : -1
    }
    // Half of the way, so that a single odd frame decides nothing.
    seconds = min(max(seconds * Double.power(Self.step, 0.5 * move), 0.0005), 0.2)
  }

  /// How a flat reference of `width` × `height` pixels is smeared that is seen at `corners` in the middle of the exposure, moving
  /// as `motion` says; `nil` where it is less than a pixel.
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
