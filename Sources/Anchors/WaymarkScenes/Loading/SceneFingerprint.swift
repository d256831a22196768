import Foundation

/// The fingerprint of a scene's files; when it changes, the scene is read again.
package struct SceneFingerprint: Hashable, Sendable {
  private struct File: Hashable {
    var path: String
    var size: Int
    var modified: Date
  }

  private var files: [File] = []

  /// The files of a folder and of the scene that was read from it last.
  package init(folder: SceneFolder, scene: Scene?) {
    var names = folder.sceneFiles
    for anchor in scene?.anchors ?? [] {
      if let image = anchor.image { names.append(image) }
      for annotation in anchor.annotations {
        if let image = annotation.card?.image { names.append(image) }
        if let icon = annotation.marker.icon, Scene.isPicturePath(icon) { names.append(icon) }
      }
    }
    for name in Set(names).sorted() {
      if let path = folder.resolved(name) { add(name, path) }
    }
  }

  /// All files of a folder, of which nothing is known because no scene could be read from it.
  package init(everythingIn folder: String?) {
    guard let folder, let names = try? FileManager.default.subpathsOfDirectory(atPath: folder) else { return }
    for name in names.sorted().prefix(2000) { add(name, "\(folder)/\(name)") }
  }

  private mutating func add(_ name: String, _ path: String) {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return }
    files.append(
      File(
        path: name, size: (attributes[.size] as? NSNumber)?.intValue ?? 0,
        modified: attributes[.modificationDate] as? Date ?? .distantPast))
  }
}
