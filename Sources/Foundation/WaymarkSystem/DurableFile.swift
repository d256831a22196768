import Glibc

/// Writes files as a whole, so that a crash or a power cut leaves the old or the new one: the one writer.
package enum DurableFile {
  /// Puts a file of state in place of the one before: beside it, flushed, renamed, and the folder flushed too.
  ///
  /// A link there is replaced, not followed. What is neither a file nor a link is refused. After an error the old file is
  /// as it was, but for one in flushing the folder.
  package static func replace(_ path: String, with bytes: [UInt8], mode: UInt32 = 0o600) throws(FileError) {
    var there = stat()
    if lstat(path, &there) == 0, ![S_IFREG, S_IFLNK].contains(there.st_mode & S_IFMT) { throw notAFile(path) }
    // One that a crash left behind is replaced: the name is always the same, so that none pile up.
    try put(bytes, at: path, through: path + ".new", mode: mode, isExact: true)
    if let number = synchronizeFolder(of: path) { throw FileError(path, cannotBe: "written", number: number) }
  }

  /// Writes what a person asked for to the path that they named.
  ///
  /// A link is followed. A file is replaced as a whole and keeps its permissions. Into what is not a file, such as a pipe or a
  /// device, the bytes are written: it is never replaced by a file. After an error the old file is as it was.
  package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    var there = stat()
    var place = path
    var mode: UInt32?
    if stat(path, &there) == 0 {
      let kind = there.st_mode & S_IFMT
      guard kind != S_IFDIR else { throw FileError(path, cannotBe: "written", number: EISDIR) }
      guard kind == S_IFREG else { return try pour(bytes, into: path) }
      // Read-only files are left alone, though their folder would allow to replace them.
      guard access(path, W_OK) == 0 else { throw FileError(path, cannotBe: "written", number: errno) }
      mode = there.st_mode & 0o7777
    }
    if lstat(path, &there) == 0, there.st_mode & S_IFMT == S_IFLNK, let target = realpath(path, nil) {
      defer { free(target) }
      place = String(cString: target)
    }
    try put(bytes, at: place, through: "\(place).\(getpid()).tmp", mode: mode ?? 0o666, isExact: mode != nil)
    // The file is there as it should be: a folder that cannot be flushed is not a reason to say that it is not.
    _ = synchronizeFolder(of: place)
  }

  private static func notAFile(_ path: String) -> FileError {
    FileError(.notAFile, "\(path) exists and is not a file", hint: "Remove it, or name another place.")
  }

  /// - Parameter isExact: whether the mode is meant whatever the umask says.
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

  /// Writes every byte.
  ///
  /// - Returns: `errno` when that failed.
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

  /// Makes the names in the folder of `path` survive a power cut.
  ///
  /// - Returns: `errno` when that failed.
  package static func synchronizeFolder(of path: String) -> Int32? {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    // Some file systems cannot flush folders; nothing is lost by that but the guarantee.
    return fsync(descriptor) == 0 || errno == EINVAL ? nil : errno
  }

  /// The folder in which `path` names a file.
  fileprivate static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Puts a damaged file out of the way, in place of one that was put there before.
  ///
  /// - Returns: its new path; `nil` when it could not be moved.
  @discardableResult package static func setAside(_ path: String) -> String? {
    let aside = path + ".damaged"
    return rename(path, aside) == 0 ? aside : nil
  }
}

/// A file that is written piece by piece and takes its name when it is whole and on the disk, or never.
///
/// Until then it has no name at all (`O_TMPFILE`, open(2)), so that a process that is killed leaves nothing of it behind, least of all in the
/// clear. Where the file system has no nameless files, or /proc is not mounted, it is written under a temporary name beside its place.
package final class DraftFile {
  private let path: String
  private let temporary: String
  private let mode: UInt32
  private let isExact: Bool
  /// True as long as it has no name.
  private var isNameless: Bool
  /// -1 once it has its name.
  private var descriptor: Int32

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - path: the name that it will have; a link there is replaced.
  ///   - mode: its permissions.
  ///   - isExact: whether they are meant whatever the umask says.
  package convenience init(_ path: String, mode: UInt32 = 0o666, isExact: Bool = false) throws(FileError) {
    try self.init(path, through: "\(path).\(getpid()).tmp", mode: mode, isExact: isExact)
  }

  fileprivate init(_ path: String, through temporary: String, mode: UInt32, isExact: Bool) throws(FileError) {
    self.path = path
    self.temporary = temporary
    self.mode = mode
    self.isExact = isExact
    // One that a crash left behind, of a version or on a file system that needs the name.
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

  /// `O_TMPFILE`, which is a macro that Swift does not see: the bit of its own, and `O_DIRECTORY`.
  private static let nameless: Int32 = 0o20_000_000 | O_DIRECTORY

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isNameless { unlink(temporary) }
  }

  /// Writes behind what is there.
  package func append(_ bytes: [UInt8]) throws(FileError) {
    if let number = DurableFile.writeAll(descriptor, bytes) {
      throw FileError(path, cannotBe: "written", number: number)
    }
  }

  /// Flushes it and gives it its name, in place of what was there. Nothing is written after that.
  package func publish() throws(FileError) {
    var number: Int32?
    if isExact, fchmod(descriptor, mode) != 0 { number = errno }
    if number == nil, fsync(descriptor) != 0 { number = errno }
    var isInPlace = false
    if number == nil, isNameless {
      let source = "/proc/self/fd/\(descriptor)"
      // A link never replaces what is there: that takes a name beside it, and the next step.
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
