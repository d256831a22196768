import FoundationEssentials
import Glibc

/// The fingerprint of a scene's files; if it changes, the scene is read again.
package struct SceneFingerprint: Hashable, Sendable {
  private struct File: Hashable {
    var path: String
    var size: Int
    var modified: Date
  }

  private var files: [File] = []

  /// Creates the fingerprint of a folder's scene files and of the pictures of the scene last read from it.
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

  /// Creates the fingerprint of all files in a folder from which no scene could be read.
  package init(everythingIn folder: String?) {
    guard let folder, let names = try? FileManager.default.subpathsOfDirectory(atPath: folder) else { return }
    for name in names.sorted().prefix(2000) { add(name, "\(folder)/\(name)") }
  }

  private mutating func add(_ name: String, _ path: String) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return }
    let modified = Double(information.st_mtim.tv_sec) + Double(information.st_mtim.tv_nsec) / 1e9
    files.append(
      File(path: name, size: Int(information.st_size), modified: Date(timeIntervalSince1970: modified)))
  }
}
