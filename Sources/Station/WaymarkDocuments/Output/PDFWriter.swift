package import WaymarkImage
import WaymarkSystem

/// A page as a PDF holds it.
package struct CodedPage: Hashable, Sendable {
  /// How its bytes are to be understood.
  package enum Coding: String, Sendable, CaseIterable {
    /// JPEG of three channels.
    case colour
    /// JPEG of one channel.
    case gray
    /// Group 4 facsimile.
    case bilevel
  }

  /// How its bytes are to be understood.
  package var coding: Coding
  /// In pixels.
  package var width: Int
  /// In pixels.
  package var height: Int
  /// The picture.
  package var bytes: [UInt8]

  /// A page that was coded before.
  package init(coding: Coding, width: Int, height: Int, bytes: [UInt8]) {
    self.coding = coding
    self.width = width
    self.height = height
    self.bytes = bytes
  }

  /// A page so that it takes at most `limit` bytes if that can be had at a quality worth reading.
  ///
  /// - Throws: `cannotEncode` for a picture that JPEG cannot hold.
  package init(_ page: FilteredPage, size: PDFWriter.PaperSize, limit: Int = 480_000) throws(ImageError) {
    var picture = page
    var data = try page.coded(quality: 82)
    for (quality, resolution) in [(72, 300.0), (60, 250), (60, 200), (50, 150)] where data.count > limit {
      picture = picture.reduced(width: Int(size.width / 25.4 * resolution))
      data = try picture.coded(quality: quality)
    }
    switch picture {
    case .colour(let image): self.init(coding: .colour, width: image.width, height: image.height, bytes: data)
    case .gray(let image): self.init(coding: .gray, width: image.width, height: image.height, bytes: data)
    case .bilevel(let image): self.init(coding: .bilevel, width: image.width, height: image.height, bytes: data)
    }
  }
}

/// Writes a PDF of pages that are pictures, a page at a time: what is in memory does not grow with the number of pages but for a few bytes each.
///
/// PDF 1.7 (ISO 32000-1) in the form of PDF/A-2b (ISO 19005-2): JPEG for colour and gray, Group 4 for black and white.
package struct PDFWriter {
  /// The metadata of the file.
  package struct Metadata: Sendable {
    /// The title.
    package var title: String
    /// The program that made it.
    package var producer: String
    /// When, as seconds since 1970, UTC.
    package var created: Int

    /// A description with all it has to say.
    package init(title: String, producer: String, created: Int) {
      self.title = title
      self.producer = producer
      self.created = created
    }
  }

  /// How large a page is on paper, in millimetres.
  package struct PaperSize: Hashable, Sendable {
    /// From left to right.
    package var width: Double
    /// From top to bottom.
    package var height: Double

    /// The size of a page of a known format, turned as the picture is; what fits into A4 for an unknown one.
    package init(format: PageFormat?, width: Int, height: Int) {
      let aspect = Double(max(1, width)) / Double(max(1, height))
      if let known = format?.millimetres {
        (self.width, self.height) = aspect <= 1 ? known : (known.height, known.width)
      } else if format == .receipt {
        // Rolls of paper are 80 mm wide.
        (self.width, self.height) = aspect <= 1 ? (80, min(5000, 80 / aspect)) : (min(5000, 80 * aspect), 80)
      } else {
        let long = min(297, 210 * max(aspect, 1 / aspect))
        (self.width, self.height) = aspect <= 1 ? (long * aspect, long) : (long, long / aspect)
      }
    }
  }

  private let metadata: Metadata
  /// Where each object starts in the file; objects count from 1.
  private var starts: [Int] = []
  private var pages: [Int] = []
  private var length = 0
  private var fontObject: Int?
  private static let pagesObject = 1

  /// A writer for one file. `begin`, then `add` for each page, then `end`, give the bytes to write one behind the other.
  package init(_ metadata: Metadata) { self.metadata = metadata }

  /// The head of the file.
  package mutating func begin() -> [UInt8] {
    // The list of pages comes last but has the first number.
    starts = [0]
    pages = []
    fontObject = nil
    let head = Array("%PDF-1.7\n%".utf8) + [0xE2, 0xE3, 0xCF, 0xD3, 0x0A]
    length = head.count
    return head
  }

  /// A page, its picture coded so that it takes at most `limit` bytes if that can be had at a quality worth reading.
  ///
  /// - Throws: `cannotEncode` for a picture that JPEG cannot hold.
  package mutating func add(
    _ page: FilteredPage, size: PaperSize, limit: Int = 480_000, words: [PageWord] = []
  ) throws(ImageError) -> [UInt8] {
    add(try CodedPage(page, size: size, limit: limit), size: size, words: words)
  }

  /// A page that was coded before, perhaps elsewhere.
  ///
  /// - Parameter words: what stands on it; it is not drawn, but can be searched and copied.
  package mutating func add(_ page: CodedPage, size: PaperSize, words: [PageWord] = []) -> [UInt8] {
    let (width, height) = (page.width, page.height)
    var description: String
    switch page.coding {
    case .colour: description = "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode"
    case .gray: description = "/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /DCTDecode"
    case .bilevel:
      description =
        "/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode "
        + "/DecodeParms << /K -1 /Columns \(width) /Rows \(height) >>"
    }
    description = "/Type /XObject /Subtype /Image /Width \(width) /Height \(height) \(description)"
    var out: [UInt8] = []
    let image = object(&out, description, stream: page.bytes)
    // 72 points an inch.
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

  /// The tail of the file; nothing is added behind it.
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

  /// The font of text that is not drawn: written once, with the first page that has some.
  private mutating func font(_ out: inout [UInt8]) -> Int {
    if let fontObject { return fontObject }
    let map = object(&out, "", stream: Array(InvisibleText.characterMap.utf8))
    let descriptor = object(&out, InvisibleText.descriptor)
    let descendant = object(&out, InvisibleText.descendant(descriptor: descriptor))
    let number = object(&out, InvisibleText.font(descendant: descendant, map: map))
    fontObject = number
    return number
  }

  /// Appends an object and tells its number.
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

  /// A number of at most two digits behind the point, as PDF writes it.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((max(0, min(value, 14_400)) * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100)." + rest.digits(2)
  }

  /// A text string, in UTF-16 with a byte order mark, in hexadecimal: no character of it can mean anything else.
  private static func text(_ value: String) -> String {
    "<FEFF" + value.utf16.map { $0.digits(4, radix: 16, uppercase: true) }.joined() + ">"
  }

  /// 32 hexadecimal digits that differ from file to file (FNV-1a).
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

  /// When the document was made, as RFC 3339; the years 1970 to 9999 can be written.
  private var created: String { WallClock.timestamp(seconds: min(max(0, metadata.created), 253_402_300_799)) }

  /// The same facts once more, as ISO 19005 wants them.
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

/// The meaning of the numbers of a colour picture.
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
    // Adapted to D50 (IEC 61966-2-1, annex A), in 16.16 fixed point.
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
