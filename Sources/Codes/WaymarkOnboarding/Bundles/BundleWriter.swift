import Glibc
import WaymarkCrypto
import WaymarkSystem

/// Makes bundles. The same files, name, version, time and key make the same bytes.
package enum BundleWriter {
  /// Packs the files of a folder.
  ///
  /// - Parameters:
  ///   - made: RFC 3339, UTC.
  ///   - write: takes the bundle piece by piece.
  /// - Throws: `badContent` for links, hidden files and names that are not allowed in a bundle.
  package static func write(
    folder: String, name: String, version: Int, made: String, key: SigningKey,
    to write: ([UInt8]) throws(BundleError) -> Void
  ) throws(BundleError) -> BundleManifest {
    var paths: [String] = []
    try collect(folder, below: "", into: &paths)
    paths.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    var files: [BundleManifest.File] = []
    for path in paths {
      let digest = PieceHasher(.sha256)
      var size = 0
      try read("\(folder)/\(path)") { (bytes) throws(BundleError) in
        digest.update(bytes)
        size += bytes.count
      }
      files.append(.init(path: path, size: size, digest: Hexadecimal.text(digest.finish())))
    }
    let manifest: BundleManifest
    do throws(BundleError) {
      manifest = try BundleManifest(name: name, version: version, made: made, files: files)
    } catch {
      throw BundleError(
        .badContent, "\(folder) cannot be packed: \(error.message)", hint: "Change what is in it, or its name.")
    }
    let json = manifest.json
    let signature: [UInt8]
    do {
      signature = try key.sign(BundleManifest.signed(json), with: .edDSA)
    } catch {
      throw BundleError(
        .badContent, "The key cannot sign bundles",
        hint: "They are signed with Ed25519: waymark onboarding keygen --algorithm EdDSA --key FILE")
    }
    try put("manifest.json", json, write)
    try put("manifest.sig", signature, write)
    for file in files {
      try write(TarEntry(path: file.path, size: file.size).block)
      let digest = PieceHasher(.sha256)
      var size = 0
      try read("\(folder)/\(file.path)") { (bytes) throws(BundleError) in
        size += bytes.count
        digest.update(bytes)
        try write(bytes)
      }
      guard size == file.size, Hexadecimal.text(digest.finish()) == file.digest else {
        throw BundleError(
          .badContent, "\(folder)/\(file.path) changed during packing",
          hint: "Pack it again when nothing writes to the folder."
        )
      }
      try write(padding(behind: size))
    }
    try write([UInt8](repeating: 0, count: 2 * TarEntry.blockSize))
    return manifest
  }

  private static func put(
    _ path: String, _ bytes: [UInt8], _ write: ([UInt8]) throws(BundleError) -> Void
  ) throws(BundleError) {
    try write(TarEntry(path: path, size: bytes.count).block + bytes + padding(behind: bytes.count))
  }

  private static func padding(behind size: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (TarEntry.blockSize - size % TarEntry.blockSize) % TarEntry.blockSize)
  }

  private static func collect(_ folder: String, below path: String, into paths: inout [String]) throws(BundleError) {
    let place = path.isEmpty ? folder : "\(folder)/\(path)"
    guard let names = try? Folder.names(place) else { throw .file(place, cannotBe: "read", number: errno) }
    for name in names {
      let inner = path.isEmpty ? name : "\(path)/\(name)"
      var information = stat()
      guard lstat("\(folder)/\(inner)", &information) == 0 else { throw .file(inner, cannotBe: "read", number: errno) }
      guard BundleManifest.isPath(inner), !["manifest.json", "manifest.sig"].contains(inner) else {
        throw BundleError(
          .badContent, "\(folder)/\(inner) has a name that bundles do not allow",
          hint: "Use letters, digits, - _ . + @ , = and spaces, and no dot at the beginning.")
      }
      switch information.st_mode & S_IFMT {
      case S_IFDIR: try collect(folder, below: inner, into: &paths)
      case S_IFREG: paths.append(inner)
      default:
        throw BundleError(
          .badContent, "\(folder)/\(inner) is neither a regular file nor a folder", hint: "Put the file itself there.")
      }
    }
  }

  private static func read(_ path: String, _ take: ([UInt8]) throws(BundleError) -> Void) throws(BundleError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file(path, cannotBe: "read", number: errno) }
    defer { close(descriptor) }
    let source = BundleReader.source(descriptor, name: path)
    while true {
      let bytes = try source(1 << 18)
      if bytes.isEmpty { return }
      try take(bytes)
    }
  }
}
