package import WaymarkSystem

/// Why nobody felt anything.
package typealias FeedbackError = Problem<FeedbackErrorCode>

/// The codes of `FeedbackError`.
package enum FeedbackErrorCode: String, ProblemCode {
  /// There is no such LED.
  case noLED
  /// The LED cannot be written.
  case ledRefused
  /// No library, no sound card, or it is taken.
  case noSound
  /// The device cannot vibrate, or is not there.
  case noVibrator
}
