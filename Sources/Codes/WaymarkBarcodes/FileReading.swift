package import WaymarkImage
import WaymarkSystem

/// The codes in a picture file, and the picture.
package struct FileReading: Sendable {
  /// Over the background on which codes were read, or over the usual one.
  package let picture: DecodedPicture<GrayImage>
  package let background: PictureBackground
  package let reading: ScanReading
  /// How long the reading took without decoding, in seconds.
  package let seconds: Double
}

extension BarcodeScanner {
  /// Reads the codes in a picture file. Where it is transparent and nothing is read over the decoder's background, it is read over the
  /// other one: logos are made for dark pages too.
  package mutating func scan(
    _ file: UnsafeRawBufferPointer, with decoder: PictureDecoder = PictureDecoder()
  ) throws(ImageError) -> FileReading {
    let usual = try look(file, decoder)
    guard usual.picture.isTransparent, usual.reading.symbols.isEmpty else { return usual }
    var other = decoder
    other.background = decoder.background == .white ? .black : .white
    let second = try look(file, other)
    return second.reading.symbols.isEmpty ? usual : second
  }

  package mutating func scan(
    _ file: [UInt8], with decoder: PictureDecoder = PictureDecoder()
  ) throws(ImageError) -> FileReading {
    try file.withUnsafeBufferPointer { bytes throws(ImageError) in
      try scan(UnsafeRawBufferPointer(bytes), with: decoder)
    }
  }

  private mutating func look(
    _ file: UnsafeRawBufferPointer, _ decoder: PictureDecoder
  ) throws(ImageError) -> FileReading {
    let picture = try decoder.gray(file)
    let began = MonotonicClock.now
    let reading = picture.image.withView { scan($0) }
    return FileReading(
      picture: picture, background: decoder.background, reading: reading, seconds: MonotonicClock.now - began)
  }
}
