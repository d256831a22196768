import CSignals
import Glibc
package import WaymarkSystem

/// A listening Unix socket. Its file is removed with this value, unless the socket was inherited.
package struct ListeningSocket: ~Copyable, Sendable {
  package let path: String
  /// True if another process, such as systemd, created the socket and keeps it open.
  let isInherited: Bool
  private var descriptor: CInt
  private let identity: (device: dev_t, inode: ino_t)?

  /// Takes ownership of the descriptor of an inherited socket.
  package init(inherited descriptor: CInt, path: String) {
    self.descriptor = descriptor
    self.path = path
    isInherited = true
    identity = nil
  }

  /// The default permissions of a socket: to connect, for its owner and its group.
  package static let usualMode: UInt32 = 0o660

  /// Creates a socket at `path`. A socket file left by a process that has ended is replaced, after a connection to it was refused.
  ///
  /// - Parameter group: the group that may connect, in addition to the owner.
  package init(path: String, mode: UInt32 = usualMode, group: UInt32? = nil) throws(ServiceProblem) {
    guard let address = SocketFile.address(path) else { throw .pathTooLong(path) }
    try Self.clear(path, address)
    try Self.makeFolder(of: path)
    let descriptor = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .cannotListen(path, systemMessage(errno)) }
    // A signal that ends the process is deferred until the path is registered, so that the file is removed.
    csignals_hold()
    var isMade = false
    defer { csignals_release(isMade ? path : nil) }
    // The file is created with at most its final permissions, so that no other user can connect between bind(2) and chmod(2).
    let mask = umask(0o777 & ~mode)
    let bound = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    let reason = errno
    umask(mask)
    guard bound == 0 else {
      close(descriptor)
      throw .cannotListen(path, systemMessage(reason))
    }
    if let group, chown(path, uid_t.max, group) != 0 {
      let reason = systemMessage(errno)
      close(descriptor)
      unlink(path)
      throw .cannotListen(path, "it cannot be given to the group \(group) (\(reason))")
    }
    guard chmod(path, mode) == 0, listen(descriptor, Self.backlog) == 0 else {
      let reason = systemMessage(errno)
      close(descriptor)
      unlink(path)
      throw .cannotListen(path, reason)
    }
    var information = stat()
    identity = lstat(path, &information) == 0 ? (information.st_dev, information.st_ino) : nil
    isMade = true
    self.descriptor = descriptor
    self.path = path
    isInherited = false
  }

  /// The maximum number of connections that wait to be accepted, enough for all clients of a site after a restart. The kernel limits it
  /// to `net.core.somaxconn`.
  static let backlog: CInt = 1024

  /// Sets the backlog of a socket, also of an inherited one.
  func setBacklog(of descriptor: CInt) { _ = listen(descriptor, Self.backlog) }

  /// Returns the descriptor, and passes its ownership to the caller.
  mutating func takeDescriptor() -> CInt {
    defer { descriptor = -1 }
    return descriptor
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    removeFile()
  }

  /// Removes the file, unless the socket was inherited.
  func removeFile() {
    guard !isInherited, let identity else { return }
    // Another service may have replaced the file: only the file created here is removed.
    var information = stat()
    if lstat(path, &information) == 0, information.st_dev == identity.device, information.st_ino == identity.inode {
      unlink(path)
    }
  }

  private static func clear(_ path: String, _ address: sockaddr_un) throws(ServiceProblem) {
    switch SocketFile.removeLeftover(at: path, address) {
    case .none: break
    case .notASocket: throw .notASocket(path)
    case .inUse: throw .alreadyRunning(path)
    case .failed(let number): throw .cannotListen(path, systemMessage(number))
    }
  }

  private static func makeFolder(of path: String) throws(ServiceProblem) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    do throws(FileError) {
      try Folder.make(folder, mode: 0o755, withParents: false)
    } catch {
      throw .cannotListen(path, "its folder cannot be made (\(error.cause ?? error.message))")
    }
  }
}

extension Problem where Kind == ServiceProblemCode {
  static func alreadyRunning(_ path: String) -> Self {
    Self(
      code: "alreadyRunning", message: "A service already listens on \(path).",
      hint: "Stop it, or give this one another place: --socket PATH.")
  }

  static func notASocket(_ path: String) -> Self {
    Self(
      code: "notASocket", message: "\(path) exists and is not a socket.",
      hint: "Remove it if it is not needed, or choose another place: --socket PATH.")
  }

  static func cannotListen(_ path: String, _ reason: String) -> Self {
    Self(
      code: "cannotListen", message: "The socket \(path) cannot be made: \(reason).",
      hint: "Check that the folder exists and that this user may write in it.")
  }

  /// The path is longer than the 107 bytes of `sun_path`.
  static func pathTooLong(_ path: String) -> Self {
    Self(
      code: "pathTooLong", message: "The socket's path is longer than the 107 bytes that the system allows: \(path).",
      hint: "Choose a shorter one: --socket PATH.")
  }
}
