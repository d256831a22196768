import Foundation
import WaymarkSystem

/// The folder of a scene: nothing outside it is ever read in the scene's name.
package struct SceneFolder: Sendable {
  /// As the user named it, for messages.
  package let path: String
  private let root: String

  /// `nil` when there is no such folder.
  package init?(_ path: String) {
    guard let root = Self.resolve(path) else { return nil }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder), isFolder.boolValue else { return nil }
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.root = root
  }

  /// The file that holds the scene: `scene.yaml`, `scene.yml` or `scene.json`, in this order.
  var sceneFiles: [String] {
    ["scene.yaml", "scene.yml", "scene.json"].filter { FileManager.default.fileExists(atPath: "\(root)/\($0)") }
  }

  /// The reason why a picture of the folder cannot be used.
  enum Refusal: String, Error {
    case absolute, outside, missing, notAFile, empty, tooLarge, notAPicture, unreadable
  }

  /// The absolute path of a file of the folder, symbolic links followed and still inside.
  package func resolved(_ relative: String) -> String? {
    guard !relative.hasPrefix("/"), !relative.hasPrefix("~"), let path = Self.resolve("\(root)/\(relative)"),
      path.hasPrefix(root + "/")
    else { return nil }
    return path
  }

  /// The absolute path of a picture, once everything is known to be in order with it but its pixels.
  func picture(_ relative: String) throws(Refusal) -> String {
    guard !relative.hasPrefix("/"), !relative.hasPrefix("~") else { throw .absolute }
    // Told apart from a missing file by its text, so that nothing can be learned about the world outside.
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

  /// A whole file of the folder; `nil` when it is too large or cannot be read.
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

/// The kinds of pictures that are read, told by their first bytes.
enum PictureKind: String, Sendable {
  case jpeg = "jpg"
  case png, webp, bmp, gif, pnm

  /// - Parameter bytes: the file, or its first 16 bytes.
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
