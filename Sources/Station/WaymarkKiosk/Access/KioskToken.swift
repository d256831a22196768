import WaymarkSystem

#if canImport(Glibc)
  import CDispatch
  import Glibc
#else
  import Musl
#endif

/// The random token that proves the cookies of browsers, kept in a file so that a restart does not lock out an open page. It is in no
/// address and on no command line.
package struct KioskToken: Sendable {
  /// The token: 256 random bits, in hexadecimal.
  package let value: String

  /// Makes a new one from the system's generator.
  package init() {
    var generator = SystemRandomNumberGenerator()
    value = (0..<4).map { _ in (generator.next() as UInt64).digits(16, radix: 16) }.joined()
  }

  /// Reads the token of a file that only its owner can write, or makes one and writes it there with mode 0640.
  ///
  /// - Throws: `KioskError` when the file is not ours or cannot be written.
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
