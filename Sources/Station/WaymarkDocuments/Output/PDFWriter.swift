import CZlib
package import WaymarkImage
import WaymarkSystem

/// The bytes of one page's picture as `PDFWriter` writes them. `ColourProfile` below is the profile of the document's
/// output intent.
package struct CodedPage: Hashable, Sendable {
  package enum Coding: String, Sendable, CaseIterable {
    /// JPEG of three channels.
    case colour
    /// JPEG of one channel.
    case gray
    /// One bit per pixel, compressed by zlib.
    case bilevel
  }

  /// The size in bytes to which a page in colour or gray is reduced if it stays legible.
  private static let byteLimit = 480_000

  package var coding: Coding
  package var width: Int
  package var height: Int
  package var bytes: [UInt8]

  package init(coding: Coding, width: Int, height: Int, bytes: [UInt8]) {
    self.coding = coding
    self.width = width
    self.height = height
    self.bytes = bytes
  }

  /// Encodes a page in at most `byteLimit` bytes if that is possible with legible quality.
  ///
  /// - Throws: `cannotEncode` if JPEG or zlib cannot encode the picture.
  package init(_ page: FilteredPage, size: PDFWriter.PaperSize) throws(ImageError) {
    if case .bilevel(let image) = page {
      self.init(coding: .bilevel, width: image.width, height: image.height, bytes: try image.flateBits())
      return
    }
    var picture = page
    var data = try page.jpeg(quality: JPEGQuality.document)
    for (quality, resolution) in [(72, 300.0), (60, 250), (60, 200), (50, 150)] where data.count > Self.byteLimit {
      picture = picture.reduced(width: Int(size.width / 25.4 * resolution))
      data = try picture.jpeg(quality: quality)
    }
    let coding: Coding = if case .gray = picture { .gray } else { .colour }
    self.init(coding: coding, width: picture.size.width, height: picture.size.height, bytes: data)
  }
}

extension GrayImage {
  /// Returns the rows as bits from the left, 1 for values of at least 128, each row padded to whole bytes, compressed for PDF's
  /// FlateDecode.
  ///
  /// - Throws: `cannotEncode` if memory is missing.
  func flateBits() throws(ImageError) -> [UInt8] {
    let stride = (width + 7) / 8
    var bits = [UInt8](repeating: 0, count: stride * height)
    withView { view in
      for y in 0..<height {
        let row = view.row(y)
        for x in 0..<width where row[x] >= 128 { bits[y * stride + x / 8] |= 0x80 >> UInt8(x % 8) }
      }
    }
    let packed = [UInt8](unsafeUninitializedCapacity: wm_compress_bound(bits.count)) { buffer, count in
      count = wm_compress(bits, bits.count, WM_ZLIB, buffer.baseAddress, buffer.count)
    }
    guard !packed.isEmpty else {
      throw ImageError(
        .cannotEncode, "\(width) x \(height) pixels cannot be compressed", hint: "Free some memory, then try again.")
    }
    return packed
  }
}

/// Writes a PDF of pages that are pictures, one page at a time; each page adds only a few bytes to the memory used.
///
/// The format is PDF 1.7 (ISO 32000-1) conforming to PDF/A-2b (ISO 19005-2): JPEG for colour and gray, Flate for black and white.
package struct PDFWriter {
  package struct Metadata: Sendable {
    package var title: String
    /// The program that created the document.
    package var producer: String
    /// The time of creation in seconds since 1970, UTC.
    package var created: Int

    package init(title: String, producer: String, created: Int) {
      self.title = title
      self.producer = producer
      self.created = created
    }
  }

  /// The size of a page on paper in millimetres.
  package struct PaperSize: Hashable, Sendable {
    package var width: Double
    package var height: Double

    /// Creates the size of a page of a known format, in the orientation of a picture of `width` × `height` pixels. A receipt is 80
    /// mm wide. A page of unknown format fits into A4.
    package init(format: PageFormat?, width: Int, height: Int) {
      let aspect = Double(max(1, width)) / Double(max(1, height))
      if let known = format?.millimetres {
        (self.width, self.height) = aspect <= 1 ? known : (known.height, known.width)
      } else if format == .receipt {
        // Paper rolls are 80 mm wide.
        (self.width, self.height) = aspect <= 1 ? (80, min(5000, 80 / aspect)) : (min(5000, 80 * aspect), 80)
      } else {
        let long = min(297, 210 * max(aspect, 1 / aspect))
        (self.width, self.height) = aspect <= 1 ? (long * aspect, long) : (long, long / aspect)
      }
    }
  }

  private let metadata: Metadata
  /// The offset of each object in the file; objects are numbered from 1.
  private var starts: [Int] = []
  private var pages: [Int] = []
  private var length = 0
  private var fontObject: Int?
  private static let pagesObject = 1

  /// Creates a writer for one file. Call `begin`, then `add` for each page, then `end`, and write the bytes that they return in
  /// this order.
  package init(_ metadata: Metadata) { self.metadata = metadata }

  package mutating func begin() -> [UInt8] {
    // The list of pages is written last but has the first number.
    starts = [0]
    pages = []
    fontObject = nil
    let head = Array("%PDF-1.7\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
    length = head.count
    return head
  }

  /// Returns the bytes of a page, encoded by `CodedPage`.
  ///
  /// - Parameter words: The text of the page, which is not drawn but can be searched and copied.
  /// - Throws: `cannotEncode` if JPEG or zlib cannot encode the picture.
  package mutating func add(
    _ page: FilteredPage, size: PaperSize, words: [PageWord] = []
  ) throws(ImageError) -> [UInt8] {
    add(try CodedPage(page, size: size), size: size, words: words)
  }

  /// Returns the bytes of a page that is already encoded.
  ///
  /// - Parameter words: The text of the page, which is not drawn but can be searched and copied.
  package mutating func add(_ page: CodedPage, size: PaperSize, words: [PageWord] = []) -> [UInt8] {
    let (width, height) = (page.width, page.height)
    var description: String
    switch page.coding {
    case .colour: description = "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode"
    case .gray: description = "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode"
    case .bilevel: description = "/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode"
    }
    description = "/Type /XObject /Subtype /Image /Width \(width) /Height \(height) \(description)"
    var out: [UInt8] = []
    let image = object(&out, description, stream: page.bytes)
    // There are 72 points per inch.
    let points = (width: size.width / 25.4 * 72, height: size.height / 25.4 * 72)
    let (w, h) = (Self.number(points.width), Self.number(points.height))
    let text = InvisibleText.content(
      words, width: points.width, height: points.height, number: { ($0 < 0 ? "-" : "") + Self.number(abs($0)) })
    let content = object(&out, "", stream: Array("q \(w) 0 0 \(h) 0 0 cm /P Do Q\n\(text)".utf8))
    let fonts = text.isEmpty ? "" : " /Font << /T \(font(&out)) 0 R >>"
    let number = object(
      &out,
      "/Type /Page /Parent \(Self.pagesObject) 0 R /MediaBox [0 0 \(w) \(h)] /Contents \(content) 0 R "
        + "/Resources << /XObject << /P \(image) 0 R >>\(fonts) >>")
    pages.append(number)
    return out
  }

  /// Returns the rest of the file: the metadata, the list of pages and the cross-reference table.
  package mutating func end() -> [UInt8] {
    var out: [UInt8] = []
    let profile = object(&out, "/N 3", stream: ColourProfile.sRGB)
    let description = object(&out, "/Type /Metadata /Subtype /XML", stream: Array(xmp.utf8))
    let date = "(D:\(created.filter(\.isNumber))Z)"
    let info = object(
      &out,
      "/Title \(Self.text(metadata.title)) /Producer \(Self.text(metadata.producer)) /CreationDate \(date) /ModDate \(date)"
    )
    starts[Self.pagesObject - 1] = length
    let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
    let list = "\(Self.pagesObject) 0 obj\n<< /Type /Pages /Count \(pages.count) /Kids [\(kids)] >>\nendobj\n"
    out += list.utf8
    length += list.utf8.count
    let catalog = object(
      &out,
      "/Type /Catalog /Pages \(Self.pagesObject) 0 R /Metadata \(description) 0 R /OutputIntents [<< /Type /OutputIntent "
        + "/S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /Info (sRGB IEC61966-2.1) /DestOutputProfile \(profile) 0 R >>]"
    )
    let table = starts.map { $0.digits(10) + " 00000 n \n" }
    let identifier = Self.identifier(metadata, length)
    out += "xref\n0 \(starts.count + 1)\n0000000000 65535 f \n\(table.joined())".utf8
    out +=
      "trailer\n<< /Size \(starts.count + 1) /Root \(catalog) 0 R /Info \(info) 0 R /ID [<\(identifier)> <\(identifier)>] >>\n"
      .utf8
    out += "startxref\n\(length)\n%%EOF\n".utf8
    return out
  }

  /// Returns the object number of the font of invisible text. The font is written only once, with the first page that has text.
  private mutating func font(_ out: inout [UInt8]) -> Int {
    if let fontObject { return fontObject }
    let map = object(&out, "", stream: Array(InvisibleText.characterMap.utf8))
    let descriptor = object(&out, InvisibleText.descriptor)
    let descendant = object(&out, InvisibleText.descendant(descriptor: descriptor))
    let number = object(&out, InvisibleText.font(descendant: descendant, map: map))
    fontObject = number
    return number
  }

  /// Appends an object and returns its number.
  private mutating func object(_ out: inout [UInt8], _ dictionary: String, stream: [UInt8]? = nil) -> Int {
    starts.append(length)
    let before = out.count
    out += "\(starts.count) 0 obj\n<< \(dictionary)".utf8
    if let stream {
      out += " /Length \(stream.count) >>\nstream\n".utf8
      out += stream
      out += "\nendstream\nendobj\n".utf8
    } else {
      out += " >>\nendobj\n".utf8
    }
    length += out.count - before
    return starts.count
  }

  /// Formats a number for PDF, limited to 0…14,400, with two decimal places.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((max(0, min(value, 14_400)) * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100)." + rest.digits(2)
  }

  /// Formats a text string in UTF-16 with a byte order mark, in hexadecimal digits, which need no escaping.
  private static func text(_ value: String) -> String {
    "<FEFF" + value.utf16.map { $0.digits(4, radix: 16, uppercase: true) }.joined() + ">"
  }

  /// Returns an identifier of 32 hexadecimal digits: two FNV-1a hashes of the document's title and time and of the
  /// file's length.
  private static func identifier(_ metadata: Metadata, _ length: Int) -> String {
    func hash(_ seed: UInt64) -> String {
      var value = seed
      for byte in "\(metadata.title) \(metadata.created) \(length)".utf8 {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
      }
      return value.digits(16, radix: 16, uppercase: true)
    }
    return hash(0xCBF2_9CE4_8422_2325) + hash(0x9E37_79B9_7F4A_7C15)
  }

  /// The time of creation in RFC 3339 format, limited to the years 1970 to 9999.
  private var created: String { WallClock.timestamp(seconds: min(max(0, metadata.created), 253_402_300_799)) }

  /// The metadata as XMP, which ISO 19005 requires.
  private var xmp: String {
    func escaped(_ text: String) -> String { XMLText.escaped(text, unwritable: " ") }
    return """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \
      xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
      <pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>
      <dc:title><rdf:Alt><rdf:li xml:lang="x-default">\(escaped(metadata.title))</rdf:li></rdf:Alt></dc:title>
      <pdf:Producer>\(escaped(metadata.producer))</pdf:Producer>
      <xmp:CreateDate>\(created)</xmp:CreateDate><xmp:ModifyDate>\(created)</xmp:ModifyDate>
      </rdf:Description></rdf:RDF></x:xmpmeta>
      <?xpacket end="w"?>
      """
  }
}

/// The ICC profile of the document's output intent.
enum ColourProfile {
  /// A profile of sRGB's primaries with a gamma of 2.2 (ICC.1:2001-04, version 2.4).
  static let sRGB: [UInt8] = {
    func number(_ value: UInt32) -> [UInt8] {
      [UInt8(value >> 24), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
    }
    func xyz(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> [UInt8] {
      Array("XYZ ".utf8) + number(0) + number(x) + number(y) + number(z)
    }
    let name = Array("sRGB".utf8) + [0]
    let description =
      Array("desc".utf8) + number(0) + number(UInt32(name.count)) + name
      + [UInt8](repeating: 0, count: 4 + 4 + 2 + 1 + 67)
    let curve = Array("curv".utf8) + number(0) + number(1) + [0x02, 0x33]
    // The white point and the primaries of sRGB (IEC 61966-2-1, annex A), adapted to D50, as XYZ in 16.16 fixed point.
    let tags: [(String, [UInt8])] = [
      ("desc", description), ("cprt", Array("text".utf8) + number(0) + Array("CC0".utf8) + [0]),
      ("wtpt", xyz(0xF6D6, 0x10000, 0xD32D)), ("rXYZ", xyz(0x6FA2, 0x38F5, 0x0390)),
      ("gXYZ", xyz(0x6299, 0xB785, 0x18DA)), ("bXYZ", xyz(0x24A0, 0x0F84, 0xB6CF)), ("rTRC", curve), ("gTRC", curve),
      ("bTRC", curve),
    ]
    var table = number(UInt32(tags.count))
    var data: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    for (tag, content) in tags {
      table += Array(tag.utf8) + number(UInt32(start + data.count)) + number(UInt32(content.count))
      data += content
      while data.count % 4 != 0 { data.append(0) }
    }
    var header = number(UInt32(start + data.count)) + number(0) + number(0x0240_0000)
    header += Array("mntrRGB XYZ ".utf8) + [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28) + number(0xF6D6) + number(0x10000) + number(0xD32D)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + data
  }()
}
