import Glibc
import WaymarkCrypto
import WaymarkSystem

/// Reads a bundle from beginning to end, and checks its files against the signed manifest. `BundleWriter` below makes
/// bundles.
package struct BundleReader {
  /// Returns the next bytes, at most the given number; an empty array at the end.
  package typealias Source = (Int) throws(BundleError) -> [UInt8]

  private let source: Source
  /// The manifest, whose signature has been checked.
  package let manifest: BundleManifest

  /// Reads the manifest and checks its signature.
  ///
  /// - Parameter isSigned: returns whether a trusted key made the signature.
  /// - Throws: `notSigned` if `isSigned` returns false, `badBundle` if manifest or signature are missing or invalid, and the errors
  ///   of the source.
  package init(
    source: @escaping Source, isSigned: (_ message: [UInt8], _ signature: [UInt8]) -> Bool
  ) throws(BundleError) {
    self.source = source
    let json = try Self.file("manifest.json", limit: BundleManifest.Limits.manifest, source)
    let signature = try Self.file("manifest.sig", limit: 64, source)
    guard signature.count == 64 else { throw .bad("its signature has the wrong length") }
    guard isSigned(BundleManifest.signed(json), signature) else {
      throw BundleError(
        .notSigned, "The bundle is not signed with a key that this device trusts",
        hint: "Check that it was not changed, and that its maker's public key is in the key file.")
    }
    manifest = try BundleManifest(json: json)
  }

  /// Reads a bundle, trusting the Ed25519 keys among `keys`.
  package init(source: @escaping Source, keys: [VerificationKey]) throws(BundleError) {
    try self.init(source: source) { message, signature in
      keys.contains { $0.verify(signature, of: message, with: .edDSA) }
    }
  }

  /// Reads the files, and checks that they are exactly the files of the manifest.
  ///
  /// - Parameters:
  ///   - begin: called before the first bytes of each file.
  ///   - take: called with the next bytes of the file. They are verified only when `readFiles` has returned without an error.
  /// - Throws: `badBundle` if the files differ from the manifest, and the errors of the source, `begin` and `take`.
  package func readFiles(
    begin: (BundleManifest.File) throws(BundleError) -> Void, take: ([UInt8]) throws(BundleError) -> Void
  ) throws(BundleError) {
    for file in manifest.files {
      guard let entry = try TarEntry.parse(try Self.exactly(TarEntry.blockSize, source)) else {
        throw .bad("\(file.path) is missing")
      }
      guard entry.path == file.path, entry.size == file.size else {
        throw .bad("another file is in the place of \(file.path)")
      }
      try begin(file)
      let digest = PieceHasher(.sha256)
      var left = file.size
      while left > 0 {
        let bytes = try source(min(left, 1 << 18))
        guard !bytes.isEmpty, bytes.count <= left else { throw .bad("it is truncated") }
        digest.update(bytes)
        try take(bytes)
        left -= bytes.count
      }
      try Self.padding(behind: file.size, source)
      guard digest.finish().hexadecimal == file.digest else {
        throw .bad("\(file.path) differs from the signed file")
      }
    }
    // A tar archive ends with at least two blocks of zeros.
    guard try TarEntry.parse(try Self.exactly(TarEntry.blockSize, source)) == nil else {
      throw .bad("it contains more than was signed")
    }
    var (count, zeros) = (TarEntry.blockSize, true)
    while count <= 1 << 20 {
      let bytes = try source(4096)
      if bytes.isEmpty { break }
      count += bytes.count
      zeros = zeros && bytes.allSatisfy { $0 == 0 }
    }
    guard zeros, count >= 2 * TarEntry.blockSize, count <= 1 << 20 else { throw .bad("data follows its end") }
  }

  private static func file(_ name: String, limit: Int, _ source: Source) throws(BundleError) -> [UInt8] {
    guard let entry = try TarEntry.parse(try exactly(TarEntry.blockSize, source)), entry.path == name else {
      throw .bad("it does not begin with a manifest and its signature")
    }
    guard entry.size <= limit else { throw .bad("\(name) is too large") }
    let bytes = try exactly(entry.size, source)
    try padding(behind: entry.size, source)
    return bytes
  }

  private static func padding(behind size: Int, _ source: Source) throws(BundleError) {
    let rest = size % TarEntry.blockSize
    guard rest > 0 else { return }
    guard try exactly(TarEntry.blockSize - rest, source).allSatisfy({ $0 == 0 }) else {
      throw .bad("data lies between its files")
    }
  }

  private static func exactly(_ count: Int, _ source: Source) throws(BundleError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try source(min(count - bytes.count, 1 << 18))
      guard !more.isEmpty else { throw .bad("it is truncated") }
      bytes += more
    }
    return bytes
  }

  /// Returns a source that reads an open file.
  package static func source(_ descriptor: Int32, name: String) -> Source {
    { (count) throws(BundleError) in
      var bytes = [UInt8](repeating: 0, count: count)
      while true {
        let got = read(descriptor, &bytes, count)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { throw .file(name, cannotBe: "read", number: errno) }
        return Array(bytes[..<got])
      }
    }
  }
}

// MARK: - Writing

/// Makes bundles. Equal files, name, version, time and key result in equal bytes.
package enum BundleWriter {
  /// Packs the files of a folder.
  ///
  /// - Parameters:
  ///   - made: the time of making, in UTC by RFC 3339.
  ///   - write: called with each piece of the bundle.
  /// - Throws: `cannotOpen` if a file cannot be read; `badContent` for links, hidden files and names that bundles do
  ///   not allow, for a key other than Ed25519, and for files that change meanwhile.
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
      files.append(.init(path: path, size: size, digest: digest.finish().hexadecimal))
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
      guard size == file.size, digest.finish().hexadecimal == file.digest else {
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
