import FoundationEssentials
import Glibc
import WaymarkSystem

/// The folder of a scene. Files outside it are never read for the scene.
///
/// The file also has the list of all scenes (`SceneCatalog`), the detection of changed files (`SceneFingerprint`), and
/// the picture formats (`PictureKind`).
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

  /// Returns the absolute path of a file, with symbolic links resolved; `nil` if it is outside the folder or does not
  /// exist.
  package func resolved(_ relative: String) -> String? {
    guard !relative.hasPrefix("/"), !relative.hasPrefix("~"), let path = Self.resolve("\(root)/\(relative)"),
      path.hasPrefix(root + "/")
    else { return nil }
    return path
  }

  /// Returns the absolute path of a picture. All checks are made except for decoding the picture.
  ///
  /// - Throws: The reason why the picture cannot be used.
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

  /// Reads a whole file of the folder; `nil` if it has more than `limit` bytes or cannot be read.
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

  /// Returns all scenes, sorted by name. Of two scenes with the same name, the scene in the earlier folder is returned.
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

/// The fingerprint of a scene's files: their paths, sizes and modification times. When it changes, the scene is read again.
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

  /// Creates the fingerprint of the first 2,000 files in a folder from which no scene could be read.
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

/// The supported picture formats, recognised by the first bytes of a file.
enum PictureKind: String, Sendable {
  case jpeg = "jpg"
  case png, webp, bmp, gif, pnm

  /// - Parameter bytes: The file, or at least its first 16 bytes.
  init?(of bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(16))
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
      self = .webp
    } else if bytes.starts(with: "BM".utf8), bytes.count == 16, bytes[15] == 0, bytes[14] >= 12 {
      self = .bmp
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if bytes.count >= 3, bytes[0] == UInt8(ascii: "P"),
      (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(bytes[1]),
      [0x20, 0x0A, 0x0D, 0x09].contains(bytes[2])
    {
      self = .pnm
    } else {
      return nil
    }
  }
}
