import WaymarkSystem

/// The contents of a bundle: signed, and the measure of everything else in it.
package struct BundleManifest: Hashable, Sendable {
  /// One file.
  package struct File: Hashable, Sendable {
    /// Where it lies in the bundle: `scenes/pump-room/scene.yaml`.
    package let path: String
    /// Its bytes.
    package let size: Int
    /// The SHA-256 of its bytes, 64 hexadecimal digits.
    package let digest: String

    /// A file from its parts.
    package init(path: String, size: Int, digest: String) {
      self.path = path
      self.size = size
      self.digest = digest
    }
  }

  /// The name shared by bundles that belong together: `site-4`.
  package let name: String
  /// Rises with every bundle of that name.
  package let version: Int
  /// When it was made: RFC 3339, UTC.
  package let made: String
  /// The files in the order of their paths' bytes.
  package let files: [File]

  /// The limits of a bundle.
  package enum Limits {
    /// Files.
    package static let files = 10_000
    /// Bytes of all files.
    package static let bytes = 1 << 30
    /// Bytes of the manifest.
    package static let manifest = 4 << 20
  }

  /// A manifest from its parts.
  ///
  /// - Throws: `badContent` or `badBundle` where it breaks a rule.
  package init(name: String, version: Int, made: String, files: [File]) throws(BundleError) {
    guard Self.isName(name) else { throw .bad("\"name\" is not a valid name") }
    guard (1...1 << 53).contains(version) else { throw .bad("\"version\" is not a whole number from 1 on") }
    guard files.count <= Limits.files else { throw .bad("it holds more than \(Limits.files) files") }
    var (total, folders, last) = (0, Set<String>(), "")
    for file in files {
      guard Self.isPath(file.path) else { throw .bad("a path in it is invalid or leaves its folder") }
      guard last.utf8.lexicographicallyPrecedes(file.path.utf8) else {
        throw .bad("its paths are not sorted, or one occurs twice")
      }
      guard file.size >= 0, file.size <= Limits.bytes - total else { throw .bad("it holds more than a gibibyte") }
      guard file.digest.utf8.count == 64, file.digest.utf8.allSatisfy(Self.isDigit) else {
        throw .bad("a digest is malformed")
      }
      total += file.size
      last = file.path
      var folder = file.path[...]
      while let slash = folder.lastIndex(of: "/") {
        folder = folder[..<slash]
        folders.insert(String(folder))
      }
    }
    guard !files.contains(where: { folders.contains($0.path) }) else {
      throw .bad("a path is both a file and a folder")
    }
    self.name = name
    self.version = version
    self.made = made
    self.files = files
  }

  /// Reads a manifest.
  package init(json: [UInt8]) throws(BundleError) {
    guard let value = try? JSONParser.parse(json) else { throw .bad("its manifest is not JSON") }
    guard value["format"]?.int == 1 else { throw .bad("this version does not support its format") }
    guard let name = value["name"]?.string, let version = value["version"]?.int, let made = value["made"]?.string,
      let entries = value["files"]?.array, entries.count <= Limits.files
    else { throw .bad("its manifest is incomplete") }
    var files: [File] = []
    for entry in entries {
      guard let path = entry["path"]?.string, let size = entry["size"]?.int, let digest = entry["sha256"]?.string else {
        throw .bad("its manifest is incomplete")
      }
      files.append(File(path: path, size: size, digest: digest))
    }
    try self.init(name: name, version: version, made: made, files: files)
  }

  /// The manifest as it is signed.
  package var json: [UInt8] {
    let list = files.map { file in
      JSONValue.object([
        JSONValue.Member("path", .string(file.path)), .init("size", .int(file.size)),
        .init("sha256", .string(file.digest)),
      ])
    }
    let value = JSONValue.object([
      JSONValue.Member("format", 1), .init("name", .string(name)), .init("version", .int(version)),
      .init("made", .string(made)), .init("files", .array(list)),
    ])
    return (try? JSONLineEncoder.line(value)) ?? []
  }

  /// Returns the bytes that a signature is made over: a signature of anything else by this key is not valid for a bundle.
  package static func signed(_ json: [UInt8]) -> [UInt8] { Array("waymark bundle 1\n".utf8) + json }

  /// Bytes of all files.
  package var size: Int { files.reduce(0) { $0 + $1.size } }

  /// Returns whether a text can name bundles.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Returns whether a path stays below the folder that it is taken in, under a name that means the same everywhere.
  static func isPath(_ path: String) -> Bool {
    guard (1...240).contains(path.utf8.count) else { return false }
    return path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      (1...100).contains(part.utf8.count) && part.utf8.first != UInt8(ascii: ".")
        && part.utf8.allSatisfy { isLetter($0) || "-_. +@,=".utf8.contains($0) }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}
