public import WaymarkSystem

/// The format of a picture file, told by its contents alone.
public enum PictureFormat: String, Sendable, CaseIterable {
  /// JPEG (ITU-T T.81).
  case jpeg
  /// PNG (ISO/IEC 15948).
  case png
  /// WebP (RFC 9649).
  case webp
  /// BMP of Windows and OS/2, 1 to 32 bits a pixel.
  case bmp
  /// GIF 87a and 89a.
  case gif
  /// PBM, PGM and PPM of netpbm, P1 to P6.
  case pnm

  /// The endings, in lower case and without the dot, by which pictures are picked out of a folder.
  package static let endings: Set<String> = ["jpg", "jpeg", "png", "webp", "bmp", "gif", "pnm", "pgm", "ppm", "pbm"]

  /// The format of a file that starts with `bytes`; needs the first 32 bytes.
  ///
  /// - Throws: ``ImageError`` `emptyFile`, `unknownFormat`, or, for a format that is known but not read,
  ///   `unsupportedFormat` with its name.
  public static func detect(_ bytes: [UInt8]) throws(ImageError) -> PictureFormat {
    try bytes.withUnsafeBufferPointer { bytes throws(ImageError) in try detect(UnsafeRawBufferPointer(bytes)) }
  }

  package static func detect(_ bytes: UnsafeRawBufferPointer) throws(ImageError) -> PictureFormat {
    guard !bytes.isEmpty else {
      throw ImageError(.emptyFile, "the file is empty", hint: "Take or copy the picture again.")
    }
    func starts(_ magic: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + magic.count && magic.indices.allSatisfy { bytes[offset + $0] == magic[$0] }
    }
    func starts(_ magic: String, at offset: Int = 0) -> Bool { starts(Array(magic.utf8), at: offset) }

    if starts([0xFF, 0xD8, 0xFF]) { return .jpeg }
    if starts([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if starts("RIFF"), starts("WEBP", at: 8) { return .webp }
    // Two letters alone are too little of a mark: the size of the next header has to be one that there is.
    if starts("BM"), bytes.count >= 26,
      BMPHeader.isHeaderSize(ByteReader(bytes).uint32(14, littleEndian: true) ?? 0)
    {
      return .bmp
    }
    if starts("GIF87a") || starts("GIF89a") { return .gif }
    if bytes.count >= 3, bytes[0] == UInt8(ascii: "P"), (0x31...0x36).contains(bytes[1]),
      PNMReader.isSpace(bytes[2]) || bytes[2] == UInt8(ascii: "#")
    {
      return .pnm
    }

    if let name = ConvertedFormat.detect(bytes)?.name
      ?? refused(starts: { starts($0, at: $1) }, startsBytes: { starts($0) }, bytes)
    {
      throw ImageError(
        .unsupportedFormat, "\(name) is not a supported format",
        hint: "Convert it to PNG or JPEG first, for example with: \(conversion(of: name))")
    }
    throw ImageError(
      .unknownFormat, "the contents are not a picture in a known format",
      hint: "JPEG, PNG, WebP, BMP, GIF and PNM (P1 to P6) are read; the file name does not matter.")
  }

  /// The name of a format that is recognised in order to be refused.
  private static func refused(
    starts: (String, Int) -> Bool, startsBytes: ([UInt8]) -> Bool, _ bytes: UnsafeRawBufferPointer
  ) -> String? {
    if startsBytes([0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50]) || startsBytes([0xFF, 0x4F, 0xFF, 0x51]) {
      return "JPEG 2000"
    }
    if startsBytes([0x00, 0x00, 0x01, 0x00]) { return "ICO" }
    if starts("8BPS", 0) { return "PSD" }
    if starts("P7", 0), bytes.count > 2, bytes[2] == 0x0A { return "PAM" }
    if starts("<svg", 0) { return "SVG" }
    if starts("<?xml", 0) { return "SVG or another XML file" }
    // ISO base media file format.
    return starts("ftyp", 4) && bytes.count >= 12 ? "a video (MP4 or the like)" : nil
  }

  private static func conversion(of name: String) -> String {
    switch name {
    case "SVG", "SVG or another XML file": "rsvg-convert -o picture.png FILE"
    case "a video (MP4 or the like)": "ffmpeg -i FILE -frames:v 1 picture.png"
    default: ConvertedFormat.conversion(of: name)
    }
  }
}
