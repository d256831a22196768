import Glibc

/// Small files of state, written so that a crash or a power cut leaves the old or the whole new one.
enum DurableFile {
  /// Writes beside the file, synchronises, renames, and synchronises the folder.
  ///
  /// - Returns: `errno` of what failed, and then the old file is as it was; `nil` when it is written.
  static func replace(_ path: String, with bytes: [UInt8]) -> Int32? {
    let temporary = path + ".new"
    // One that a crash left behind is written over.
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return errno }
    var code: Int32?
    if writeAll(descriptor, bytes) || fsync(descriptor) != 0 { code = errno }
    close(descriptor)
    if code == nil, rename(temporary, path) != 0 { code = errno }
    guard code == nil else {
      unlink(temporary)
      return code
    }
    return synchronizeFolder(of: path)
  }

  /// Writes every byte; whether that failed.
  static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + done, bytes.count - done) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return true }
      done += count
    }
    return false
  }

  /// Makes the names in the folder of `path` survive a power cut.
  ///
  /// - Returns: `errno` when that failed.
  static func synchronizeFolder(of path: String) -> Int32? {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 ? nil : errno
  }

  /// Puts a damaged file out of the way, in place of one that was put there before.
  ///
  /// - Returns: its new path; `nil` when it could not be moved.
  static func setAside(_ path: String) -> String? {
    let aside = path + ".damaged"
    return rename(path, aside) == 0 ? aside : nil
  }
}
