import Glibc

/// The pictures in some folders, by ids that tell nothing about paths.
///
/// Only files that lie in a folder itself: no subfolders, no links, so that nothing outside can be reached.
struct Gallery: Sendable {
  /// A picture.
  struct Entry: Sendable, Hashable {
    let id: String
    let folder: Int
    let name: String
    let size: Int
    let modified: Int
  }

  let folders: [String]
  private let key: UInt64

  /// The galleries in `folders`; their ids hold for this run of the service.
  init(folders: [String], key: UInt64 = .random(in: .min ... .max)) {
    self.folders = folders
    self.key = key
  }

  private static let kinds: Set<String> = ["jpg", "jpeg", "png", "webp", "pnm", "pgm", "ppm", "pbm"]

  /// All pictures, newest first.
  func entries() -> [Entry] {
    var entries: [Entry] = []
    for (index, folder) in folders.enumerated() {
      guard let directory = opendir(folder) else { continue }
      defer { closedir(directory) }
      while let item = readdir(directory) {
        let name = withUnsafePointer(to: &item.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        guard !name.hasPrefix("."), let dot = name.lastIndex(of: "."),
          Self.kinds.contains(name[name.index(after: dot)...].lowercased())
        else { continue }
        var information = stat()
        guard fstatat(dirfd(directory), name, &information, AT_SYMLINK_NOFOLLOW) == 0,
          information.st_mode & S_IFMT == S_IFREG
        else { continue }
        entries.append(
          Entry(
            id: id(index, name), folder: index, name: name, size: Int(information.st_size),
            modified: information.st_mtim.tv_sec))
      }
    }
    return entries.sorted { ($1.modified, $0.name, $0.id) < ($0.modified, $1.name, $1.id) }
  }

  /// FNV-1a over a key of this run, folder and name: an id says nothing and cannot be made up into a path.
  private func id(_ folder: Int, _ name: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ key
    for byte in "\(folder)/\(name)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return String(hash, radix: 36)
  }

  /// The bytes of a picture; `nil` when there is none of this id.
  func bytes(of id: String) throws -> [UInt8]? {
    guard let entry = entries().first(where: { $0.id == id }) else { return nil }
    let directory = open(folders[entry.folder], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw PictureFile.unreadable }
    defer { close(directory) }
    // The name came from this very folder; a link that took its place meanwhile is not followed.
    let descriptor = openat(directory, entry.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw PictureFile.unreadable }
    defer { close(descriptor) }
    return try PictureFile.bytes(of: descriptor)
  }
}
