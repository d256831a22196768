import Glibc
import NIOPosix
import WaymarkProtocol

/// Reads picture files off the loop.
enum PictureFile {
  /// No picture for a screen is larger.
  static let limit = 64 << 20

  /// A whole file.
  static func read(_ path: String) async throws -> [UInt8] {
    try await NIOThreadPool.singleton.runIfActive {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { throw unreadable }
      defer { close(descriptor) }
      return try bytes(of: descriptor)
    }
  }

  static let unreadable = ServiceError(
    .badPicture, "The picture cannot be read.", hint: "Check that the file is still there and who may read it.")

  /// What a descriptor of a regular file holds.
  static func bytes(of descriptor: CInt) throws -> [UInt8] {
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { throw unreadable }
    guard information.st_size <= limit else {
      throw ServiceError(.badPicture, "The picture is larger than \(limit >> 20) MiB.", hint: "Make it smaller.")
    }
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(information.st_size)) { buffer, count in
      while count < buffer.count {
        let got = Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
        if got < 0, errno == EINTR { continue }
        failed = got < 0
        if got <= 0 { break }
        count += got
      }
    }
    if failed { throw unreadable }
    return bytes
  }
}
