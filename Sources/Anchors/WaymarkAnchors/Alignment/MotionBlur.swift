package import WaymarkImage

/// The motion blur of a picture that moves while the shutter is open: every point moves along its own path.
///
/// The path is a parabola. With a straight path, the middle of the blur would be taken for the position in the middle of the
/// exposure; under an acceleration *a* it is *a*·T²/24 beside it, a twentieth of a pixel when a hand reverses its motion.
package struct MotionBlur: Sendable {
  /// Reference pixels → frame pixels when the shutter opens, in the middle of the exposure, and when it closes.
  let opening: SurfaceMap
  let middle: SurfaceMap
  let closing: SurfaceMap

  /// Returns the path in the frame of a reference point during the exposure, in pixels: the chord from start to end, and the
  /// sag from the middle position to the middle of the chord.
  package func way(of p: Point2) -> (chord: Point2, sag: Point2) {
    let (a, b, c) = (opening.apply(p), middle.apply(p), closing.apply(p))
    let chord = c - a
    let sag = 0.5 * (a + c) - b
    guard chord.x.isFinite, chord.y.isFinite, sag.x.isFinite, sag.y.isFinite else { return (.zero, .zero) }
    return (chord, sag)
  }
}
