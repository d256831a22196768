import WaymarkConfiguration

/// The keys of lists under `type`, which `waymark type` reads.
enum TypingKeys {
  static let all: [ConfigurationKey] =
    [
      key(
        "substitutions", .sections, "regular expressions and what takes their place ([typing.md](typing.md))",
        remedy: substitutionRemedy)
    ] + substitution("substitutions") + [
      key(
        "rules", .sections, "what is another for single symbologies ([typing.md](typing.md))",
        remedy: "Write - symbologies: [qr] and its keys below."),
      key("rules.symbologies", .strings, "the symbologies that a rule is for"),
      key("rules.type", .flag, "whether they are typed", "`true`"),
      key("rules.prefix", .string, "as `type.prefix`"),
      key("rules.suffix", .string, "as `type.suffix`"),
      key("rules.aim", .flag, "as `type.aim`"),
      key("rules.gs", .string, "as `type.gs`"),
      key("rules.controls", .choice(["refuse", "drop", "keys", "control"]), "as `type.controls`"),
      key(
        "rules.substitutions", .sections, "more of them, for these symbologies alone", remedy: substitutionRemedy),
    ] + substitution("rules.substitutions")

  private static let substitutionRemedy = "Write - {match: 'REGULAR EXPRESSION', replace: 'TEXT'}."

  private static func substitution(_ under: String) -> [ConfigurationKey] {
    [
      key("\(under).match", .string, "a regular expression"),
      key("\(under).replace", .string, "what takes the place of what it matches", "nothing"),
    ]
  }

  private static func key(
    _ name: String, _ kind: ConfigurationKind, _ meaning: String, _ otherwise: String? = nil,
    remedy: String? = nil
  ) -> ConfigurationKey {
    ConfigurationKey(
      "type.\(name)", kind, meaning, otherwise: otherwise, change: .told("restart of `waymark-type`"), mayBeEmpty: true,
      remedy: remedy, hasVariable: false)
  }
}
