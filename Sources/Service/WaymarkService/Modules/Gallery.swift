import Glibc
import WaymarkImage
import WaymarkProtocol
import WaymarkSystem

/// The pictures in some folders, by ids that tell nothing about paths.
///
/// Only files that lie in a folder itself: no subfolders, no links, so that nothing outside can be reached.
struct Gallery: Sendable {
  /// A picture.
  struct Entry: Sendable, Hashable {
    let id: String
    let folder: Int
    /// The file's name as the system knows it.
    let file: [UInt8]
    /// The same as far as it is text.
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

  /// All pictures, newest first.
  ///
  /// - Throws: `ServiceError` when the service itself is short of something; a folder that is not there is empty.
  func entries() throws -> [Entry] {
    var entries: [Entry] = []
    for (index, folder) in folders.enumerated() {
      guard let directory = opendir(folder) else {
        if errno == EMFILE || errno == ENFILE || errno == ENOMEM { throw Self.exhausted(errno) }
        continue
      }
      defer { closedir(directory) }
      while let item = readdir(directory) {
        // A name is bytes, whatever they mean: only what people see of it is text.
        let name = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        let shown = String(decoding: name, as: UTF8.self)
        guard name.first != UInt8(ascii: "."), let dot = shown.lastIndex(of: "."),
          PictureFormat.endings.union(ConvertedFormat.endings).contains(shown[shown.index(after: dot)...].lowercased())
        else { continue }
        var information = stat()
        guard
          Self.withPath(name, { fstatat(dirfd(directory), $0, &information, AT_SYMLINK_NOFOLLOW) }) == 0,
          information.st_mode & S_IFMT == S_IFREG
        else { continue }
        entries.append(
          Entry(
            id: id(index, name), folder: index, file: name, name: shown, size: Int(information.st_size),
            modified: information.st_mtim.tv_sec))
      }
    }
    return entries.sorted { ($1.modified, $0.name, $0.id) < ($0.modified, $1.name, $1.id) }
  }

  private static func withPath<T>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> T) -> T {
    (name.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { body($0.baseAddress!) }
  }

  private static func exhausted(_ code: CInt) -> ServiceError {
    ServiceError(
      .internalError, "The folders of pictures cannot be listed: \(systemMessage(code)).",
      hint: "Close other clients, or raise LimitNOFILE.")
  }

  /// FNV-1a over a key of this run, folder and name: an id says nothing and cannot be made up into a path.
  private func id(_ folder: Int, _ name: [UInt8]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ key
    for byte in Array("\(folder)/".utf8) + name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return String(hash, radix: 36)
  }

  /// Opens a picture; `nil` when no picture has this id.
  func open(_ id: String) throws -> OpenPicture? {
    guard let entry = try entries().first(where: { $0.id == id }) else { return nil }
    // The name came from this very folder; a link that took its place meanwhile is not followed.
    return try OpenPicture(entry.file, in: folders[entry.folder])
  }
}
