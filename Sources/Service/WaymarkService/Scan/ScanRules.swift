package import WaymarkOnboarding

/// The rules of a scan.
package struct ScanRules: Sendable {
  /// The policy.
  package var judge = OnboardingJudge()
  /// Where confirmations are written down.
  package var replayGuard: (any ReplayGuard)?
  /// The symbologies to read, and when a code is new again.
  package var settings = ScanMachine.Settings()
  /// Frames a second that are looked at, at most.
  package var rate: Double?
  /// True when frames that come from no camera may onboard the device.
  var acceptsPlayedFrames = false

  package init() {}
}
