import Glibc

/// Reads picture files whole, never more of them than `byteLimit`.
package enum PictureFile {
  /// 512 MB: more than the largest picture within the pixel limit needs in any sensible form.
  package static let byteLimit = 512 << 20

  /// The bytes of a file; also of a pipe or a device, up to the limit.
  ///
  /// - Throws: `cannotOpen`, `fileTooLarge`.
  package static func read(_ path: String, limit: Int = byteLimit) throws(ImageError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw cannotOpen(errno) }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, limit: limit)
  }

  /// All that comes out of standard input.
  package static func readStandardInput(limit: Int = byteLimit) throws(ImageError) -> [UInt8] {
    try read(descriptor: STDIN_FILENO, limit: limit)
  }

  private static func read(descriptor: Int32, limit: Int) throws(ImageError) -> [UInt8] {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw cannotOpen(errno) }
    let kind = information.st_mode & S_IFMT
    guard kind != S_IFDIR else { throw cannotOpen(EISDIR) }
    let size = kind == S_IFREG ? Int(information.st_size) : 0
    guard size <= limit else { throw tooLarge(limit) }

    // One byte more than a regular file has, so that its end is seen without growing.
    var bytes = [UInt8](repeating: 0, count: max(size + 1, 64 << 10))
    var count = 0
    while true {
      let room = bytes.count - count
      let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, room) }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0 else { throw cannotOpen(errno) }
      if got == 0 { break }
      count += got
      guard count <= limit else { throw tooLarge(limit) }
      if count == bytes.count { bytes.append(contentsOf: repeatElement(0, count: count)) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  private static func cannotOpen(_ number: Int32) -> ImageError {
    let hint =
      switch number {
      case ENOENT, ENOTDIR: "Check how it is spelt."
      case EACCES, EPERM: "Give this user the right to read it."
      case EISDIR: "It is a folder."
      default: "Check the file and the medium it is on."
      }
    return ImageError(.cannotOpen, "it cannot be read: \(String(cString: strerror(number)))", hint: hint)
  }

  private static func tooLarge(_ limit: Int) -> ImageError {
    ImageError(
      .fileTooLarge, "it has more than \(limit >> 20) MB",
      hint: "That is no picture worth reading; if it is one, scale it down.")
  }
}
