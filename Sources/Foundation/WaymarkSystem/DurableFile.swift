import Glibc

/// Writes whole files, so that a crash or a power cut leaves either the old or the new file. `DraftFile` below is a
/// file that is written piece by piece.
package enum DurableFile {
  /// Replaces a file: writes a temporary file beside it, flushes and renames it, and flushes the folder.
  ///
  /// A link is replaced, not followed; a folder, pipe or device is refused. After an error the old file is unchanged, unless only
  /// flushing the folder failed.
  package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(FileError) {
    var there = stat()
    if lstat(path, &there) == 0, ![S_IFREG, S_IFLNK].contains(there.st_mode & S_IFMT) { throw notAFile(path) }
    // The name is constant, so that crashes leave at most one draft.
    try put(bytes, at: path, through: path + ".new", mode: mode, isExact: true)
    if let number = synchronizeFolder(of: path) { throw FileError(path, cannotBe: "written", number: number) }
  }

  /// Writes output to a path that a user named.
  ///
  /// A link is followed. A regular file is replaced and keeps its permissions; a pipe or a device is written into. After an error the
  /// old file is unchanged.
  package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    var there = stat()
    var place = path
    var mode: UInt32?
    if stat(path, &there) == 0 {
      let kind = there.st_mode & S_IFMT
      guard kind != S_IFDIR else { throw FileError(path, cannotBe: "written", number: EISDIR) }
      guard kind == S_IFREG else { return try pour(bytes, into: path) }
      // A read-only file is not replaced, even if the permissions of its folder allow it.
      guard access(path, W_OK) == 0 else { throw FileError(path, cannotBe: "written", number: errno) }
      mode = there.st_mode & 0o7777
    }
    if lstat(path, &there) == 0, there.st_mode & S_IFMT == S_IFLNK, let target = realpath(path, nil) {
      defer { free(target) }
      place = String(cString: target)
    }
    try put(bytes, at: place, through: "\(place).\(getpid()).tmp", mode: mode ?? 0o666, isExact: mode != nil)
    // The file is in place even if the folder cannot be flushed.
    _ = synchronizeFolder(of: place)
  }

  private static func notAFile(_ path: String) -> FileError {
    FileError(.notAFile, "\(path) exists and is not a file", hint: "Remove it, or name another place.")
  }

  /// - Parameter isExact: true to set the mode regardless of the umask.
  private static func put(
    _ bytes: [UInt8], at path: String, through temporary: String, mode: UInt32, isExact: Bool
  ) throws(FileError) {
    let draft = try DraftFile(path, through: temporary, mode: mode, isExact: isExact)
    try draft.append(bytes)
    try draft.publish()
  }

  private static func pour(_ bytes: [UInt8], into path: String) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(path, cannotBe: "written", number: errno) }
    var number = writeAll(descriptor, bytes)
    if close(descriptor) != 0, number == nil { number = errno }
    if let number { throw FileError(path, cannotBe: "written", number: number) }
  }

  /// Writes all bytes (write(2)).
  ///
  /// - Returns: `errno`, if it failed.
  package static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32? {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      done += count
    }
    return nil
  }

  /// Flushes the folder of `path`, so that its names survive a power cut.
  ///
  /// - Returns: `errno`, if it failed.
  package static func synchronizeFolder(of path: String) -> Int32? {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    // Some file systems cannot flush folders (EINVAL).
    return fsync(descriptor) == 0 || errno == EINVAL ? nil : errno
  }

  /// Returns the folder of a path.
  fileprivate static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Renames a damaged file to `path.damaged`.
  ///
  /// - Returns: the new path; nil if it cannot be renamed.
  @discardableResult package static func setAside(_ path: String) -> String? {
    let aside = path + ".damaged"
    return rename(path, aside) == 0 ? aside : nil
  }
}

/// A file that is written piece by piece and gets its name only when it is complete and flushed.
///
/// Until then it has no name at all (`O_TMPFILE`, open(2)), so that a process that is killed leaves no part of it behind. If the
/// file system does not support nameless files, or /proc is not mounted, the file has a temporary name in the same folder.
package final class DraftFile {
  private let path: String
  private let temporary: String
  private let mode: UInt32
  private let isExact: Bool
  /// True while the file has no name.
  private var isNameless: Bool
  /// The descriptor of the draft; -1 after `publish`.
  private var descriptor: Int32

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - path: the final path; a link there is replaced.
  ///   - mode: the permissions.
  ///   - isExact: true to set the permissions regardless of the umask.
  package convenience init(_ path: String, mode: UInt32 = 0o666, isExact: Bool = false) throws(FileError) {
    try self.init(path, through: "\(path).\(getpid()).tmp", mode: mode, isExact: isExact)
  }

  fileprivate init(_ path: String, through temporary: String, mode: UInt32, isExact: Bool) throws(FileError) {
    self.path = path
    self.temporary = temporary
    self.mode = mode
    self.isExact = isExact
    // A crash may have left the temporary file behind.
    unlink(temporary)
    descriptor = -1
    isNameless = access("/proc/self/fd", F_OK) == 0
    if isNameless {
      descriptor = open(DurableFile.folder(of: path), Self.nameless | O_WRONLY | O_CLOEXEC, mode)
      isNameless = descriptor >= 0
    }
    if descriptor < 0 {
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    }
    guard descriptor >= 0 else { throw FileError(path, cannotBe: "written", number: errno) }
  }

  /// `O_TMPFILE`, a macro that Swift does not import: its own bit together with `O_DIRECTORY`.
  private static let nameless: Int32 = 0o20_000_000 | O_DIRECTORY

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isNameless { unlink(temporary) }
  }

  package func append(_ bytes: [UInt8]) throws(FileError) {
    if let number = DurableFile.writeAll(descriptor, bytes) {
      throw FileError(path, cannotBe: "written", number: number)
    }
  }

  /// Flushes the file and gives it its name, replacing a file of the same name. Afterwards, the file cannot be extended.
  package func publish() throws(FileError) {
    var number: Int32?
    if isExact, fchmod(descriptor, mode) != 0 { number = errno }
    if number == nil, fsync(descriptor) != 0 { number = errno }
    var isInPlace = false
    if number == nil, isNameless {
      let source = "/proc/self/fd/\(descriptor)"
      // linkat(2) does not replace a file, so the draft gets a temporary name and is renamed below.
      isInPlace = linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
      if !isInPlace {
        number = errno == EEXIST ? nil : errno
        if number == nil, linkat(AT_FDCWD, source, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) != 0 { number = errno }
        isNameless = number != nil
      }
    }
    if close(descriptor) != 0, number == nil { number = errno }
    descriptor = -1
    if number == nil, !isInPlace, rename(temporary, path) != 0 { number = errno }
    if let number {
      if !isNameless { unlink(temporary) }
      throw FileError(path, cannotBe: "written", number: number)
    }
  }
}
