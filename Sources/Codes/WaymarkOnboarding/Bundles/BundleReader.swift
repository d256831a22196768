import Glibc
import WaymarkCrypto
import WaymarkSystem

/// Reads a bundle from beginning to end, and trusts nothing in it but its signed manifest.
package struct BundleReader {
  /// Gives the next bytes, at most so many; none at the end.
  package typealias Source = (Int) throws(BundleError) -> [UInt8]

  private let source: Source
  /// The manifest, which the key signed.
  package let manifest: BundleManifest

  /// Reads the manifest.
  ///
  /// - Parameter isSigned: whether somebody who is trusted signed those bytes so.
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

  /// Reads the files, and checks that they are what the manifest says, no more and no less.
  ///
  /// - Parameters:
  ///   - begin: a file follows.
  ///   - take: some of its bytes. What was taken is to be believed only once all of this has come back.
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
      guard Hexadecimal.text(digest.finish()) == file.digest else {
        throw .bad("\(file.path) differs from the signed file")
      }
    }
    // Two blocks of zeros, and perhaps more of them: that is how tar ends.
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

  /// The bytes of an open file.
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

/// Bytes as digits.
enum Hexadecimal {
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
