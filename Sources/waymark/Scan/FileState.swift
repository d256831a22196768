/// The size and time of a file: as long as both stay, so does the file.
struct FileState: Codable, Hashable {
  let size: Int
  /// In nanoseconds since 1970.
  let modified: Int
}
