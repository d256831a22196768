package import WaymarkSystem

/// The signed list of the files of a bundle. The file also has the errors of bundles, and `TarEntry`, the header of a
/// file in the archive.
package struct BundleManifest: Hashable, Sendable {
  /// A file of the bundle, with its size and digest.
  package struct File: Hashable, Sendable {
    /// The path in the bundle: `scenes/pump-room/scene.yaml`.
    package let path: String
    /// The size in bytes.
    package let size: Int
    /// The SHA-256 of its bytes, 64 hexadecimal digits.
    package let digest: String

  }

  /// The name shared by bundles that belong together: `site-4`.
  package let name: String
  /// The version, which increases with every bundle of this name.
  package let version: Int
  /// The time of making, in UTC by RFC 3339.
  package let made: String
  /// The files, sorted by the bytes of their paths.
  package let files: [File]

  /// The largest numbers and sizes that a bundle may have.
  package enum Limits {
    /// The largest number of files.
    package static let files = 10_000
    /// The largest size of all files together, in bytes.
    package static let bytes = 1 << 30
    /// The largest size of the manifest, in bytes.
    package static let manifest = 4 << 20
  }

  /// - Throws: `badBundle` for a name, version, path, size or digest that is not allowed, for too many files or bytes, and for
  ///   paths that are not sorted or of which one is inside another.
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
      guard file.digest.utf8.count == 64, file.digest.utf8.allSatisfy({ $0.isASCIIDigit || (0x61...0x66).contains($0) })
      else {
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

  /// Parses a manifest.
  ///
  /// - Throws: `badBundle` if the text is not JSON of this format, or incomplete.
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

  /// The manifest as JSON, on which the signed bytes are based.
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

  /// Returns the bytes to sign: the JSON after a line that only bundles have. A signature of any other text is therefore invalid
  /// for a bundle.
  package static func signed(_ json: [UInt8]) -> [UInt8] { Array("waymark bundle 1\n".utf8) + json }

  /// The bytes of all files together.
  package var size: Int { files.reduce(0) { $0 + $1.size } }

  /// Returns whether a text can name bundles: 1 to 64 ASCII letters, digits, hyphens and underscores.
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Returns whether a bundle may contain a file with this path: relative, without hidden names, `.` or `..`, and of ASCII
  /// letters, digits and `-_. +@,=` only.
  static func isPath(_ path: String) -> Bool {
    guard (1...240).contains(path.utf8.count) else { return false }
    return path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      (1...100).contains(part.utf8.count) && part.utf8.first != UInt8(ascii: ".")
        && part.utf8.allSatisfy { isLetter($0) || "-_. +@,=".utf8.contains($0) }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte.isASCIILetter || byte.isASCIIDigit }
}

// MARK: - Errors

/// The error of a bundle that cannot be made or is refused.
package typealias BundleError = Problem<BundleErrorCode>

/// The codes of `BundleError`.
package enum BundleErrorCode: String, ProblemCode {
  /// A file or folder cannot be read or written.
  case cannotOpen
  /// The file is not a bundle, or was changed after it was made.
  case badBundle
  /// The bundle is not signed with a trusted key.
  case notSigned
  /// The bundle's version is not higher than the highest version that this device has had.
  case oldVersion
  /// The content to be packed is not allowed in a bundle.
  case badContent
  /// The service did not start with the bundle; the previous release was restored.
  case notReady
}

extension Problem where Kind == BundleErrorCode {
  static func bad(_ what: String) -> BundleError {
    BundleError(.badBundle, "The file is not a Waymark bundle: \(what)", hint: "Download it again from its maker.")
  }

  static func file(_ path: String, cannotBe verb: String, number: Int32) -> BundleError {
    let error = FileError(path, cannotBe: verb, number: number)
    return BundleError(.cannotOpen, error.message, hint: error.hint, cause: error.cause)
  }
}

// MARK: - Tar archive

/// The header of a regular file in a tar archive (POSIX.1-1988, ustar).
///
/// Links, devices, folders, sparse files and extended headers are refused.
struct TarEntry: Hashable {
  static let blockSize = 512
  let path: String
  let size: Int

  /// The header in bytes, as `BundleWriter` writes it: owned by root, readable by all, without a time.
  var block: [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    func put(_ text: String, at place: Int) { block.replaceSubrange(place..<place + text.utf8.count, with: text.utf8) }
    var name = path[...]
    if path.utf8.count > 100, let slash = Self.split(path) {
      put(String(path[..<slash]), at: 345)
      name = path[path.index(after: slash)...]
    }
    put(String(name), at: 0)
    put("0000644", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put(size.digits(11, radix: 8), at: 124)
    put("00000000000", at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar", at: 257)
    put("00", at: 263)
    let sum = block.reduce(0) { $0 + Int($1) }
    put(sum.digits(6, radix: 8), at: 148)
    block[154] = 0
    return block
  }

  /// Reads a header; returns nil for a block of zeros, which ends the archive.
  ///
  /// - Throws: `badBundle` for any block other than the `TarEntry.block` of a path that bundles allow.
  static func parse(_ block: [UInt8]) throws(BundleError) -> TarEntry? {
    guard block.count == blockSize else { throw .bad("it is truncated") }
    if block.allSatisfy({ $0 == 0 }) { return nil }
    guard let name = text(block[0..<100]), let prefix = text(block[345..<500]), let size = number(block[124..<136])
    else {
      throw .bad("an entry's header cannot be read")
    }
    let entry = TarEntry(path: prefix.isEmpty ? name : "\(prefix)/\(name)", size: size)
    // `block` is the only accepted encoding of an entry.
    guard BundleManifest.isPath(entry.path), entry.block == block else {
      throw .bad("an entry is neither a regular file nor written by Waymark")
    }
    return entry
  }

  /// Returns the slash at which a path of more than 100 bytes is split into prefix and name; `nil` if no slash leaves
  /// a name of at most 100 bytes.
  private static func split(_ path: String) -> String.Index? {
    path.indices.first { path[$0] == "/" && path[path.index(after: $0)...].utf8.count <= 100 }
  }
  private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
    let text = bytes.prefix { $0 != 0 }
    guard text.allSatisfy({ (32..<127).contains($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let digits = bytes.prefix { $0 != 0 }
    guard (1...11).contains(digits.count) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self), radix: 8)
  }
}
