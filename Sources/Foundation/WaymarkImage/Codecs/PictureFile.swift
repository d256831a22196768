import WaymarkSystem

/// Reads picture files whole, never more of them than `byteLimit`.
package enum PictureFile {
  /// 512 MB: more than the largest picture within the pixel limit needs in any sensible form.
  package static let byteLimit = 512 << 20

  /// The bytes of a file; also of a pipe or a device, up to the limit.
  ///
  /// - Throws: `cannotOpen`, `fileTooLarge`.
  package static func read(_ path: String, limit: Int = byteLimit) throws(ImageError) -> [UInt8] {
    do throws(FileError) {
      return try WholeFile.read(path, limit: limit, kind: .any)
    } catch {
      throw imageError(error, limit)
    }
  }

  /// All that comes out of standard input.
  package static func readStandardInput(limit: Int = byteLimit) throws(ImageError) -> [UInt8] {
    do throws(FileError) {
      return try WholeFile.readStandardInput(limit: limit)
    } catch {
      throw imageError(error, limit)
    }
  }

  /// As the commands tell it, which name the file in front of the message.
  private static func imageError(_ error: FileError, _ limit: Int) -> ImageError {
    guard error.code == .tooLarge else {
      return ImageError(
        .cannotOpen, "it cannot be read: \(error.cause ?? error.message)", hint: error.hint, cause: error.cause)
    }
    return ImageError(
      .fileTooLarge, "it has more than \(limit >> 20) MB",
      hint: "If it is a picture, scale it down.")
  }
}
