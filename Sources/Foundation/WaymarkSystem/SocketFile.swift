package import Glibc

/// The files of Unix sockets.
package enum SocketFile {
  /// The address of a path; `nil` where the path is empty or longer than a socket's may be.
  package static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  /// Connects a socket; `errno` says why not.
  package static func connect(_ socket: CInt, to address: sockaddr_un) -> Bool {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    } == 0
  }

  /// The state of a path before something listens there.
  package enum Leftover: Equatable {
    /// Nothing stands in the way: nothing was there, or what a dead process left was removed.
    case none
    /// A file of another kind.
    case notASocket
    /// A socket that somebody listens on, or of which that cannot be told.
    case inUse
    /// The number of the error for which it cannot be removed.
    case failed(CInt)
  }

  /// Removes the socket that a dead process left at a path, and nothing else. It counts as left once a connect to it was refused.
  package static func removeLeftover(at path: String, _ address: sockaddr_un) -> Leftover {
    var information = stat()
    guard lstat(path, &information) == 0 else { return .none }
    guard information.st_mode & S_IFMT == S_IFSOCK else { return .notASocket }
    let probe = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { return .failed(errno) }
    defer { close(probe) }
    // EAGAIN means a full queue of a living listener; EACCES tells nothing, so the file stays.
    guard !connect(probe, to: address), errno == ECONNREFUSED else { return .inUse }
    return unlink(path) == 0 || errno == ENOENT ? .none : .failed(errno)
  }
}
