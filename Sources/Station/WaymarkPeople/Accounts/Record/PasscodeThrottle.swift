/// Wrong passcodes in a row, and since when they make wait.
///
/// Times are those of a clock that counts from the start of the device and cannot be set, so that no jump of the wall clock
/// shortens a wait or makes one longer. After the device was restarted that clock is behind: then the time since its start is all
/// that is known to have passed, and the wait runs from there.
package struct PasscodeThrottle: Hashable, Sendable {
  /// Wrong passcodes since the last right one, those being checked included.
  package private(set) var failures: Int
  /// When the last of them was given, in seconds since the device's start.
  package private(set) var since: Double

  /// Restores the stored state.
  package init(failures: Int = 0, since: Double = 0) {
    self.failures = max(0, min(failures, 1_000_000))
    self.since = since.isFinite ? max(0, since) : 0
  }

  /// One more try, before it is known whether it is right: who pulls the plug meanwhile has used it up.
  package mutating func count(at now: Double) {
    failures = min(failures + 1, 1_000_000)
    since = now
  }

  /// The passcode was right.
  package mutating func reset() { self = PasscodeThrottle() }

  /// The device was restarted since: its clock cannot be behind otherwise.
  package mutating func resume(at now: Double) {
    if now < since { since = 0 }
  }

  /// Seconds until the next try.
  package func remaining(at now: Double, _ rules: PasscodeRules) -> Double {
    let wait = rules.wait(after: failures)
    return wait <= 0 ? 0 : max(0, wait - max(0, now - since))
  }
}
