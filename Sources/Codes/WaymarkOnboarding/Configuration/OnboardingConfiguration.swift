import WaymarkSystem

/// The onboarding policy of a configuration file, its keys read and everything checked.
package struct OnboardingConfiguration: Sendable {
  /// The policy.
  package var policy = OnboardingPolicy()
  /// Seconds that an accepted code waits for its confirmation.
  package var confirmWithin = 120.0
  /// Where confirmed payloads are remembered; nil when they may be used again.
  package var replayFolder: String?
  /// The things skipped on the way, such as keys of unsupported types.
  package var warnings: [String] = []

  /// The other sections of a `waymark.yaml`, and its keys that stand in none: known here so that a
  /// misspelt one is told from one that is for others.
  package static let sections = [
    "accounts", "anchors", "camera", "cameras", "clients", "documents", "forms", "gallery", "isolation", "log",
    "onboarding", "profiles", "replay", "roles", "scan", "scenes", "signatures", "socket", "source", "text", "trigger",
    "type",
  ]

  /// The configuration without a file.
  package init() {}

  /// A judge after this configuration.
  ///
  /// - Parameter records: whether confirmations are to be recorded; who only looks changes nothing on the disk.
  package func judge(records: Bool = true) throws(OnboardingError) -> OnboardingJudge {
    guard let replayFolder else { return OnboardingJudge(policy: policy) }
    return OnboardingJudge(policy: policy, replayGuard: try ReplayStore(folder: replayFolder, isReadOnly: !records))
  }
}
