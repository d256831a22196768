import Glibc

/// Makes folders and lists them.
package enum Folder {
  /// The names in a folder, in no order.
  package static func names(_ path: String) throws(FileError) -> [String] {
    guard let directory = opendir(path) else { throw FileError(path, cannotBe: "listed", number: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // The name is the struct's last member: an array that ends with a NUL.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes a folder; one that is there already stays as it is.
  ///
  /// - Parameters:
  ///   - mode: the permissions of every folder that is made.
  ///   - isExact: gives the folder these permissions whatever the umask says.
  ///   - withParents: makes the folders above it too.
  package static func make(
    _ path: String, mode: UInt32 = 0o700, isExact: Bool = false, withParents: Bool = true
  ) throws(FileError) {
    guard !path.isEmpty else { throw FileError(path, cannotBe: "made", number: ENOENT) }
    if mkdir(path, mode) != 0 {
      if errno == ENOENT, withParents, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        try make(String(path[..<slash]), mode: mode)
        guard mkdir(path, mode) != 0 else { return try setMode(path, isExact ? mode : nil) }
      }
      let number = errno
      guard number == EEXIST else { throw FileError(path, cannotBe: "made", number: number) }
      guard FileKind(path) == .folder else { throw FileError(path, cannotBe: "made", number: ENOTDIR) }
      return
    }
    try setMode(path, isExact ? mode : nil)
  }

  private static func setMode(_ path: String, _ mode: UInt32?) throws(FileError) {
    if let mode, chmod(path, mode) != 0 { throw FileError(path, cannotBe: "made", number: errno) }
  }
}

/// A folder of state that one process at a time may use: held by a lock on the file `lock` in it until nobody refers to this object.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes the folder, which must be there.
  ///
  /// - Parameter isPrivate: refuses a folder of another user, and takes other users' permissions away from it.
  /// - Throws: with the code `inUse` while another process holds it.
  package init(_ folder: String, isPrivate: Bool = false) throws(FileError) {
    if isPrivate { try Self.claim(folder) }
    let path = folder + "/lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FileError(path, cannotBe: "made", number: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      close(descriptor)
      guard number == EWOULDBLOCK else { throw FileError(path, cannotBe: "locked", number: number) }
      throw FileError(.inUse, "\(folder) is used by another process", hint: "End it, or name another folder.")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  private static func claim(_ folder: String) throws(FileError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw FileError(folder, cannotBe: "opened", number: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileError(folder, cannotBe: "opened", number: errno) }
    guard status.st_uid == geteuid() else {
      throw FileError(
        .notPermitted, "\(folder) belongs to another user", hint: "Name a folder of this user's own.",
        cause: "it belongs to another user")
    }
    guard status.st_mode & 0o077 == 0 || fchmod(descriptor, 0o700) == 0 else {
      throw FileError(folder, cannotBe: "opened", number: errno)
    }
  }
}
