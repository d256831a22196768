/// A format of picture files that takes libraries which are larger than this package: the program `waymark-pictures` makes plain pictures
/// of such files.
package enum ConvertedFormat: String, Sendable, CaseIterable {
  case tiff
  /// HEIC, AVIF and others in the container of ISO/IEC 23008-12.
  case heif
  case jxl
  case pdf

  /// The endings, in lower case and without the dot, by which such files are picked out of a folder.
  package static let endings: Set<String> = ["tif", "tiff", "heic", "heif", "avif", "jxl", "pdf"]

  /// The format of a file that starts with `bytes`, and the name of its kind; nil for other formats. Needs the first 12 bytes.
  package static func detect(_ bytes: UnsafeRawBufferPointer) -> (format: ConvertedFormat, name: String)? {
    let head = Array(bytes.prefix(12))
    func starts(_ magic: [UInt8]) -> Bool { head.starts(with: magic) }
    if head.starts(with: "%PDF-".utf8) { return (.pdf, "PDF") }
    // 42, or 43 where it may be larger than 4 GiB.
    if [0x2A, 0x2B].contains(where: { starts([0x49, 0x49, $0, 0]) || starts([0x4D, 0x4D, 0, $0]) }) {
      return (.tiff, "TIFF")
    }
    if starts([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20]) || starts([0xFF, 0x0A]) { return (.jxl, "JPEG XL") }
    guard head.count == 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    // Of ISO's base media files the major brand tells what is inside; the others are films.
    switch String(decoding: head[8...], as: UTF8.self) {
    case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1": return (.heif, "HEIC")
    case "avif", "avis": return (.heif, "AVIF")
    default: return nil
    }
  }

  /// A command that makes a picture in a format of the base package.
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
