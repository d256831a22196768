package import WaymarkImage

/// A signature as PNG: two pixels for one of the area, the border's words, and the record of strokes in a text chunk (`iTXt`, ISO/IEC
/// 15948, 11.3.4.5).
package enum SignaturePNG {
  /// How every PNG begins.
  static let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let keyword = Array("waymark-signature".utf8)
  private static let scale = 2

  /// The file.
  package static func encode(_ signature: Signature) throws(ImageError) -> [UInt8] {
    let file = try PNGEncoder.encode(draw(signature))
    // Behind the header, which is always the first chunk and 25 bytes long.
    let place = mark.count + 25
    guard file.count > place else { return file }
    let body = keyword + [0, 0, 0, 0, 0] + Array(SignatureRecord(signature).json.utf8)
    return file[..<place] + chunk("iTXt", body) + file[place...]
  }

  /// The picture.
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
    // The canvas counts from the middle of its first pixel, the page from its corner.
    return Point2(point.x + margin - 0.5, point.y + margin - 0.5)
  }

  /// Strokes beyond the area are taken away again, and a line is drawn around it.
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

  /// The record in the text chunk of a PNG.
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

  /// CRC-32 of ISO 3309, as chunks of PNG want it.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
