import CSignals
import Glibc
import WaymarkSystem

/// A bound and listening Unix socket. Unless it was handed over, its file goes when this goes.
package struct ListeningSocket: ~Copyable, Sendable {
  /// Where it listens.
  package let path: String
  /// True if another process made it and keeps it.
  let isInherited: Bool
  private var descriptor: CInt
  private let identity: (device: dev_t, inode: ino_t)?

  /// The socket that a supervisor handed over.
  package init(inherited descriptor: CInt, path: String) {
    self.descriptor = descriptor
    self.path = path
    isInherited = true
    identity = nil
  }

  /// A new socket at `path`. One that is left over from a dead process is replaced, but only after a connect to it
  /// was refused.
  ///
  /// - Parameters:
  ///   - mode: its permissions.
  ///   - group: who may connect besides the owner.
  package init(path: String, mode: UInt32 = 0o660, group: UInt32? = nil) throws(ServiceProblem) {
    guard let address = SocketFile.address(path) else { throw .pathTooLong(path) }
    try Self.clear(path, address)
    try Self.makeFolder(of: path)
    let descriptor = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .cannotListen(path, systemMessage(errno)) }
    // Told to end from here on, the process does so when the file is known, and removes it.
    csignals_hold()
    var isMade = false
    defer { csignals_release(isMade ? path : nil) }
    // Between bind and chmod nobody else may get in: the file is born with no more than its final rights.
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

  /// Connects that wait to be accepted: a site's whole crowd after a restart. The kernel takes `net.core.somaxconn` where that is less.
  static let backlog: CInt = 1024

  /// Sets how many connects wait, also on a socket that another process made.
  func setBacklog(of descriptor: CInt) { _ = listen(descriptor, Self.backlog) }

  /// The descriptor; the caller owns it from now on.
  mutating func takeDescriptor() -> CInt {
    defer { descriptor = -1 }
    return descriptor
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    removeFile()
  }

  /// Takes the file away, unless it is systemd's.
  func removeFile() {
    guard !isInherited, let identity else { return }
    // Another service may have taken the place meanwhile: only what was made here is removed.
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
