package import WaymarkConfiguration

extension OnboardingConfiguration {
  /// The keys of the section `onboarding`.
  package static let sectionKeys: [ConfigurationKey] = [
    key("kinds", .strings, "the kinds of codes that are accepted", otherwise: "all"),
    key("hosts", .strings, "the hosts that a code may name, `*.` before one for all below it", otherwise: "all"),
    key("ports", .strings, "the ports that a code may name, 1 to 65535", otherwise: "all"),
    key("linkSchemes", .strings, "the schemes of onboarding links of an app's own", otherwise: "none"),
    key("allowHTTP", .flag, "whether a code may lead to a host without encryption", otherwise: "`false`"),
    key("maximumBytes", .int(1...65_536), "bytes of a code", otherwise: "\(defaults.maximumBytes)"),
    key("keyFiles", .strings, "files with the issuers' public keys, JWK sets or PEM", otherwise: "none"),
    key(
      "algorithms", .choices(SignatureAlgorithm.allCases.map(\.rawValue)),
      "the algorithms of signatures that are accepted",
      otherwise: "all that the keys serve"),
    key(
      "signatures", .choice(["required", "optional", "refused"]), "whether codes must be signed",
      otherwise: "`required` as soon as there is a key",
      remedy: "Leave it out to demand signatures as soon as there is a key."),
    key("issuer", .strings, "the issuers (`iss`) of tokens that are accepted", otherwise: "all"),
    key("audience", .strings, "the audiences (`aud`) of which a token must name one", otherwise: "all"),
    key("clockSkew", .double(0...86_400), "seconds by which clocks may differ", otherwise: seconds(defaults.clockSkew)),
    key("requireExpiry", .flag, "whether a token must say when it ends (`exp`)", otherwise: "`false`"),
    key("maximumLifetime", .double(1...3_153_600_000), "seconds that a token may be valid at most", otherwise: "any"),
    key(
      "confirmWithin", .double(1...3600), "seconds that an accepted code waits for its confirmation",
      otherwise: seconds(OnboardingConfiguration().confirmWithin)),
    key("hostClaim", .string, "the claim that names the host of a token", otherwise: "none"),
    key("customKinds", .named, "kinds of codes of your own, by name"),
    key("customKinds.NAME.json", .strings, "the keys that a JSON object of this kind has"),
    key("customKinds.NAME.url", .string, "the pattern of addresses of this kind, instead of `json`"),
    key("customKinds.NAME.host", .string, "the key whose value is the host to connect to"),
    key("customKinds.NAME.secrets", .strings, "the keys whose values are never shown", mayBeEmpty: true),
    key("customKinds.NAME.shown", .strings, "the keys whose values are shown", mayBeEmpty: true),
  ]

  private static let defaults = OnboardingPolicy()

  private static func seconds(_ value: Double) -> String { "\(Int(value))" }

  private static func key(
    _ name: String, _ kind: ConfigurationKind, _ meaning: String, otherwise: String? = nil, mayBeEmpty: Bool = false,
    remedy: String? = nil
  ) -> ConfigurationKey {
    ConfigurationKey(
      "onboarding.\(name)", kind, meaning, otherwise: otherwise, change: .reload, mayBeEmpty: mayBeEmpty,
      remedy: remedy,
      hasVariable: false)
  }

  /// The key of the section `replay`, which a policy's file has too.
  static let replayKey = ConfigurationKey(
    "replay.folder", .string, "where confirmed payloads are remembered", change: .reload)

  /// The table of a policy's file; what stands in sections that are for others is theirs to check.
  static let table = ConfigurationTable(
    sectionKeys + [replayKey]
      + sections.filter { $0 != "onboarding" && $0 != "replay" }.map {
        ConfigurationKey($0, .words, "")
      })
}
