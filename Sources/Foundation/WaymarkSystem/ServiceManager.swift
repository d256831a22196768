import Glibc

/// systemd's side of the service's life, spoken directly: `sd_notify(3)` is one datagram, `sd_listen_fds(3)` two
/// variables of the environment.
package struct ServiceManager: Sendable {
  private let socket: String?
  /// How often the watchdog wants to hear, in seconds: half of the time after which it would act.
  package let watchdogInterval: Double?
  /// The longest time between two signs of life, in seconds, however long systemd would wait.
  private static let longestInterval = 4.0
  /// Descriptors that were handed over, from 3 on.
  let listenDescriptors: [CInt]

  /// Reads the environment.
  package init(environment: [String: String], process: Int32 = getpid()) {
    socket = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let watched = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    watchdogInterval =
      watched ? environment["WATCHDOG_USEC"].flatMap { Double($0) }.map { min($0 / 2e6, Self.longestInterval) } : nil
    let own = environment["LISTEN_PID"].flatMap { Int32($0) } == process
    let count = own ? environment["LISTEN_FDS"].flatMap { Int32($0) } ?? 0 : 0
    listenDescriptors = count > 0 && count < 64 ? (0..<count).map { 3 + $0 } : []
  }

  /// Keeps what systemd said from children.
  package static func clearEnvironment() {
    for name in ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] {
      unsetenv(name)
    }
  }

  /// True if anybody listens to notifications.
  package var isPresent: Bool { socket != nil }

  /// The service is up.
  package func ready(_ status: String) { notify("READY=1\nSTATUS=\(Self.line(status))") }

  /// A word for `systemctl status`.
  package func status(_ status: String) { notify("STATUS=\(Self.line(status))") }

  /// The service takes its configuration over again; `ready` ends it.
  package func reloading() { notify("RELOADING=1\nMONOTONIC_USEC=\(UInt64(MonotonicClock.now * 1e6))") }

  /// The service is well.
  package func alive() { notify("WATCHDOG=1") }

  /// The service ends.
  package func stopping() { notify("STOPPING=1\nSTATUS=Stopping") }

  private static func line(_ text: String) -> String { text.split(separator: "\n").joined(separator: " ") }

  private func notify(_ message: String) {
    guard let path = socket else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // An abstract address is written with @ and begins with a zero byte; its length counts.
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    var text = Array(message.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // Without MSG_DONTWAIT a manager that hangs would hang the service, too.
        _ = sendto(
          descriptor, &text, text.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT), $0, length)
      }
    }
  }

  /// The first descriptor that is a listening Unix stream socket.
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
