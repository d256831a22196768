package import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkSystem

/// The keys of `waymark.yaml`. They determine how the file is read, checked and documented. The file also has the keys of the
/// sections `cameras` (`CameraKeys`) and `profiles` (`ProfileKeys`).
package struct ConfigurationSchema: Sendable {
  /// The keys of features among `keys`.
  let featureKeys: [ConfigurationKey]
  /// The keys that flags and environment variables can set.
  package let keys: [ConfigurationKey]
  /// The keys of sections that contain lists and maps.
  package let sectionKeys: [ConfigurationKey]
  /// The keys of a further camera: the name in the camera's section, and the corresponding key at the top of the file.
  let cameraKeys: [(name: String, key: ConfigurationKey)]
  /// The keys at the top of the file that a profile can set.
  let profileKeys: [ConfigurationKey]
  package let table: ConfigurationTable

  /// Creates the schema of the keys that every service has and of the features' keys; for the parameters, see `Feature`.
  package init(
    keys featureKeys: [ConfigurationKey] = [], sectionKeys: [ConfigurationKey] = [], cameraKeys: Set<String> = [],
    profileKeys: [ConfigurationKey] = []
  ) {
    self.featureKeys = featureKeys
    keys = ServiceSettings.keys + featureKeys
    self.sectionKeys = (OnboardingConfiguration.keys + sectionKeys).map(\.inFileOnly)
    self.cameraKeys = CameraKeys.places(keys, cameraKeys)
    self.profileKeys =
      ServiceSettings.keys.filter { $0.path.hasPrefix("scan.") && $0.isReloadable } + OnboardingConfiguration.keys
      + profileKeys
    table = ConfigurationTable(
      keys + self.sectionKeys + CameraKeys.own.map(\.inFileOnly) + CameraKeys.rows(self.cameraKeys)
        + ProfileKeys.own.map(\.inFileOnly) + self.profileKeys.map { $0.under(ProfileKeys.prefix) },
      overlay: ProfileKeys.prefix, elsewhere: Self.elsewhere)
  }

  /// The sections that only `waymark-station` has, each with the name of the package `waymark-station` as messages quote it.
  private static let elsewhere = Dictionary(
    uniqueKeysWithValues: ["accounts", "count", "documents", "forms", "signatures", "text", "type"].map {
      ($0, "waymark-station")
    })

  /// The list of a profile's keys in docs/profiles.md, with a line for each section.
  package var profileList: String {
    let parts = profileKeys.map { $0.path.split(separator: ".", maxSplits: 1).map(String.init) }
    let sections = parts.reduce(into: [String]()) { if !$0.contains($1[0]) { $0.append($1[0]) } }
    return sections.map { section in
      let names = parts.filter { $0[0] == section }.map { "`\($0[1])`" }
      return "- `\(section)`: \(names.joined(separator: ", "))\n"
    }.joined()
  }

  /// The list of a further camera's keys in docs/camera.md.
  package var cameraList: String {
    let names = cameraKeys.map { "`\($0.name)`" }
    return names.joined(separator: ", ") + "\n"
  }

  /// The tables of docs/configuration.md, with the names of their markers in the page.
  package var reference: [(name: String, text: String)] {
    [
      ("keys", ConfigurationReference.markdown(keys, marksChanges: true)),
      ("section keys", ConfigurationReference.markdown(sectionKeys + CameraKeys.own + ProfileKeys.own)),
    ]
  }
}

// MARK: - The sections of cameras and profiles

/// The keys of the section `cameras`.
package enum CameraKeys {
  /// The path of a further camera's section in the table.
  static let prefix = "cameras.NAME"

  /// The maximum number of further cameras.
  static let limit = 7

  /// Returns a hint that lists the cameras.
  package static func hint(of names: [String]) -> String { "Cameras are \(names.joined(separator: ", "))." }

  /// The keys that exist only in this section, in the order of docs/configuration.md.
  static let own: [ConfigurationKey] = [
    ConfigurationKey(
      "cameras", .named, "further [cameras](camera.md#several-cameras)",
      change: .restart),
    ConfigurationKey(
      prefix, .section,
      "camera, with the keys listed there", change: .restart),
  ]

  /// Returns the name of each key in a camera's section, with the corresponding key at the top level of the file. The name of a key
  /// of `camera` omits `camera.`; any other name is the whole path of its key.
  ///
  /// - Parameter further: the paths of the keys of features that the section can set.
  static func places(
    _ keys: [ConfigurationKey], _ further: Set<String>
  ) -> [(name: String, key: ConfigurationKey)] {
    keys.compactMap { key in
      switch key.path.prefix(while: { $0 != "." }) {
      case "camera": key.path == "camera.name" ? nil : (String(key.path.dropFirst("camera.".count)), key)
      case "source", "scan": (key.path, key)
      default: key.path == "anchors.rate" || further.contains(key.path) ? (key.path, key) : nil
      }
    }
  }

  /// Returns these keys with their paths in the section of a further camera, `cameras.NAME`.
  static func rows(_ places: [(name: String, key: ConfigurationKey)]) -> [ConfigurationKey] {
    places.map { place in place.key.moved(to: "\(prefix).\(place.name)") }
  }
}

/// The keys of the section `profiles`.
enum ProfileKeys {
  /// The path of a profile's section in the table.
  static let prefix = "profiles.NAME"

  /// The maximum number of profiles.
  static let limit = 64

  /// The keys that exist only in this section, in the order of docs/configuration.md.
  static let own: [ConfigurationKey] = [
    ConfigurationKey(
      "profiles", .named, "[profiles](profiles.md)"),
    ConfigurationKey(
      prefix, .section,
      "profile: `when`, and the [keys](profiles.md#keys) that apply while it is in use"
    ),
    ConfigurationKey("\(prefix).when", .section, "when it is in use without a request"),
    ConfigurationKey("\(prefix).when.days", .choices(Weekday.allCases.map(\.rawValue)), "days of the week"),
    ConfigurationKey(
      "\(prefix).when.times", .texts(11),
      "times of day in the device's time zone, `08:00-17:30`; over midnight if the second is earlier",
      remedy: "Write [\"08:00-17:30\"], from 00:00 to 24:00."),
    ConfigurationKey(
      "\(prefix).when.codes", .texts(1000), "texts of codes that choose it; they are not reported as results"
    ),
    ConfigurationKey(
      "\(prefix).when.codePattern", .text(1600),
      "regular expression for the whole text of such codes"),
    ConfigurationKey(
      "\(prefix).when.holdFor", .double(1...86_400), "seconds until the choice by a code ends",
      otherwise: "until another choice"
    ),
    ConfigurationKey(
      "\(prefix).feedback.cues", .choices(["read", "accepted", "refused"]),
      "cues of `waymark feedback` that are signalled; none with `[]`", otherwise: "all",
      mayBeEmpty: true),
  ]
}
