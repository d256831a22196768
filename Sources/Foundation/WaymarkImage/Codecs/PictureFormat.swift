public import WaymarkSystem

/// The format of a picture file, detected by its contents. Below are the formats that only `waymark-pictures` reads
/// (`ConvertedFormat`), and `PictureFile`, which reads whole files.
public enum PictureFormat: String, Sendable, CaseIterable {
  /// JPEG (ITU-T T.81).
  case jpeg
  /// PNG (ISO/IEC 15948).
  case png
  /// WebP (RFC 9649).
  case webp
  /// BMP of Windows and OS/2, 1 to 32 bits per pixel.
  case bmp
  /// GIF 87a and 89a.
  case gif
  /// PBM, PGM and PPM of netpbm, P1 to P6.
  case pnm

  /// The file name extensions of pictures in a folder, in lower case and without the dot.
  package static let endings: Set<String> = ["jpg", "jpeg", "png", "webp", "bmp", "gif", "pnm", "pgm", "ppm", "pbm"]

  /// Returns the format of a file that starts with `bytes`; needs the first 32 bytes.
  ///
  /// - Throws: ``ImageError`` `emptyFile`, `unknownFormat`, or, for a format that is known but not supported, `unsupportedFormat`
  ///   with its name.
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
    // Two letters are a weak signature: the size of the following header must be valid as well.
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

  /// Returns the name of an unsupported format, for the error message; `nil` for unknown contents.
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

// MARK: - Formats of waymark-pictures

/// A format of picture files that needs libraries larger than this package: the program `waymark-pictures` converts such files.
package enum ConvertedFormat: String, Sendable, CaseIterable {
  case tiff
  /// HEIC, AVIF and others in the container of ISO/IEC 23008-12.
  case heif
  case jxl
  case pdf

  /// The file name extensions of such files in a folder, in lower case and without the dot.
  package static let endings: Set<String> = ["tif", "tiff", "heic", "heif", "avif", "jxl", "pdf"]

  /// Returns the format of a file that starts with `bytes`, and its name for messages; `nil` for other formats. Needs the first
  /// 12 bytes.
  package static func detect(_ bytes: UnsafeRawBufferPointer) -> (format: ConvertedFormat, name: String)? {
    let head = Array(bytes.prefix(12))
    func starts(_ magic: [UInt8]) -> Bool { head.starts(with: magic) }
    if head.starts(with: "%PDF-".utf8) { return (.pdf, "PDF") }
    // TIFF's version is 42. In BigTIFF, whose files may be larger than 4 GiB, it is 43.
    if [0x2A, 0x2B].contains(where: { starts([0x49, 0x49, $0, 0]) || starts([0x4D, 0x4D, 0, $0]) }) {
      return (.tiff, "TIFF")
    }
    if starts([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]) || starts([0xFF, 0x0A]) { return (.jxl, "JPEG XL") }
    guard head.count == 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    // The major brand of an ISO base media file names the codec; files with other brands are videos.
    switch String(decoding: head[8...], as: UTF8.self) {
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1": return (.heif, "HEIC")
    case "avif", "avis": return (.heif, "AVIF")
    default: return nil
    }
  }

  /// Returns a command line that converts a file to a format of the base package.
  package static func conversion(of name: String) -> String {
    switch name {
    case "PDF": "pdftoppm -r 200 -png FILE page"
    case "HEIC": "heif-convert FILE picture.png (or set the phone to take pictures as JPEG)"
    case "AVIF": "avifdec FILE picture.png"
    case "JPEG XL": "djxl FILE picture.png"
    default: "convert FILE picture.png (ImageMagick)"
    }
  }
}

// MARK: - Reading files

/// Reads whole picture files of at most `byteLimit` bytes.
package enum PictureFile {
  /// The default limit, 512 MiB: more than a picture within the pixel limit needs in any common format.
  package static let byteLimit = 512 << 20

  /// Reads the bytes of a file, pipe or device, up to the limit.
  ///
  /// - Throws: `fileTooLarge` for more bytes than the limit; `cannotOpen` if the file cannot be read.
  package static func read(_ path: String, limit: Int = byteLimit) throws(ImageError) -> [UInt8] {
    do throws(FileError) {
      return try WholeFile.read(path, limit: limit, kind: .any)
    } catch {
      throw imageError(error, limit)
    }
  }

  /// Reads standard input to its end.
  package static func readStandardInput(limit: Int = byteLimit) throws(ImageError) -> [UInt8] {
    do throws(FileError) {
      return try WholeFile.readStandardInput(limit: limit)
    } catch {
      throw imageError(error, limit)
    }
  }

  /// Converts an error for commands, which print the file name before the message.
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
