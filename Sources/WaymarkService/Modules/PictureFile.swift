import Glibc
import NIOPosix
import WaymarkProtocol

/// A picture file that is open: its size is known before a byte of it is read.
package final class PictureFile: Sendable {
  /// No picture for a screen is larger.
  static let limit = 64 << 20

  private let descriptor: CInt
  /// Its bytes.
  let size: Int

  static let unreadable = ServiceError(
    .badPicture, "The picture cannot be read.", hint: "Check that the file is still there and who may read it.")

  /// Takes over what was just opened; -1 is what could not be.
  init(taking descriptor: CInt) throws {
    var information = stat()
    guard descriptor >= 0, fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      if descriptor >= 0 { close(descriptor) }
      throw Self.unreadable
    }
    guard information.st_size <= Self.limit else {
      close(descriptor)
      throw ServiceError(.badPicture, "The picture is larger than \(Self.limit >> 20) MiB.", hint: "Make it smaller.")
    }
    self.descriptor = descriptor
    size = Int(information.st_size)
  }

  deinit { close(descriptor) }

  /// Opens a file, off the loop.
  static func open(_ path: String) async throws -> PictureFile {
    try await NIOThreadPool.singleton.runIfActive {
      try PictureFile(taking: Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
    }
  }

  /// All of it, as far as it was when it was opened. Blocks.
  func read() throws -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < buffer.count {
        let got = pread(descriptor, buffer.baseAddress! + count, buffer.count - count, count)
        if got < 0, errno == EINTR { continue }
        failed = got < 0
        if got <= 0 { break }
        count += got
      }
    }
    if failed { throw Self.unreadable }
    return bytes
  }
}
