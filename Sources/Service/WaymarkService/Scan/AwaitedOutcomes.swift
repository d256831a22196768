import WaymarkProtocol
import WaymarkSystem

/// The confirmed scans whose onboarding has not been reported as ended yet: the newest 64 of the last ten minutes.
struct AwaitedOutcomes {
  /// The seconds after the confirmation within which the outcome may be reported.
  static let within = 600.0
  static let most = 64

  private var scans: [(id: String, context: JSONValue?, confirmed: Double)] = []

  /// Adds a scan that was confirmed at `now`, in seconds of the monotonic clock.
  mutating func confirmed(_ id: String, _ context: JSONValue?, at now: Double) {
    scans.removeAll { now - $0.confirmed > Self.within }
    if scans.count == Self.most { scans.removeFirst() }
    scans.append((id, context, now))
  }

  /// Removes the scan of a report, and returns its event.
  ///
  /// - Throws: `notFound` if the scan is not awaited.
  mutating func take(_ report: OnboardingOutcomeRequest, at now: Double, by actor: Actor?) throws -> OnboardingEnded {
    scans.removeAll { now - $0.confirmed > Self.within }
    guard let index = scans.firstIndex(where: { $0.id == report.scan }) else {
      throw ServiceError(
        .notFound, "No confirmed scan with this id waits for its outcome.",
        hint: "Report the outcome once, within ten minutes of scan.confirmed, with the scan of that event.")
    }
    let scan = scans.remove(at: index)
    return OnboardingEnded(
      scan: scan.id, context: scan.context, outcome: report.outcome, reason: report.reason, text: report.text, by: actor
    )
  }
}
