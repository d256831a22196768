package import WaymarkImage
import WaymarkSystem

/// A picture file for a client: as it is, or as a JPEG.
package struct PreparedPicture: Sendable, Equatable {
  package let format: PictureFormat
  package let width: Int
  package let height: Int
  /// The JPEG; nil when the file is to be handed out as it is.
  package let replacement: [UInt8]?

  /// Decodes the file, so that nothing is handed out that is not a picture, and makes it smaller where it is wider than `width`.
  ///
  /// - Parameter asJPEG: true to make a JPEG also of a picture that is not.
  package init(_ file: UnsafeRawBufferPointer, width: Int?, asJPEG: Bool = false) throws(ImageError) {
    let decoded = try PictureDecoder().rgb(file)
    let image = decoded.image
    let width = min(width ?? image.width, image.width)
    guard width < image.width || asJPEG else {
      self.init(format: decoded.format, width: image.width, height: image.height, replacement: nil)
      return
    }
    let height = max(1, (image.height * width + image.width / 2) / image.width)
    let small = width < image.width ? image.resized(width: width, height: height) : image
    self.init(
      format: .jpeg, width: width, height: height, replacement: try JPEGEncoder.encode(small, quality: 80))
  }

  private init(format: PictureFormat, width: Int, height: Int, replacement: [UInt8]?) {
    self.format = format
    self.width = width
    self.height = height
    self.replacement = replacement
  }
}

extension PreparedPicture: WireValue {
  private static let fields = inOrder(
    Wire<PictureFormat>.choice, ArenaPictureSize.wire, Wire<[UInt8]>.raw(upTo: WorkerArena.outputLimit).optional)

  package static let wire: Wire<PreparedPicture> = fields.map(
    { format, size, replacement -> PreparedPicture? in
      // A picture that is made again is a JPEG.
      if let replacement, format != .jpeg || !replacement.starts(with: [0xFF, 0xD8]) { return nil }
      return PreparedPicture(format: format, width: size.width, height: size.height, replacement: replacement)
    },
    { ($0.format, ArenaPictureSize(width: $0.width, height: $0.height), $0.replacement) })
}
