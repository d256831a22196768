package import Glibc

/// Addresses, connects and removes the files of Unix sockets. `SocketPath` below is the path of the service's socket.
package enum SocketFile {
  /// Returns the address of a path; nil for a path that is empty or too long.
  package static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  /// Connects a socket (connect(2)).
  ///
  /// - Returns: false if connecting failed; `errno` is then the cause.
  package static func connect(_ socket: CInt, to address: sockaddr_un) -> Bool {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0
  }

  /// The state of a path before a socket is bound there.
  package enum Leftover: Equatable {
    /// The path is free, possibly because the socket of a dead process was removed.
    case none
    /// The path has a file that is not a socket.
    case notASocket
    /// The path has a socket with a listener, or a socket that may have a listener.
    case inUse
    /// The socket cannot be removed; the `errno`.
    case failed(CInt)
  }

  /// Removes the socket of a dead process at a path. Such a socket refuses connections.
  package static func removeLeftover(at path: String, _ address: sockaddr_un) -> Leftover {
    var information = stat()
    guard lstat(path, &information) == 0 else { return .none }
    guard information.st_mode & S_IFMT == S_IFSOCK else { return .notASocket }
    let probe = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { return .failed(errno) }
    defer { close(probe) }
    // EAGAIN means that the queue of a listener is full; EACCES leaves open whether there is a listener.
    guard !connect(probe, to: address), errno == ECONNREFUSED else { return .inUse }
    return unlink(path) == 0 || errno == ENOENT ? .none : .failed(errno)
  }
}

// MARK: - The service's socket

/// The path of the service's socket.
package enum SocketPath {
  /// The path of the system's service.
  package static let system = "/run/waymark/waymark.sock"

  /// Returns the default path: `$WAYMARK_SOCKET`, or else the system's path for root and the system service, or else a path of the
  /// user.
  ///
  /// - Parameters:
  ///   - environment: the process's environment.
  ///   - isSystem: true for the system's service and for root.
  package static func standard(environment: [String: String], isSystem: Bool) -> String {
    if let path = environment["WAYMARK_SOCKET"], !path.isEmpty { return path }
    if !isSystem, let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty {
      return folder + "/waymark/waymark.sock"
    }
    return system
  }

  /// Returns the path to which a client of this process's user connects: the default path, or the system's path if only that socket
  /// exists.
  package static func forClient(environment: [String: String]) -> String {
    let own = standard(environment: environment, isSystem: isSystem(environment: environment))
    let isNamed = environment["WAYMARK_SOCKET"]?.isEmpty == false
    return !isNamed && FileKind(own) == nil && FileKind(system) != nil ? system : own
  }

  /// Returns whether this process runs for the system: as root, or as a user whose runtime folder systemd created for
  /// the unit.
  package static func isSystem(environment: [String: String]) -> Bool {
    if let folder = environment["RUNTIME_DIRECTORY"], folder.hasPrefix("/run/user/") { return false }
    return getuid() == 0 || environment["RUNTIME_DIRECTORY"] == "/run/waymark"
  }
}
