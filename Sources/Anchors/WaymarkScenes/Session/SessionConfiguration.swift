import WaymarkSystem

/// The times of the session, in seconds. Times and not frames: a slow camera must not make a nervous session.
package struct SessionConfiguration: Hashable, Sendable {
  /// How long an anchor must have been seen before it counts as found.
  package var foundAfter = 0.06
  /// A pause longer than this starts the count for `foundAfter` again.
  var candidateGap = 0.25
  /// How long an anchor may be out of sight before it counts as lost; its last pose is kept meanwhile.
  package var lostAfter = 0.5
  /// How long the indicator shows on a matched anchor before the markers appear.
  package var annotateAfter = 1.0
  /// How far from a marker a tap still means it, as a share of the frame's longer side.
  var tapRadius = 0.05
  /// A marker that comes into sight shows once it is this far inside the frame, in pixels, so that one on the very edge
  /// does not flicker.
  var edgeMargin = 2.0
  /// Smoothing of marker places: cutoff at rest in hertz, and its rise in hertz per pixel a second. A ramp lags by at
  /// most 1/(2π·slope) pixels. The speed is followed quickly: a hand that turns round must not meet a filter that still thinks
  /// it stands.
  var smoothingCutoff = 1.0
  var smoothingSlope = 0.5
  var smoothingSpeedCutoff = 6.0

  package init() {}

  /// When an anchor counts as found and as lost. One sighting alone may be a mistake, so that found it is in the second at the earliest.
  var presence: Presence.Options {
    Presence.Options(
      foundAfter: max(foundAfter, .leastNonzeroMagnitude), gap: candidateGap, lostAfter: lostAfter)
  }
}
