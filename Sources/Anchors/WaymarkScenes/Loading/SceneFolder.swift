import FoundationEssentials
import Glibc
import WaymarkSystem

/// The folder of a scene. Files outside it are never read for the scene.
package struct SceneFolder: Sendable {
  /// The path as given by the user, for messages.
  package let path: String
  private let root: String

  /// Creates a scene folder; `nil` if the path is not a folder.
  package init?(_ path: String) {
    guard let root = Self.resolve(path), FileKind(root) == .folder else { return nil }
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.root = root
  }

  /// The existing scene files: `scene.yaml`, `scene.yml` or `scene.json`, in this order.
  var sceneFiles: [String] {
    ["scene.yaml", "scene.yml", "scene.json"].filter { FileManager.default.fileExists(atPath: "\(root)/\($0)") }
  }

  /// The reason why a picture of the folder cannot be used.
  enum Refusal: String, Error {
    case absolute, outside, missing, notAFile, empty, tooLarge, notAPicture, unreadable
  }

  /// Returns the absolute path of a file, with symbolic links resolved; `nil` if it is outside the folder.
  package func resolved(_ relative: String) -> String? {
    guard !relative.hasPrefix("/"), !relative.hasPrefix("~"), let path = Self.resolve("\(root)/\(relative)"),
      path.hasPrefix(root + "/")
    else { return nil }
    return path
  }

  /// Returns the absolute path of a picture after all checks except for decoding it.
  func picture(_ relative: String) throws(Refusal) -> String {
    guard !relative.hasPrefix("/"), !relative.hasPrefix("~") else { throw .absolute }
    // Paths that leave the folder are rejected by their text, so that the message does not reveal which files exist outside.
    var depth = 0
    for part in relative.split(separator: "/") where part != "." {
      depth += part == ".." ? -1 : 1
      if depth < 0 { throw .outside }
    }
    guard let path = Self.resolve("\(root)/\(relative)") else { throw .missing }
    guard path.hasPrefix(root + "/") else { throw .outside }
    let head: [UInt8]
    let size: Int
    do throws(FileError) {
      (head, size) = try WholeFile.head(path, count: 16)
    } catch {
      throw error.code == .notAFile ? .notAFile : .unreadable
    }
    guard size > 0 else { throw .empty }
    guard size <= SceneLimits.pictureBytes else { throw .tooLarge }
    guard PictureKind(of: head) != nil else { throw .notAPicture }
    return path
  }

  /// Reads a whole file of the folder; `nil` if it is too large or cannot be read.
  func read(_ name: String, limit: Int) -> [UInt8]? {
    guard let path = resolved(name) else { return nil }
    return try? WholeFile.read(path, limit: limit)
  }

  private static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
