import FoundationEssentials

/// The scenes in the configured folders; a configured folder is a scene itself or contains folders of scenes.
package struct SceneCatalog: Sendable {
  private let folders: [String]

  /// Creates the catalog of the scenes in `folders`, given as absolute paths.
  package init(folders: [String]) { self.folders = folders }

  package struct Entry: Hashable, Sendable {
    /// The folder's name, by which clients load the scene.
    package var name: String
    /// The absolute path of the folder.
    package var path: String
  }

  /// Returns all scenes by name; of two with the same name, the first one.
  package func entries() -> [Entry] {
    var found: [String: Entry] = [:]
    for folder in folders {
      for path in Self.scenes(in: folder) {
        let name = URL(filePath: path).lastPathComponent
        if found[name] == nil { found[name] = Entry(name: name, path: path) }
      }
    }
    return found.values.sorted { $0.name < $1.name }
  }

  package func entry(_ name: String) -> Entry? { entries().first { $0.name == name } }

  private static func scenes(in path: String) -> [String] {
    guard let folder = SceneFolder(path) else { return [] }
    if !folder.sceneFiles.isEmpty { return [URL(filePath: path).standardizedFileURL.path(percentEncoded: false)] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.sorted().compactMap { name in
      let inner = "\(folder.path)/\(name)"
      return SceneFolder(inner).map { $0.sceneFiles.isEmpty } == false ? inner : nil
    }
  }
}
