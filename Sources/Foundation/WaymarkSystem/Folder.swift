import Glibc

/// Creates and lists folders. `FolderLock` below reserves a folder for one process.
package enum Folder {
  /// Returns the names in a folder, unsorted.
  package static func names(_ path: String) throws(FileError) -> [String] {
    guard let directory = opendir(path) else { throw FileError(path, cannotBe: "listed", number: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      // `d_name` is an array that ends with a NUL.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Creates a folder, unless it exists.
  ///
  /// - Parameters:
  ///   - mode: the permissions of every folder that is created.
  ///   - isExact: true to set the permissions regardless of the umask.
  ///   - withParents: true to create missing parent folders as well.
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

  /// Creates a new folder that only this user may use (mkdtemp(3)), and returns its path.
  ///
  /// - Parameters:
  ///   - parent: the folder in which it is created.
  ///   - prefix: the beginning of its name, to which six characters are added.
  package static func makeTemporary(in parent: String, prefix: String) throws(FileError) -> String {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw FileError(parent, cannotBe: "written in", number: errno) }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Returns why this user could not write files in a folder after `make`, which creates it if it is missing; nil if nothing prevents
  /// it. Creates nothing.
  ///
  /// A folder that another user than root and this one owns counts as usable although access is denied, because the service for which
  /// the folder is checked may run as its owner.
  ///
  /// - Parameter withParents: true if missing parent folders would be created as well.
  package static func obstacle(_ path: String, withParents: Bool = true) -> FileError? {
    var (folder, missing) = (path, 0)
    while true {
      var information = stat()
      if stat(folder, &information) == 0 {
        guard information.st_mode & S_IFMT == S_IFDIR else {
          return FileError(path, cannotBe: "used as a folder", number: ENOTDIR)
        }
        if missing > (withParents ? .max : 1) { return FileError(path, cannotBe: "made", number: ENOENT) }
        if isKernels(information.st_dev) { return FileError(path, cannotBe: "made", number: EPERM) }
        if access(folder, W_OK | X_OK) == 0 { return nil }
        let number = errno
        if number == EACCES, information.st_uid != 0, information.st_uid != geteuid() { return nil }
        return FileError(path, cannotBe: missing == 0 ? "written in" : "made", number: number)
      }
      let number = errno
      // In a folder that this user may not search, the folders inside are hidden.
      guard number == ENOENT || number == EACCES, !folder.isEmpty, folder != "." else {
        return FileError(path, cannotBe: "made", number: number)
      }
      // mkdir(2) does not follow a link.
      if number == ENOENT, lstat(folder, &information) == 0 {
        return FileError(path, cannotBe: "made", number: EEXIST)
      }
      if number == ENOENT { missing += 1 }
      folder = parent(of: folder)
    }
  }

  /// Returns whether a device is the device of /proc or /sys. There, access(2) permits root to write, although folders cannot be
  /// made.
  private static func isKernels(_ device: dev_t) -> Bool {
    ["/proc", "/sys"].contains { root in
      var information = stat()
      return stat(root, &information) == 0 && information.st_ino == 1 && information.st_dev == device
    }
  }

  /// Returns whether a path is a missing folder in /run. systemd makes such a folder when the unit that uses it starts.
  package static func isRuntime(_ path: String) -> Bool { path.hasPrefix("/run/") && FileKind(path) == nil }

  /// Returns the folder that contains a file or folder; `.` for a name alone.
  package static func parent(of path: String) -> String {
    let folder = path.deletingLastPathComponent
    return folder.isEmpty ? "." : folder
  }

  private static func setMode(_ path: String, _ mode: UInt32?) throws(FileError) {
    if let mode, chmod(path, mode) != 0 { throw FileError(path, cannotBe: "made", number: errno) }
  }
}

/// The exclusive use of a folder: a lock on the file `lock` in it (flock(2)), held for the lifetime of this object.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Locks a folder, which must exist.
  ///
  /// - Parameter isPrivate: true to refuse a folder of another user, and to remove the permissions of other users.
  /// - Throws: `inUse` while another process holds the lock; `notPermitted` for a private folder of another user.
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
