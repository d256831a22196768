/// A key of a configuration: a row of its table.
package struct ConfigurationKey: Hashable, Sendable {
  /// When a running program takes a new value over.
  package enum Change: Hashable, Sendable {
    /// When it reads the file again.
    case reload
    /// At its next start.
    case restart
    /// As told.
    case told(String)
  }

  /// Its path: `camera.rotation`. A part in capitals stands for names of the user's choice: `text.patterns.NAME.check`.
  package let path: String
  /// The kind of its value, with bounds.
  package let kind: ConfigurationKind
  /// The value where nothing is configured.
  package let defaultValue: ConfigurationValue?
  /// Where something else decides then: which value that is, for the page.
  package let otherwise: String?
  /// The purpose, for the page.
  package let meaning: String
  package let change: Change
  /// True for a list that may be empty, as that can mean one thing only.
  package let mayBeEmpty: Bool
  /// The remedy for a wrong value.
  package let remedy: String?
  /// True where the environment has a variable for it.
  package let hasVariable: Bool

  /// A row.
  package init(
    _ path: String, _ kind: ConfigurationKind, _ meaning: String, defaultValue: ConfigurationValue? = nil,
    otherwise: String? = nil, change: Change = .restart, mayBeEmpty: Bool = false, remedy: String? = nil,
    hasVariable: Bool = true
  ) {
    self.path = path
    self.kind = kind
    self.meaning = meaning
    self.defaultValue = defaultValue
    self.otherwise = otherwise
    self.change = change
    self.mayBeEmpty = mayBeEmpty
    self.remedy = remedy
    self.hasVariable = hasVariable && kind.isSimple
  }

  /// The same key in a section below `prefix`, where it holds instead of this one; without it this one holds.
  package func under(_ prefix: String) -> ConfigurationKey {
    ConfigurationKey(
      "\(prefix).\(path)", kind, meaning, otherwise: "as outside", change: change, mayBeEmpty: mayBeEmpty,
      remedy: remedy, hasVariable: false)
  }

  /// The same key under another path of the file, where it means the same of something else.
  package func moved(to path: String) -> ConfigurationKey {
    ConfigurationKey(
      path, kind, meaning, defaultValue: defaultValue, otherwise: otherwise, change: change, mayBeEmpty: mayBeEmpty,
      remedy: remedy, hasVariable: false)
  }

  /// True if a running program takes a new value over.
  package var isReloadable: Bool { change == .reload }

  /// The environment variable that sets it: `WAYMARK_CAMERA_ROTATION`.
  package var environmentName: String {
    var name = "WAYMARK_"
    for character in path {
      if character == "." {
        name += "_"
      } else if character.isUppercase {
        name += "_" + String(character)
      } else {
        name += character.uppercased()
      }
    }
    return name
  }
}
