import Glibc

/// The protocol of systemd: notifications are datagrams (`sd_notify(3)`), sockets are passed by two environment
/// variables (`sd_listen_fds(3)`). The file also has secrets in files: `Credential`, which systemd passes, and `SecretLine`.
package struct ServiceManager: Sendable {
  private let socket: String?
  /// The seconds between two keep-alive messages: half of the watchdog's timeout, at most `longestInterval`; `nil` without a
  /// watchdog.
  package let watchdogInterval: Double?
  /// The greatest number of seconds between two keep-alive messages.
  private static let longestInterval = 4.0
  /// The descriptors passed by systemd, from 3 on.
  let listenDescriptors: [CInt]

  /// Reads systemd's variables. Variables for another process are ignored.
  package init(environment: [String: String], process: Int32 = getpid()) {
    socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let watched = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    watchdogInterval =
      watched ? environment["WATCHDOG_USEC"].flatMap { Double($0) }.map { min($0 / 2e6, Self.longestInterval) } : nil
    let own = environment["LISTEN_PID"].flatMap { Int32($0) } == process
    let count = own ? environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0 : 0
    listenDescriptors = count > 0 && count < 64 ? (0..<count).map { 3 + $0 } : []
  }

  /// Removes systemd's variables from the environment of child processes.
  package static func clearEnvironment() {
    for name in ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
      unsetenv(name)
    }
  }

  /// True if systemd listens to notifications.
  package var isPresent: Bool { socket != nil }

  /// Reports that the service is up.
  package func ready(_ status: String) { notify("READY=1\nSTATUS=\(Self.line(status))") }

  /// Sets the text of `systemctl status`.
  package func status(_ status: String) { notify("STATUS=\(Self.line(status))") }

  /// Reports that the configuration is being reloaded, until `ready` is called.
  package func reloading() { notify("RELOADING=1\nMONOTONIC_USEC=\(UInt64(MonotonicClock.now * 1e6))") }

  /// Sends a keep-alive message to the watchdog.
  package func alive() { notify("WATCHDOG=1") }

  /// Reports that the service ends.
  package func stopping() { notify("STOPPING=1\nSTATUS=Stopping") }

  private static func line(_ text: String) -> String { text.split(separator: "\n").joined(separator: " ") }

  private func notify(_ message: String) {
    guard let path = socket, var address = SocketFile.address(path) else { return }
    // An abstract address is written with @ in the variable and begins with a zero byte in the structure.
    if path.hasPrefix("@") { address.sun_path.0 = 0 }
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    var text = Array(message.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // Without MSG_DONTWAIT, a hanging manager would block the service.
        _ = sendto(
          descriptor, &text, text.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT), $0, length)
      }
    }
  }

  /// Returns the first descriptor passed by systemd that is a listening Unix stream socket, and its path; `nil` without such a
  /// descriptor.
  package func listeningSocket() -> (descriptor: CInt, path: String)? {
    for descriptor in listenDescriptors {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      var accepts: CInt = 0
      var size = socklen_t(MemoryLayout<CInt>.size)
      guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0, accepts == 1 else { continue }
      var address = sockaddr_un()
      var length = socklen_t(MemoryLayout<sockaddr_un>.size)
      let named = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
      }
      guard named, address.sun_family == sa_family_t(AF_UNIX) else { continue }
      let path = withUnsafeBytes(of: &address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      return (descriptor, path)
    }
    return nil
  }
}

// MARK: - Secrets

/// Secrets that systemd passes to a unit (`LoadCredential=`). In a configuration, `credential:NAME` in place of a path refers to
/// such a secret.
package enum Credential {
  private static let mark = "credential:"

  /// Returns the path of a configured file: for `credential:NAME` the path in the folder of credentials, otherwise the text itself.
  ///
  /// - Parameter folder: the folder of this process's credentials; without a folder, `credential:NAME` is returned unchanged.
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
  /// - Throws: the errors of reading, and `notPermitted` if users other than its owner and group have any permission on the file.
  package static func read(_ path: String) throws(FileError) -> String {
    let bytes = try file(path)
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  /// Reads a whole file of at most 64 KiB.
  ///
  /// - Throws: the errors of reading, and `notPermitted` if users other than its owner and group have any permission on the file.
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
