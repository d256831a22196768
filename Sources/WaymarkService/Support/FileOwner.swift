import Glibc

/// Who owns files.
enum FileOwner {
  /// The group of a file; `nil` when there is none.
  static func group(of path: String) -> UInt32? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_gid : nil
  }
}
