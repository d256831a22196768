import WaymarkSystem

/// The checked values of one origin: a file, the environment or the flags. The file also has `ConfigurationReader`,
/// which combines the origins, and `ConfigurationPlaces`, the positions of keys in a file.
package struct ConfigurationValues: Sendable {
  /// The valid values, by the paths of their keys.
  package private(set) var values: [String: ConfigurationValue] = [:]
  /// The unknown keys and the invalid values of the origin.
  package private(set) var problems: [ConfigurationProblem] = []

  /// Creates the values of a file.
  package init(_ document: ConfigurationDocument, table: ConfigurationTable) {
    self.init(document.checked, of: document, places: table.keys.map { ($0.path, $0) })
    problems = document.problems
  }

  /// Creates the values of a section in which keys have shorter names than in the table.
  ///
  /// - Parameters:
  ///   - document: the file of the section.
  ///   - places: the name of each key in the section, and its key in the table.
  package init(
    _ section: SourceNode, of document: ConfigurationDocument, places: [(name: String, key: ConfigurationKey)]
  ) {
    for (name, key) in places where key.kind.isSimple {
      if let node = section.at(name), let value = document.value(of: key.kind, at: node) { values[key.path] = value }
    }
  }

  /// Creates the values of an environment, with a problem for each unknown variable with the prefix `WAYMARK_`.
  package init(environment: [String: String], table: ConfigurationTable) {
    let names = Dictionary(
      table.keys.filter(\.hasVariable).map { ($0.environmentName, $0) }, uniquingKeysWith: { first, _ in first })
    for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("WAYMARK_") {
      if name == "WAYMARK_CONFIG" || text.isEmpty { continue }
      guard let key = names[name] else {
        problems.append(
          ConfigurationProblem(
            origin: "environment", key: name, message: "no key of the configuration has this name",
            hint: NearestWord.hint(name, among: names.keys.sorted()) ?? "docs/configuration.md lists the names."))
        continue
      }
      set(key, text, named: name, origin: "environment")
    }
  }

  /// Creates the values of flags, which are texts by path.
  package init(flags: [String: String], table: ConfigurationTable) {
    for (path, text) in flags.sorted(by: { $0.key < $1.key }) {
      if let key = table.key(path) { set(key, text, named: path, origin: "flags") }
    }
  }

  private mutating func set(_ key: ConfigurationKey, _ text: String, named name: String, origin: String) {
    if let value = key.kind.value(of: text) {
      values[key.path] = value
    } else {
      problems.append(
        ConfigurationProblem(
          origin: origin, key: name, message: "\(key.kind.description) is expected, not \"\(text)\"",
          hint: key.remedy ?? "Correct the value."))
    }
  }
}

// MARK: - Several origins

/// The values of several origins. The first origin that has a key decides: a flag overrides the environment, which overrides the file.
package struct ConfigurationReader: Sendable {
  private let layers: [[String: ConfigurationValue]]
  /// The values that override all layers. A key whose entry is `nil` has no value.
  private var kept: [String: ConfigurationValue?] = [:]

  /// - Parameter layers: values by the paths of their keys, the most important origin first.
  package init(layers: [[String: ConfigurationValue]]) { self.layers = layers }

  /// The value of a key; nil if no origin has it.
  package subscript(_ key: String) -> ConfigurationValue? {
    if let value = kept[key] { return value }
    for layer in layers { if let value = layer[key] { return value } }
    return nil
  }

  /// Returns the same values, except that the values of `keys` come from another reader.
  package func keeping(_ keys: [String], of other: ConfigurationReader) -> ConfigurationReader {
    var result = self
    for key in keys { result.kept[key] = .some(other[key]) }
    return result
  }
}

/// The positions of the keys of a configuration file, for problems that are found after it was read; empty without a file.
package struct ConfigurationPlaces: Hashable, Sendable {
  private struct Place: Hashable, Sendable {
    let file: String
    let mark: SourceMark
  }

  private var places: [String: Place] = [:]

  package init() {}

  /// Creates the positions of all keys of a checked document.
  package init(_ document: ConfigurationDocument) { add(document.checked, "", document.path) }

  private mutating func add(_ section: SourceNode, _ path: String, _ file: String) {
    for entry in section.entries {
      let key = path.isEmpty ? entry.key : "\(path).\(entry.key)"
      places[key] = Place(file: file, mark: entry.mark)
      add(entry.node, key, file)
    }
  }

  /// Returns whether the file has a key.
  package func has(_ key: String) -> Bool { places[key] != nil }

  /// Runs a check of a key's value. If the check throws, returns its error as a problem of the key.
  package func problem(_ key: String, _ check: () throws -> Void) -> ConfigurationProblem? {
    do {
      try check()
      return nil
    } catch {
      let known = error as? any ExplainedError
      return ConfigurationProblem(
        origin: places[key]?.file ?? "configuration", mark: places[key]?.mark, key: key,
        message: known?.message ?? "\(error)", hint: known?.hint ?? "Correct the value.")
    }
  }

  /// Returns the problem of a folder that cannot be made or written in; nil without a problem, or if the file does not have the
  /// key.
  ///
  /// - Parameters:
  ///   - key: the path of the key that names the folder, or a file in it.
  ///   - folder: the path of the folder. Only its last component is made if it is missing.
  package func folderProblem(_ key: String, _ folder: String) -> ConfigurationProblem? {
    guard has(key), let obstacle = Folder.obstacle(folder, withParents: false) else { return nil }
    return problem(key) { throw obstacle }
  }
}
