import NIOPosix
import WaymarkProtocol
import WaymarkSystem

/// A picture file that is open: its size is known before a byte of it is read. Clients are told nothing of paths.
package struct OpenPicture: Sendable {
  /// No picture for a screen is larger.
  static let limit = 64 << 20

  private let file: OpenFile
  /// Its bytes.
  var size: Int { file.size }

  /// Opens a file that is not a link, off the loop.
  static func open(_ path: String) async throws -> OpenPicture {
    try await NIOThreadPool.singleton.runIfActive {
      try OpenPicture { () throws(FileError) in try OpenFile(path, limit: limit) }
    }
  }

  /// Opens a file that lies in a folder itself.
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

  /// All of it, as far as it was when it was opened. Blocks.
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
