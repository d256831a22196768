package import WaymarkConfiguration
import WaymarkSystem

/// The checked onboarding policy of a configuration file, with the public keys of its key files.
package struct OnboardingConfiguration: Sendable {
  package var policy = OnboardingPolicy()
  /// The seconds within which an accepted code must be confirmed.
  package var confirmWithin = 120.0
  /// The folder of the replay store; nil if payloads may be used again.
  package var replayFolder: String?
  /// Warnings for the log, such as about ignored keys of unsupported types.
  package var warnings: [String] = []

  /// The names of the sections and of the other top-level keys of a `waymark.yaml`. Another name in a policy's file is
  /// reported as a problem, since it is probably misspelt.
  package static let sections = [
    "accounts", "anchors", "camera", "cameras", "clients", "documents", "forms", "gallery", "isolation", "log",
    "onboarding", "profiles", "replay", "roles", "scan", "scenes", "signatures", "socket", "source", "text", "trigger",
    "type",
  ]

  /// Creates the configuration that applies without a file.
  package init() {}

  /// Creates a judge with this policy and its replay store.
  ///
  /// - Parameter records: true to record confirmations; false to change nothing on the disk.
  package func judge(records: Bool = true) throws(OnboardingError) -> OnboardingJudge {
    guard let replayFolder else { return OnboardingJudge(policy: policy) }
    return OnboardingJudge(policy: policy, replayGuard: try ReplayStore(folder: replayFolder, isReadOnly: !records))
  }
}

extension OnboardingConfiguration: Configurable {
  package static let settings = section(
    "onboarding",
    [
      Setting(
        "kinds", .strings, "accepted kinds of codes",
        otherwise: "`sapOnboarding`, `sapLink` and every custom kind"),
      Setting("hosts", .strings, "hosts that a code may name, `*.` for all below one", otherwise: "all"),
      Setting("ports", .strings, "ports that a code may name, 1 to 65535", otherwise: "all"),
      Setting(
        "linkSchemes", .strings, "schemes of an app's onboarding links",
        otherwise: "`com.sap.mdkclient` and every domain name in reverse order"),
      Setting(
        "allowHTTP", .flag, "codes may lead to hosts without encryption", into: \.policy.allowsHTTP),
      Setting("maximumBytes", .int(1...65_536), "bytes of a code", into: \.policy.maximumBytes),
      Setting("keyFiles", .strings, "files of the issuers' public keys, JWK sets or PEM", otherwise: "none"),
      Setting(
        "algorithms", "accepted algorithms of signatures", into: \.policy.algorithms,
        otherwise: "all that the keys serve"),
      Setting(
        "signatures", "signatures of codes", into: \.policy.signatures,
        otherwise: "`required` as soon as there is a key",
        remedy: "Leave it out to demand signatures as soon as there is a key."),
      Setting("signedKinds", .strings, "kinds that need one with `signatures: optional`", otherwise: "none"),
      Setting(
        "issuer", .strings, "accepted issuers (`iss`) of tokens", into: \.policy.issuers,
        otherwise: "all", from: { (names: [String]) in .some(Set(names)) }),
      Setting(
        "audience", .strings, "audiences (`aud`), of which a token must name one", into: \.policy.audiences,
        otherwise: "all", from: { (names: [String]) in .some(Set(names)) }),
      Setting("clockSkew", .double(0...86_400), "seconds by which clocks may differ", into: \.policy.clockSkew),
      Setting(
        "requireExpiry", .flag, "tokens must have an end (`exp`)", into: \.policy.requiresExpiry),
      Setting(
        "maximumLifetime", .double(1...3_153_600_000), "seconds that a token may be valid",
        into: \.policy.maximumLifetime, otherwise: "any"),
      Setting(
        "confirmWithin", .double(1...3600), "seconds that an accepted code waits for confirmation",
        into: \.confirmWithin),
      Setting(
        "hostClaim", .string, "claim with a token's host", into: \.policy.hostClaim, otherwise: "none"),
      Setting("customKinds", .named, "your own kinds of codes"),
      Setting("customKinds.NAME.json", .strings, "keys of its JSON object"),
      Setting("customKinds.NAME.url", .string, "pattern of its addresses, instead of `json`"),
      Setting("customKinds.NAME.host", .string, "key of the host to connect to"),
      Setting("customKinds.NAME.secrets", .strings, "keys whose values are never shown", mayBeEmpty: true),
      Setting("customKinds.NAME.shown", .strings, "keys whose values are shown", mayBeEmpty: true),
    ])

  /// The keys of a policy's file. Of sections other than `onboarding` and `replay` only the names are checked.
  static let table = ConfigurationTable(
    keys + [ConfigurationKey("replay.folder", .string, "folder of confirmed payloads")]
      + sections.filter { $0 != "onboarding" && $0 != "replay" }.map { ConfigurationKey($0, .words, "") })
}

extension SignatureAlgorithm: SettingWord {}
extension OnboardingPolicy.Signatures: SettingWord {}
