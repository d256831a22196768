import CZlib
import Foundation
import WaymarkCrypto
import WaymarkSystem

/// The page's files, read once and served from memory, so that no request ever becomes a path.
struct Assets: Sendable {
  /// One file.
  struct File: Sendable {
    let bytes: [UInt8]
    let contentType: String
    /// The contents as gzip, made once, where that is smaller.
    let compressed: [UInt8]?
    /// The start of the SHA-256 of the contents.
    private let digest: String

    init(_ data: Data, contentType: String) {
      bytes = Array(data)
      self.contentType = contentType
      compressed = Self.gzip(bytes)
      digest = HashFunction.sha256.hash(bytes).prefix(12).map { String($0, radix: 16) }.joined()
    }

    /// A strong validator of the plain bytes.
    var entityTag: String { "\"\(digest)\"" }

    /// A strong validator of the compressed bytes: other bytes need another one (RFC 9110, section 8.8.3.3).
    var compressedTag: String { "\"\(digest)-gzip\"" }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    private static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
      let packed = [UInt8](unsafeUninitializedCapacity: wm_gzip_bound(bytes.count)) { buffer, count in
        count = wm_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count)
      }
      return packed.isEmpty || packed.count >= bytes.count ? nil : packed
    }
  }

  private let files: [String: File]

  /// All files below a folder, by their path relative to it; `index.html` with what the page may show in its head.
  ///
  /// - Parameters:
  ///   - configuration: JSON that stands in the page.
  ///   - style: rules that come after the page's own, served as `brand.css`.
  ///   - more: further files, by the names under which they are served.
  /// - Throws: `KioskError` with code `assets` when there is no index.html.
  init(
    folder: String, configuration: String = "{}", style: String = "", adding more: [String: File] = [:]
  ) throws(KioskError) {
    var files: [String: File] = [:]
    let root = URL(fileURLWithPath: folder, isDirectory: true)
    let names = FileManager.default.enumerator(atPath: root.path)
    while let name = names?.nextObject() as? String {
      guard let type = Self.contentTypes[(name as NSString).pathExtension] else { continue }
      guard let data = try? Data(contentsOf: root.appendingPathComponent(name)) else { continue }
      files[name] = File(data, contentType: type)
    }
    guard let page = files["index.html"]?.text else {
      throw KioskError(
        code: .assets, message: "The page's files are not in \(folder).",
        hint: "Reinstall Waymark, or name the folder with --assets.")
    }
    files["index.html"] = Self.file(Self.head(of: page, configuration, isBranded: !style.isEmpty), "html")
    if !style.isEmpty { files["brand.css"] = Self.file(style, "css") }
    self.files = files.merging(more) { _, added in added }
  }

  private static func file(_ text: String, _ kind: String) -> File {
    File(Data(text.utf8), contentType: contentTypes[kind] ?? "")
  }

  /// The page with what it may show in its head, so that it need not ask for it, and with the style sheet of the brand.
  private static func head(of page: String, _ configuration: String, isBranded: Bool) -> String {
    let page = page.replacing(
      "<meta name=\"waymark\" content=\"\">",
      with: "<meta name=\"waymark\" content=\"\(XMLText.escaped(configuration))\">")
    guard isBranded else { return page }
    return page.replacing(
      "</head>", with: "  <link rel=\"stylesheet\" href=\"/assets/brand.css\">\n</head>", maxReplacements: 1)
  }

  /// A file by its relative path, exactly.
  subscript(name: String) -> File? { files[name] }

  private static let contentTypes = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml", "woff2": "font/woff2",
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
