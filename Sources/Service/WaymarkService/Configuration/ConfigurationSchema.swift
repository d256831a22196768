package import WaymarkConfiguration
import WaymarkOnboarding
import WaymarkServer

/// All keys of `waymark.yaml` that a program knows: by this table it is read, checked by `waymark config check`, and described on the page.
package struct ConfigurationSchema: Sendable {
  /// The features whose keys it has beside those of every service.
  package let features: [Feature]
  /// The keys that flags and variables of the environment set as well.
  package let keys: [ConfigurationKey]
  /// The keys of sections that hold lists and maps.
  package let sectionKeys: [ConfigurationKey]
  /// The keys of a further camera: the name in its section, and the key at the top of the file that it is.
  let cameraKeys: [(name: String, key: ConfigurationKey)]
  /// The keys at the top of the file that may stand in a profile.
  let profileKeys: [ConfigurationKey]
  /// The table.
  package let table: ConfigurationTable

  /// The keys of every service, and those of `features`.
  package init(_ features: [Feature] = []) {
    self.features = features
    keys = ServiceKeys.all + features.flatMap(\.keys)
    sectionKeys = OnboardingConfiguration.sectionKeys + features.flatMap(\.sectionKeys)
    cameraKeys = CameraKeys.places(keys, features.reduce(into: []) { $0.formUnion($1.cameraKeys) })
    profileKeys =
      ServiceKeys.all.filter { $0.path.hasPrefix("scan.") && $0.isReloadable } + OnboardingConfiguration.sectionKeys
      + features.flatMap(\.profileKeys)
    table = ConfigurationTable(
      keys + sectionKeys + CameraKeys.own + CameraKeys.rows(cameraKeys) + ProfileKeys.own
        + profileKeys.map { $0.under(ProfileKeys.prefix) }, overlay: ProfileKeys.prefix, elsewhere: Self.elsewhere)
  }

  /// The sections of the features that the base has not.
  private static let elsewhere = Dictionary(
    uniqueKeysWithValues: ["accounts", "documents", "forms", "signatures", "text", "type"].map {
      ($0, "waymark-station")
    })

  /// The list of the page docs/profiles.md: the keys that a profile takes, a line for each section.
  package var profileList: String {
    let parts = profileKeys.map { $0.path.split(separator: ".", maxSplits: 1).map(String.init) }
    let sections = parts.reduce(into: [String]()) { if !$0.contains($1[0]) { $0.append($1[0]) } }
    return sections.map { section in
      let names = parts.filter { $0[0] == section }.map { "`\($0[1])`" }
      return "- `\(section)`: \(names.joined(separator: ", "))\n"
    }.joined()
  }

  /// The list of the page docs/camera.md: the keys that a further camera takes.
  package var cameraList: String {
    let names = cameraKeys.map { "`\($0.name)`" }
    return names.joined(separator: ", ") + "\n"
  }

  /// The tables of the page docs/configuration.md by the names of their places there.
  package var reference: [(name: String, text: String)] {
    let level = "log.levels."
    var rows = keys.filter { !$0.path.hasPrefix(level) }
    if let part = keys.first(where: { $0.path.hasPrefix(level) }),
      let at = rows.firstIndex(where: { $0.path == "log.format" })
    {
      let parts = LogSubsystem.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
      rows.insert(
        ConfigurationKey(
          level + "PART", part.kind, "the level of one part: \(parts)", otherwise: part.otherwise, change: part.change),
        at: at)
    }
    return [
      ("keys", ConfigurationReference.markdown(rows, changes: "SIGHUP")),
      ("section keys", ConfigurationReference.markdown(sectionKeys + CameraKeys.own + ProfileKeys.own, changes: nil)),
    ]
  }
}
