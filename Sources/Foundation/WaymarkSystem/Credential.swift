import Glibc

/// Secrets that systemd passes to a unit (`LoadCredential=`): in a configuration, `credential:NAME` in the place of a path means such a
/// secret.
package enum Credential {
  private static let mark = "credential:"

  /// Returns the path of a configured file: for `credential:NAME` the path in the folder of credentials, else the text itself.
  ///
  /// - Parameter folder: the folder of this process's credentials; without one, `credential:NAME` is returned as it is.
  package static func path(_ text: String, in folder: String? = folder) -> String {
    guard text.hasPrefix(mark), let folder, folder.hasPrefix("/") else { return text }
    let name = text.dropFirst(mark.count)
    guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return text }
    return "\(folder)/\(name)"
  }

  /// Returns whether `path` is a credential that was not resolved.
  package static func isMissing(_ path: String) -> Bool { path.hasPrefix(mark) }

  /// The folder of this process's credentials, set by systemd; `nil` without one.
  package static var folder: String? { getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } }
}

/// Reads secrets from files: a password, a token or a key that only some users may read.
package enum SecretLine {
  /// Reads the first line of a file.
  ///
  /// - Throws: `notPermitted` also if users other than its owner and group have any permission on the file.
  package static func read(_ path: String) throws(FileError) -> String {
    let bytes = try file(path)
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  /// Reads a whole file of at most 64 KiB.
  ///
  /// - Throws: `notPermitted` also if users other than its owner and group have any permission on the file.
  package static func file(_ path: String) throws(FileError) -> [UInt8] {
    var information = stat()
    guard stat(path, &information) == 0 else { throw FileError(path, cannotBe: "read", number: errno) }
    guard information.st_mode & 0o007 == 0 else {
      throw FileError(
        .notPermitted, "\(path) is open to other users", hint: "chmod o= \(path), then choose another secret.")
    }
    return try WholeFile.read(path, limit: 64 << 10)
  }
}
