package import WaymarkImage

/// A picture for a client.
package struct ClientPicture: Sendable {
  /// Its form.
  package let format: PictureFormat
  /// Width in pixels.
  package let width: Int
  /// Height in pixels.
  package let height: Int
  /// The file.
  package let bytes: [UInt8]

  /// A picture from its parts.
  package init(format: PictureFormat, width: Int, height: Int, bytes: [UInt8]) {
    self.format = format
    self.width = width
    self.height = height
    self.bytes = bytes
  }
}

/// Makes pictures for clients out of frames and files.
package enum PictureMaker {
  /// A frame as JPEG, `width` pixels wide at most. What the camera compressed itself passes through untouched when it
  /// stands upright already and is not too wide.
  package static func picture(of frame: Frame, width: Int?) throws -> ClientPicture {
    if let encoded = frame.encoded {
      if encoded.layout.format == .mjpeg {
        if encoded.transform == .identity, width.map({ $0 >= frame.width }) ?? true {
          let bytes = encoded.withBytes { HuffmanTables.complete($0) }
          return ClientPicture(format: .jpeg, width: frame.width, height: frame.height, bytes: bytes)
        }
        let decoded = try encoded.withBytes { try PictureDecoder().rgb($0).image }
        return try jpeg(decoded.oriented(encoded.transform.orientation), width: width)
      }
      if let color = ColorConversion.rgb(encoded) {
        return try jpeg(color.oriented(encoded.transform.orientation), width: width)
      }
    }
    return try jpeg(RGBImage(frame.image), width: width)
  }

  /// A picture file, as it is or `width` pixels wide at most.
  package static func picture(ofFile bytes: [UInt8], width: Int?) throws -> ClientPicture {
    let decoded = try PictureDecoder().rgb(bytes)
    if width.map({ $0 >= decoded.image.width }) ?? true {
      return ClientPicture(
        format: decoded.format, width: decoded.image.width, height: decoded.image.height, bytes: bytes)
    }
    return try jpeg(decoded.image, width: width)
  }

  private static func jpeg(_ image: RGBImage, width: Int?) throws -> ClientPicture {
    let small = width.map { PictureScaler.fit(image, width: $0) } ?? image
    return ClientPicture(
      format: .jpeg, width: small.width, height: small.height, bytes: try JPEGEncoder.encode(small, quality: 80))
  }
}

/// Motion JPEG leaves out the Huffman tables, which every picture viewer wants.
enum HuffmanTables {
  /// The picture with the standard tables, if it has none.
  static func complete(_ picture: UnsafeRawBufferPointer) -> [UInt8] {
    guard let scan = startOfScan(picture), !scan.hasTables else { return Array(picture) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(picture.count + standard.count)
    bytes += UnsafeRawBufferPointer(rebasing: picture[..<scan.offset])
    bytes += standard
    bytes += UnsafeRawBufferPointer(rebasing: picture[scan.offset...])
    return bytes
  }

  /// Where the first scan begins, and whether tables stand before it; `nil` when the markers make no sense.
  private static func startOfScan(_ bytes: UnsafeRawBufferPointer) -> (offset: Int, hasTables: Bool)? {
    var at = 2
    var hasTables = false
    while at + 4 <= bytes.count, bytes[at] == 0xFF {
      let marker = bytes[at + 1]
      if marker == 0xFF {
        at += 1
        continue
      }
      if marker == 0xDA { return (at, hasTables) }
      if marker == 0xC4 { hasTables = true }
      at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
    }
    return nil
  }

  /// The tables K.3 to K.6 of ITU-T T.81, annex K.3.3, as one DHT segment.
  private static let standard: [UInt8] = {
    let dcLuma: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    let dcChroma: [UInt8] = [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    let acLuma = hex(
      """
      0002010303020403050504040000017d01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282
      090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a83
      8485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1
      e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa
      """)
    let acChroma = hex(
      """
      0002010204040304070504040001027700010203110405213106124151076171132232810814429 1a1b1c109233352f0156272d10a
      162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465666768696a737475767778797a
      82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9
      dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa
      """)
    let tables = [0x00] + dcLuma + [0x10] + acLuma + [0x01] + dcChroma + [0x11] + acChroma
    let length = tables.count + 2
    return [0xFF, 0xC4, UInt8(length >> 8), UInt8(length & 0xFF)] + tables
  }()

  private static func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
