import Crypto
import Foundation
import WaymarkSystem

/// The page's files, read once and served from memory, so that no request ever becomes a path.
struct Assets: Sendable {
  /// One file.
  struct File: Sendable {
    let bytes: [UInt8]
    let contentType: String
    /// A strong validator: the start of the SHA-256 of the contents.
    let entityTag: String
  }

  private let files: [String: File]

  /// All files below a folder, by their path relative to it.
  ///
  /// - Throws: `KioskError` with code `assets` when there is no index.html.
  init(folder: String) throws(KioskError) {
    var files: [String: File] = [:]
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    let names = FileManager.default.enumerator(atPath: root.path)
    while let name = names?.nextObject() as? String {
      guard let type = Self.contentTypes[(name as NSString).pathExtension] else { continue }
      guard let data = try? Data(contentsOf: root.appendingPathComponent(name)) else { continue }
      let digest = SHA256.hash(data: data).prefix(12).map { String($0, radix: 16) }.joined()
      files[name] = File(bytes: Array(data), contentType: type, entityTag: "\"\(digest)\"")
    }
    guard files["index.html"] != nil else {
      throw KioskError(
        code: .assets, message: "The page's files are not in \(folder).",
        hint: "Reinstall Waymark, or name the folder with --assets.")
    }
    self.files = files
  }

  /// A file by its relative path, exactly.
  subscript(name: String) -> File? { files[name] }

  private static let contentTypes = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
  ]

  /// Where the page's files are: beside the executable in a build folder, or where a package puts them.
  static func defaultFolder() -> String {
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let candidates = [
      executable.appendingPathComponent("waymark_WaymarkKiosk.resources/Resources"),
      executable.appendingPathComponent("../share/waymark/kiosk").standardizedFileURL,
      URL(fileURLWithPath: "/usr/share/waymark/kiosk"),
    ]
    let found = candidates.first {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent("index.html").path)
    }
    return (found ?? candidates[2]).path
  }
}
