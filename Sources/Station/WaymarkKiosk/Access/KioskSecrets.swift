import Glibc
import WaymarkCrypto
import WaymarkHTTP
package import WaymarkSystem

// The secrets that open the page: the token, the cookies made with it, and the files that contain a secret.

/// The random token that authenticates the cookies of browsers. It is kept in a file, so that open pages can be used after a restart.
/// It is never part of an address or a command line.
package struct KioskToken: Sendable {
  /// The token: 256 random bits, in hexadecimal.
  package let value: String

  /// Makes a new token with the system's random generator.
  package init() {
    var generator = SystemRandomNumberGenerator()
    value = (0..<4).map { _ in (generator.next() as UInt64).digits(16, radix: 16) }.joined()
  }

  /// Reads the token from a file that only its owner can write. If the file is missing or has no token, makes one and
  /// writes it there with mode 0640.
  ///
  /// - Throws: `KioskError` if the file belongs to another user, can be written by others, or cannot be created.
  package init(file path: String) throws(KioskError) {
    if let kept = try Self.read(path) {
      value = kept
      return
    }
    let fresh = KioskToken()
    try SecretFile.token(path).write(fresh.value)
    value = fresh.value
  }

  private static func read(_ path: String) throws(KioskError) -> String? {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
      throw KioskError(
        code: .tokenFile, message: "The token file \(path) belongs to another user or can be written by others.",
        hint: "Remove it, or name another one with --token-file.")
    }
    var bytes = [UInt8](repeating: 0, count: 65)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    let digits = bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }
    guard digits.count == 64, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
    return String(decoding: digits, as: UTF8.self)
  }
}

/// The cookie of one browser: a random number, and an authentication code of that number and the browser's `User-Agent`.
///
/// The cookie is not stored: pages stay open over a restart as long as the token is the same.
struct KioskCookie: Sendable {
  private let key: SymmetricKey

  /// Makes and checks cookies with a token as the key.
  init(token: String) { key = SymmetricKey(Array(token.utf8)) }

  /// The name of the cookie. It contains the port, because browsers share cookies among the ports of a host.
  static func name(port: Int) -> String { "waymark-\(port)" }

  /// Makes a new cookie for a browser.
  ///
  /// - Parameter agent: the browser's header `User-Agent`.
  func make(for agent: String?) -> String {
    let number = KioskToken().value
    return number + "." + proof(number, agent)
  }

  /// Returns whether a cookie was made with this token for this browser.
  func isValid(_ cookie: String, for agent: String?) -> Bool {
    let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 64 else { return false }
    return ConstantTime.areEqual(String(parts[1]), proof(String(parts[0]), agent))
  }

  private func proof(_ number: String, _ agent: String?) -> String {
    let text = "waymark kiosk cookie\n\(number)\n\(agent ?? "")"
    return key.authenticationCode(for: Array(text.utf8)).hexadecimal
  }
}

/// A file with one line that opens the page: the token that authenticates cookies, the address with a launch code, or an HTML page
/// that redirects to this address.
///
/// The file has mode 0640, and is replaced as a whole.
package struct SecretFile: Sendable {
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

  /// Returns an HTML page that redirects to an address.
  package static func launch(to address: String) -> String {
    "<!doctype html><meta charset=\"utf-8\"><title>Waymark</title><meta name=\"referrer\" content=\"no-referrer\">"
      + "<meta http-equiv=\"refresh\" content=\"0; url=\(address)\">"
  }

  /// Removes the file of an earlier process, and checks that `write` is possible.
  ///
  /// - Throws: `KioskError` when the file cannot be removed, or its folder is missing or read-only.
  package func clear() throws(KioskError) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { path[...$0] } ?? "./"
    guard unlink(path) == 0 || errno == ENOENT, access(String(folder), W_OK | X_OK) == 0 else {
      throw failure("written", systemMessage(errno))
    }
  }

  /// Writes a line as the whole content of the file.
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
