import Foundation

/// The scenes in the configured folders: a folder that holds a scene itself, or one that holds folders of scenes.
package struct SceneCatalog: Sendable {
  private let folders: [String]

  /// The scenes in `folders`, absolute paths.
  package init(folders: [String]) { self.folders = folders }

  /// A scene's place.
  package struct Entry: Hashable, Sendable {
    /// The folder's name; what clients load it by.
    package var name: String
    /// The folder, as an absolute path.
    package var path: String
  }

  /// All of them, by name; of two with one name the first stands.
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

  /// The one of a name.
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
