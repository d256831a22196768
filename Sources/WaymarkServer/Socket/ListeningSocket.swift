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
    var address = try Self.address(path)
    try Self.clear(path, &address)
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
    let bound = withUnsafePointer(to: &address) {
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

  /// The address of `path`.
  static func address(_ path: String) throws(ServiceProblem) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .pathTooLong(path) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  private static func clear(_ path: String, _ address: inout sockaddr_un) throws(ServiceProblem) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return }
    guard information.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path) }
    let probe = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard probe >= 0 else { throw .cannotListen(path, systemMessage(errno)) }
    defer { close(probe) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(probe, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    // EAGAIN means a full queue of a living listener; EACCES tells nothing, so the file stays.
    guard result != 0, errno == ECONNREFUSED else { throw .alreadyRunning(path) }
    guard unlink(path) == 0 || errno == ENOENT else { throw .cannotListen(path, systemMessage(errno)) }
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
