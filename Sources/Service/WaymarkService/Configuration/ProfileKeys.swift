import WaymarkConfiguration
import WaymarkSystem

/// The keys of `profiles`: when a profile holds, and the keys of the file that stand in one again.
enum ProfileKeys {
  /// The path of a profile, as rows of the table say it.
  static let prefix = "profiles.NAME"

  /// The most profiles that are kept.
  static let limit = 64

  /// Keys that say when a profile holds, in the order of the page.
  static let own: [ConfigurationKey] = [
    ConfigurationKey(
      "profiles", .named, "settings for one kind of work, by a name for each ([profiles.md](profiles.md))",
      change: .reload, hasVariable: false),
    key(
      "", .section,
      "a profile: the keys of this page that [profiles.md](profiles.md#keys) lists, which hold while it is in use, and `when`"
    ),
    key(".when", .section, "when it is in use without a request"),
    key(".when.days", .choices(Weekday.allCases.map(\.rawValue)), "on these days of the week"),
    key(
      ".when.times", .texts(11),
      "at these times of day, `08:00-17:30`, of the device's time zone; over midnight if the second is earlier",
      remedy: "Write [\"08:00-17:30\"], from 00:00 to 24:00."),
    key(".when.codes", .texts(1000), "once a code with one of these texts is scanned; it is not told as a result"),
    key(
      ".when.codePattern", .text(1600), "once a code is scanned whose whole text this regular expression describes"),
    key(
      ".when.holdFor", .double(1...86_400), "seconds after which the choice by a code ends",
      otherwise: "until another choice"
    ),
    key(
      ".feedback.cues", .choices(["read", "accepted", "refused"]),
      "which of the cues that `waymark feedback` was started with are signalled; none with `[]`", otherwise: "all",
      mayBeEmpty: true),
  ]

  private static func key(
    _ name: String, _ kind: ConfigurationKind, _ meaning: String, otherwise: String? = nil, mayBeEmpty: Bool = false,
    remedy: String? = nil
  ) -> ConfigurationKey {
    ConfigurationKey(
      prefix + name, kind, meaning, otherwise: otherwise, change: .reload, mayBeEmpty: mayBeEmpty, remedy: remedy,
      hasVariable: false)
  }
}
