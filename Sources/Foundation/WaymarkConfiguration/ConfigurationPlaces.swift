import WaymarkSystem

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

  /// Runs a check of a key's value; returns the error that it throws as a problem of the key.
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

  /// Returns the problem of a folder that cannot be made or written in; nil if it can, or if the file does not name it.
  ///
  /// - Parameters:
  ///   - key: the path of the key that names the folder, or a file in it.
  ///   - folder: the path of the folder, of which only the last component is made.
  package func folderProblem(_ key: String, _ folder: String) -> ConfigurationProblem? {
    guard has(key), let obstacle = Folder.obstacle(folder, withParents: false) else { return nil }
    return problem(key) { throw obstacle }
  }
}
