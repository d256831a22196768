import Glibc

/// Secrets that systemd hands to a unit (`LoadCredential=`): a configuration names one as `credential:NAME` where it would name a file.
package enum Credential {
  private static let mark = "credential:"

  /// The file that a configuration means: that of a credential in the folder that systemd named, else the path itself.
  ///
  /// - Parameter folder: where the credentials of this process are.
  /// - Returns: what was written, where no credentials were handed over: nothing can be read there, and the message says what was meant.
  package static func path(_ text: String, in folder: String? = folder) -> String {
    guard text.hasPrefix(mark), let folder, folder.hasPrefix("/") else { return text }
    let name = text.dropFirst(mark.count)
    // A name, nothing that leads elsewhere.
    guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return text }
    return "\(folder)/\(name)"
  }

  /// True of a credential that was not handed over, as `path` leaves it.
  package static func isMissing(_ path: String) -> Bool { path.hasPrefix(mark) }

  /// The folder that systemd names to a unit with credentials.
  package static var folder: String? { getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } }
}
