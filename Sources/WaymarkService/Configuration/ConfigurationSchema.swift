package import WaymarkConfiguration
import WaymarkLogging
import WaymarkOnboarding

/// All keys of `waymark.yaml`: by this table it is read, checked by `waymark config check`, and described on the page.
package enum ConfigurationSchema {
  /// The table.
  package static let table = ConfigurationTable(
    keys + sectionKeys + CameraKeys.all + ProfileKeys.all, overlay: ProfileKeys.prefix)

  /// The keys that flags and variables of the environment set as well.
  package static let keys = ServiceKeys.all

  /// The keys of sections that hold lists and maps.
  package static let sectionKeys =
    TypingKeys.all + OnboardingConfiguration.sectionKeys + AccountSettings.keys + TextSettings.keys

  /// The names of the sections, and of keys that stand in none.
  package static var sections: [String] { table.sections }

  /// The key of a path.
  package static func key(_ path: String) -> ConfigurationKey? { table.key(path) }

  /// The list of the page docs/profiles.md: the keys that a profile takes, a line for each section.
  static var profileKeys: String {
    let parts = ProfileKeys.repeated.map { $0.path.split(separator: ".", maxSplits: 1).map(String.init) }
    let sections = parts.reduce(into: [String]()) { if !$0.contains($1[0]) { $0.append($1[0]) } }
    return sections.map { section in
      let names = parts.filter { $0[0] == section }.map { "`\($0[1])`" }
      return "- `\(section)`: \(names.joined(separator: ", "))\n"
    }.joined()
  }

  /// The list of the page docs/camera.md: the keys that a further camera takes.
  static var cameraKeys: String {
    let names = CameraKeys.places.map { "`\($0.name)`" }
    return names.joined(separator: ", ") + "\n"
  }

  /// The tables of the page docs/configuration.md by the names of their places there.
  package static var reference: [(name: String, text: String)] {
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
