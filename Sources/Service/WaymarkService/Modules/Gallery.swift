import Glibc
import NIOPosix
import WaymarkImage
import WaymarkProtocol
package import WaymarkServer
import WaymarkSystem

/// Serves `gallery.list`, and opens the files for `media.gallery` and `gallery.scan`. `Gallery` below lists the
/// pictures, and `OpenPicture` is an open one.
@ServiceActor
package final class GalleryModule: ServiceModule {
  private var gallery: Gallery

  package init(folders: [String]) { gallery = Gallery(folders: folders) }

  /// Uses other folders from now on; the ids of the previous folders become invalid.
  package func use(_ folders: [String]) {
    if folders != gallery.folders { gallery = Gallery(folders: folders) }
  }

  package var features: [String] { gallery.folders.isEmpty ? [] : ["gallery"] }

  nonisolated static let notConfigured = ServiceError(
    .notConfigured, "No folder of pictures is configured.", hint: "Name folders under gallery.folders.")
  private nonisolated static let notFound = ServiceError(
    .notFound, "There is no picture of this id.", hint: "Call gallery.list again: the picture may have been removed.")

  package func open(_ id: String) async throws -> OpenPicture {
    guard !gallery.folders.isEmpty else { throw Self.notConfigured }
    let gallery = gallery
    guard let file = try await NIOThreadPool.singleton.runIfActive({ try gallery.open(id) }) else {
      throw Self.notFound
    }
    return file
  }

  package func register(in methods: inout MethodTable) {
    methods.addLater(GalleryListRequest.self) { [self] request, _ in
      guard !gallery.folders.isEmpty else { throw Self.notConfigured }
      let (gallery, limit) = (gallery, request.limit ?? 50)
      return {
        let entries = try await NIOThreadPool.singleton.runIfActive { try gallery.entries() }
        var first = 0
        if let after = request.after {
          guard let index = entries.firstIndex(where: { $0.id == after }) else { throw Self.notFound }
          first = index + 1
        }
        let page = entries[first...].prefix(limit)
        return GalleryListResult(
          pictures: page.map { entry in
            GalleryPicture(
              id: entry.id, name: entry.name, size: entry.size, modified: WallClock.timestamp(seconds: entry.modified))
          }, next: first + page.count < entries.count ? page.last?.id : nil)
      }
    }
  }
}

// MARK: - Folders and files

/// The pictures in a list of folders, identified by ids that reveal no paths.
///
/// Subfolders and links are ignored, so that no file outside the folders can be read.
struct Gallery: Sendable {
  struct Entry: Sendable, Hashable {
    let id: String
    let folder: Int
    /// The file's name as bytes, which need not be UTF-8.
    let file: [UInt8]
    /// The file's name as text, with invalid bytes replaced.
    let name: String
    let size: Int
    let modified: Int
  }

  let folders: [String]
  private let key: UInt64

  /// Creates a gallery of `folders`. The ids of its pictures depend on `key`, so they are invalid in any other gallery.
  init(folders: [String], key: UInt64 = .random(in: .min ... .max)) {
    self.folders = folders
    self.key = key
  }

  /// Returns the pictures of all folders, the newest first. A missing folder has no pictures.
  ///
  /// - Throws: `ServiceError` if the process lacks a resource such as file descriptors.
  func entries() throws -> [Entry] {
    var entries: [Entry] = []
    for (index, folder) in folders.enumerated() {
      guard let directory = opendir(folder) else {
        if errno == EMFILE || errno == ENFILE || errno == ENOMEM { throw Self.exhausted(errno) }
        continue
      }
      defer { closedir(directory) }
      while let item = readdir(directory) {
        // File names need not be UTF-8: the bytes identify the file; the text is shown and has the extension.
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

  /// Returns the id of a file: the FNV-1a hash of the key, the folder's index and the name. The id cannot be converted back to a
  /// path.
  private func id(_ folder: Int, _ name: [UInt8]) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ key
    for byte in Array("\(folder)/".utf8) + name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return String(hash, radix: 36)
  }

  /// Opens a picture; `nil` if no picture has this id.
  ///
  /// - Throws: `badPicture` if the file cannot be read, is a link or is too large; or the error of listing the folders.
  func open(_ id: String) throws -> OpenPicture? {
    guard let entry = try entries().first(where: { $0.id == id }) else { return nil }
    // The name was just read from this folder. If a link has replaced the file since then, the link is not followed.
    return try OpenPicture(entry.file, in: folders[entry.folder])
  }
}

/// An open picture file, whose size is known before it is read. Its errors reveal no paths.
package struct OpenPicture: Sendable {
  /// The maximum size of a file in bytes, more than any picture for a screen needs.
  static let limit = 64 << 20

  private let file: OpenFile
  var size: Int { file.size }

  /// Opens a file on another thread; fails for a link.
  static func open(_ path: String) async throws -> OpenPicture {
    try await NIOThreadPool.singleton.runIfActive {
      try OpenPicture { () throws(FileError) in try OpenFile(path, limit: limit) }
    }
  }

  /// Opens a file directly in a folder; fails for a link.
  init(_ name: [UInt8], in folder: String) throws {
    try self.init { () throws(FileError) in try OpenFile(name, in: folder, limit: Self.limit) }
  }

  private init(_ open: () throws(FileError) -> OpenFile) throws {
    do throws(FileError) {
      file = try open()
    } catch {
      throw Self.refusal(error)
    }
  }

  /// Reads the file, up to the size that it had when it was opened. Blocks.
  ///
  /// - Throws: `badPicture` if reading fails.
  func read() throws -> [UInt8] {
    do throws(FileError) {
      return try file.read()
    } catch {
      throw Self.refusal(error)
    }
  }

  private static func refusal(_ error: FileError) -> ServiceError {
    guard error.code == .tooLarge else {
      return ServiceError(
        .badPicture, "The picture cannot be read.",
        hint: "Check that the file exists and that the service's user may read it.")
    }
    return ServiceError(.badPicture, "The picture is larger than \(limit >> 20) MiB.", hint: "Make it smaller.")
  }
}
