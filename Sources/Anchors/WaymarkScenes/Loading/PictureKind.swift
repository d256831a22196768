/// The supported picture formats, recognised by the first bytes of a file.
enum PictureKind: String, Sendable {
  case jpeg = "jpg"
  case png, webp, bmp, gif, pnm

  /// - Parameter bytes: The file, or at least its first 16 bytes.
  init?(of bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(16))
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) {
      self = .webp
    } else if bytes.starts(with: "BM".utf8), bytes.count == 16, bytes[15] == 0, bytes[14] >= 12 {
      self = .bmp
    } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if bytes.count >= 3, bytes[0] == UInt8(ascii: "P"),
      (UInt8(ascii: "1")...UInt8(ascii: "6")).contains(bytes[1]),
      [0x20, 0x0A, 0x0D, 0x09].contains(bytes[2])
    {
      self = .pnm
    } else {
      return nil
    }
  }
}
