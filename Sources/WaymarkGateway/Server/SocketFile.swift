import Glibc
import WaymarkSystem

/// The file of a Unix socket that the gateway listens on.
enum SocketFile {
  /// The permissions: its user and its group may connect.
  private static let mode: mode_t = 0o660

  /// Takes away what a dead process left there, and nothing else.
  ///
  /// - Throws: `GatewayError` when somebody listens there, or it is not a socket.
  static func clear(_ path: String) throws(GatewayError) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return }
    guard information.st_mode & S_IFMT == S_IFSOCK else {
      throw GatewayError(.listen, "\(path) is there, and no socket", hint: "Name another path under listen.")
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result != 0 else {
      throw GatewayError(
        .listen, "Somebody listens on \(path) already", hint: "End it, or name another path under listen.")
    }
    if errno == ECONNREFUSED { unlink(path) }
  }

  /// Lets its user and its group in.
  static func open(_ path: String) { chmod(path, mode) }
}
