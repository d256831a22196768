package import WaymarkImage

/// How a picture that moves while the shutter is open is smeared: every point along its own way.
///
/// The way is a parabola. With a straight one, the middle of the smear would be taken for the place in the middle of the
/// exposure; under an acceleration *a* it lies *a*·T²/24 beside it, a twentieth of a pixel where a hand turns back.
package struct MotionBlur: Sendable {
  /// Reference → frame when the shutter opens, in the middle of the exposure, and when it closes.
  private let opening: SurfaceMap
  private let middle: SurfaceMap
  private let closing: SurfaceMap

  package init(opening: SurfaceMap, middle: SurfaceMap, closing: SurfaceMap) {
    self.opening = opening
    self.middle = middle
    self.closing = closing
  }

  /// The way of a point of the reference in the frame while the shutter is open, in pixels: from its beginning to its end, and
  /// from its middle to the middle between these two.
  package func way(of p: Point2) -> (chord: Point2, sag: Point2) {
    let (a, b, c) = (opening.apply(p), middle.apply(p), closing.apply(p))
    let chord = c - a
    let sag = 0.5 * (a + c) - b
    guard chord.x.isFinite, chord.y.isFinite, sag.x.isFinite, sag.y.isFinite else { return (.zero, .zero) }
    return (chord, sag)
  }
}
