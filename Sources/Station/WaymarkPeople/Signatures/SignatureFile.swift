package import WaymarkImage
import WaymarkSystem

/// The result of checking the file of a signature; `SignatureSVG` and `SignaturePNG` below write such files.
package struct SignatureFinding: Hashable, Sendable {
  package let signature: Signature
  /// The hash in the file.
  package let claimed: String
  /// True if the hash in the file fits the signature.
  package let isUnchanged: Bool
  /// True if the file equals the picture drawn from the signature; nil for a record without a picture.
  package let matchesPicture: Bool?

  /// True if the hash in the file fits the signature, and the picture, if any, was drawn from it.
  package var isWhole: Bool { isUnchanged && matchesPicture != false }

  /// Checks a record, an SVG or a PNG.
  ///
  /// A picture is drawn again and compared with the file byte by byte, so that additions that a viewer might show are detected.
  ///
  /// - Throws: `notASignature` if the file has another format or contains no signature.
  package static func of(_ file: [UInt8]) throws(SignatureError) -> SignatureFinding {
    if file.starts(with: SignaturePNG.mark) {
      guard let json = SignaturePNG.record(in: file) else {
        throw Signature.bad(.notASignature, "the PNG carries no record of strokes")
      }
      let record = try SignatureRecord(json: json)
      let signature = try record.signature()
      return SignatureFinding(record, signature, (try? SignaturePNG.encode(signature)) == file)
    }
    if let json = SignatureSVG.record(in: file) {
      let record = try SignatureRecord(json: json)
      let signature = try record.signature()
      return SignatureFinding(record, signature, Array(SignatureSVG.draw(signature).utf8) == file)
    }
    let record = try SignatureRecord(json: file)
    return SignatureFinding(record, try record.signature(), nil)
  }

  private init(_ record: SignatureRecord, _ signature: Signature, _ matchesPicture: Bool?) {
    self.signature = signature
    claimed = record.hash
    isUnchanged = record.hash == signature.hash
    self.matchesPicture = matchesPicture
  }
}

/// A signature as SVG: curves, the texts of the border, and the record as metadata.
package enum SignatureSVG {
  /// Draws a signature. Equal signatures give equal text, so that changes of a file are detectable.
  package static func draw(_ signature: Signature) -> String {
    let border = SignatureBorder(signature)
    let margin = Double(border.margin)
    var svg = """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(border.width)" height="\(border.height)" \
      viewBox="0 0 \(border.width) \(border.height)" role="img">
      <title>\(XMLText.escaped(border.lines.joined(separator: " ")))</title>
      <metadata id="waymark-signature">\(XMLText.escaped(portable(SignatureRecord(signature).json)))</metadata>
      <rect width="\(border.width)" height="\(border.height)" fill="#fff"/>
      <rect x="\(border.margin)" y="\(border.margin)" width="\(signature.width)" height="\(signature.height)" \
      fill="none" stroke="#999"/>
      <svg x="\(border.margin)" y="\(border.margin)" width="\(signature.width)" height="\(signature.height)">
      <g fill="none" stroke="#000" stroke-linecap="round" stroke-linejoin="round">

      """
    for piece in SignatureCurve(signature).pieces {
      let p = piece.points
      svg += "<path d=\"M\(two(p[0].x)) \(two(p[0].y))"
      svg += "C\(two(p[1].x)) \(two(p[1].y)) \(two(p[2].x)) \(two(p[2].y)) \(two(p[3].x)) \(two(p[3].y))\""
      svg += " stroke-width=\"\(two((piece.from + piece.to) / 2))\"/>\n"
    }
    svg += "</g>\n</svg>\n<g font-family=\"monospace\" font-size=\"\(two(border.letters))\" fill=\"#444\">\n"
    for (index, line) in border.lines.enumerated() {
      let y = Double(signature.height) + margin * 1.5 + Double(border.lineHeight * index) + border.letters
      svg += "<text x=\"\(border.margin)\" y=\"\(two(y))\" xml:space=\"preserve\">\(XMLText.escaped(line))</text>\n"
    }
    return svg + "</g>\n</svg>\n"
  }

  /// Returns the record in an SVG file; nil if it has none.
  static func record(in file: [UInt8]) -> [UInt8]? {
    guard file.starts(with: Array("<?xml".utf8)) else { return nil }
    let open = Array("<metadata id=\"waymark-signature\">".utf8)
    let close = Array("</metadata>".utf8)
    // The record comes after the size and a short title, and escaping makes it up to six times as long.
    guard let start = first(open, in: file.prefix(1 << 17)) else { return nil }
    let rest = file[(start + open.count)...].prefix(6 * SignatureRecord.limit)
    guard let end = first(close, in: rest) else { return nil }
    return XMLText.unescaped(rest[..<end])
  }

  private static func first(_ wanted: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= wanted.count else { return nil }
    return (bytes.startIndex...(bytes.endIndex - wanted.count)).first {
      bytes[$0] == wanted[0] && bytes[$0..<($0 + wanted.count)].elementsEqual(wanted)
    }
  }

  /// Formats a number with two decimal places, regardless of the locale.
  private static func two(_ value: Double) -> String {
    let whole = Int((value * 100).rounded())
    let (units, rest) = (abs(whole) / 100, abs(whole) % 100)
    let sign = whole < 0 ? "-" : ""
    return rest == 0 ? "\(sign)\(units)" : "\(sign)\(units).\(rest.digits(2))"
  }

  /// Escapes the characters in JSON that XML does not allow.
  private static func portable(_ json: String) -> String {
    json.replacing("\u{FFFE}", with: "\\ufffe").replacing("\u{FFFF}", with: "\\uffff")
  }
}

/// A signature as PNG: two pixels per pixel of the area, the texts of the border, and the record in a text chunk (`iTXt`,
/// ISO/IEC 15948, section 11.3.4.5).
package enum SignaturePNG {
  /// The first bytes of every PNG file (ISO/IEC 15948, section 5.2).
  static let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let keyword = Array("waymark-signature".utf8)
  private static let scale = 2

  package static func encode(_ signature: Signature) throws(ImageError) -> [UInt8] {
    let file = try PNGEncoder.encode(draw(signature))
    // The header is the first chunk and has 25 bytes.
    let place = mark.count + 25
    guard file.count > place else { return file }
    let body = keyword + [0, 0, 0, 0, 0] + Array(SignatureRecord(signature).json.utf8)
    return file[..<place] + chunk("iTXt", body) + file[place...]
  }

  package static func draw(_ signature: Signature) -> RGBImage {
    let border = SignatureBorder(signature)
    let ink = Colour(0, 0, 0)
    var canvas = RGBCanvas(GrayImage(width: border.width * scale, height: border.height * scale, value: 255))
    for piece in SignatureCurve(signature).pieces {
      let line = piece.line(scale: Double(scale))
      for (a, b) in zip(line, line.dropFirst()) {
        canvas.line(
          from: moved(a.at, border), to: moved(b.at, border), width: max(0.5, (a.width + b.width) / 2), ink)
      }
    }
    frame(&canvas, signature, border)
    let letter = max(1, Int((border.letters * Double(scale) / Double(SignatureFont.height)).rounded()))
    let top = scale * (signature.height + border.margin) + scale * border.margin / 2
    for (index, line) in border.lines.enumerated() {
      write(line, to: &canvas, x: scale * border.margin, y: top + scale * border.lineHeight * index, letter)
    }
    return canvas.finish()
  }

  private static func moved(_ point: Point2, _ border: SignatureBorder) -> Point2 {
    let margin = Double(scale * border.margin)
    // The canvas has its origin in the middle of a pixel, the web page at the corner.
    return Point2(point.x + margin - 0.5, point.y + margin - 0.5)
  }

  /// Erases the strokes outside the area, and draws a line around it.
  private static func frame(_ canvas: inout RGBCanvas, _ signature: Signature, _ border: SignatureBorder) {
    let (left, top) = (scale * border.margin, scale * border.margin)
    let (right, bottom) = (left + scale * signature.width, top + scale * signature.height)
    let (width, height) = (canvas.width, canvas.height)
    canvas.rectangle(x: 0, y: 0, width: width, height: top, .white)
    canvas.rectangle(x: 0, y: bottom, width: width, height: height - bottom, .white)
    canvas.rectangle(x: 0, y: 0, width: left, height: height, .white)
    canvas.rectangle(x: right, y: 0, width: width - right, height: height, .white)
    let gray = Colour(153, 153, 153)
    canvas.rectangle(x: left - 1, y: top - 1, width: right - left + 2, height: 2, gray)
    canvas.rectangle(x: left - 1, y: bottom - 1, width: right - left + 2, height: 2, gray)
    canvas.rectangle(x: left - 1, y: top - 1, width: 2, height: bottom - top + 2, gray)
    canvas.rectangle(x: right - 1, y: top - 1, width: 2, height: bottom - top + 2, gray)
  }

  private static func write(_ text: String, to canvas: inout RGBCanvas, x: Int, y: Int, _ letter: Int) {
    var left = x
    for scalar in text.unicodeScalars {
      for (row, bits) in SignatureFont.rows(of: scalar).enumerated() {
        for column in 0..<SignatureFont.width where bits & (0x80 >> UInt8(column)) != 0 {
          canvas.rectangle(
            x: left + column * letter, y: y + row * letter, width: letter, height: letter, Colour(68, 68, 68))
        }
      }
      left += SignatureFont.width * letter
    }
  }

  // MARK: Chunks

  static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
    let named = Array(type.utf8) + body
    return bigEndian(UInt32(clamping: body.count)) + named + bigEndian(checksum(named))
  }

  /// Returns the record in the text chunk of a PNG file; nil if it has none.
  static func record(in file: [UInt8]) -> [UInt8]? {
    var place = mark.count
    while place + 12 <= file.count {
      let length = file[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
      guard length <= file.count - place - 12 else { return nil }
      let body = file[(place + 8)..<(place + 8 + length)]
      if file[(place + 4)..<(place + 8)].elementsEqual(Array("iTXt".utf8)),
        body.starts(with: keyword + [0, 0, 0, 0, 0])
      {
        return Array(body.dropFirst(keyword.count + 5))
      }
      place += length + 12
    }
    return nil
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// CRC-32 of ISO 3309, the checksum of chunks.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
