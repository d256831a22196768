import Glibc

/// Secrets in files: a password, a token or a key that only some users may read.
package enum SecretLine {
  /// The first line of a file.
  ///
  /// - Throws: also when everybody may read the file.
  package static func read(_ path: String) throws(FileError) -> String {
    let bytes = try file(path)
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  /// The whole of a file, 64 KiB at most.
  ///
  /// - Throws: also when everybody may read the file.
  package static func file(_ path: String) throws(FileError) -> [UInt8] {
    var information = stat()
    guard stat(path, &information) == 0 else { throw FileError(path, cannotBe: "read", number: errno) }
    guard information.st_mode & 0o007 == 0 else {
      throw FileError(
        .notPermitted, "\(path) can be read by everybody", hint: "chmod o= \(path), then choose another secret.")
    }
    return try WholeFile.read(path, limit: 64 << 10)
  }
}
