import Glibc
import WaymarkSystem

/// A file with one line that opens the page: the token that proves cookies, or the address with a launch code.
///
/// Its owner writes it, its group reads it, nobody else may look; it is replaced as a whole.
package struct SecretFile: Sendable {
  /// Where it is.
  package let path: String
  /// The name in messages.
  private let name: String
  private let code: KioskError.Code
  private let option: String

  /// The file of the token, as `--token-file` names it.
  static func token(_ path: String) -> SecretFile {
    SecretFile(path: path, name: "token file", code: .tokenFile, option: "--token-file")
  }

  /// The file of the page's address, as `--address-file` names it.
  package static func address(_ path: String) -> SecretFile {
    SecretFile(path: path, name: "address file", code: .addressFile, option: "--address-file")
  }

  /// The file that opens the page in a browser, as `--launch-page` names it.
  package static func launchPage(_ path: String) -> SecretFile {
    SecretFile(path: path, name: "launch page", code: .addressFile, option: "--launch-page")
  }

  /// Returns a page that leads to that address.
  package static func launch(to address: String) -> String {
    "<!doctype html><meta charset=\"utf-8\"><title>Waymark</title><meta name=\"referrer\" content=\"no-referrer\">"
      + "<meta http-equiv=\"refresh\" content=\"0; url=\(address)\">"
  }

  /// Removes what an earlier process left there, and sees whether `write` will have a chance.
  ///
  /// - Throws: `KioskError` when the file cannot be removed, or its folder is missing or read-only.
  package func clear() throws(KioskError) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { path[...$0] } ?? "./"
    guard unlink(path) == 0 || errno == ENOENT, access(String(folder), W_OK | X_OK) == 0 else {
      throw failure("written", systemMessage(errno))
    }
  }

  /// Puts the line in place of whatever is there, with mode 0640.
  ///
  /// - Throws: `KioskError` when the file cannot be written.
  package func write(_ line: String) throws(KioskError) {
    do throws(FileError) {
      try DurableFile.replace(path, with: Array((line + "\n").utf8), mode: 0o640)
    } catch {
      throw failure("written", error.cause ?? error.message)
    }
  }

  private func failure(_ step: String, _ reason: String) -> KioskError {
    KioskError(
      code: code, message: "The \(name) \(path) cannot be \(step): \(reason).",
      hint: "Make its folder writable for this user, or name another file with \(option).")
  }
}
