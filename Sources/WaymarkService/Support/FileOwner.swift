import Glibc

/// Who owns files.
enum FileOwner {
  /// Whether `path` is a folder.
  static func isFolder(_ path: String) -> Bool {
    var information = stat()
    return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }

  /// The group of a file; `nil` when there is none.
  static func group(of path: String) -> UInt32? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_gid : nil
  }
}
