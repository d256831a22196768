import Testing
import WaymarkSystem

@testable import WaymarkImage

struct JPEGDecoderTests {
  /// Decodes into a fresh picture.
  private func decode(
    _ file: [UInt8], _ decoder: inout JPEGDecoder, scale: JPEGDecoder.Scale = .full
  ) throws(ImageError) -> (GrayImage, JPEGDecoder.Outcome) {
    var buffer = PixelBuffer(capacity: 0)
    var size = (0, 0)
    let outcome = try file.withUnsafeBufferPointer { bytes throws(ImageError) in
      try decoder.decode(UnsafeRawBufferPointer(bytes), scale: scale) { header throws(ImageError) in
        size = (header.scaledWidth, header.scaledHeight)
        buffer = PixelBuffer(capacity: size.0 * size.1)
        return (buffer.bytes, size.0, buffer.capacity)
      }
    }
    return (GrayImage(width: size.0, height: size.1, buffer: buffer), outcome)
  }

  /// Without the segments that carry `marker`.
  private func without(_ marker: UInt8, _ file: [UInt8]) -> [UInt8] {
    var out = Array(file[0..<2])
    var at = 2
    while file[at + 1] != 0xDA {
      let length = 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
      if file[at + 1] != marker { out += file[at..<(at + length)] }
      at += length
    }
    return out + file[at...]
  }

  @Test func readsWhatWasWritten() throws {
    var decoder = try JPEGDecoder()
    let picture = TestPictures.gray(97, 61)
    let (back, outcome) = try decode(try JPEGEncoder.encode(picture, quality: 95), &decoder)
    #expect(TestPictures.difference(picture, back) <= 25)  // the block's edge rings
    #expect(!outcome.isTruncated && !outcome.isDamaged)
    #expect(outcome.rows == 61)
  }

  @Test func handsOutColour() throws {
    let picture = TestPictures.rgb(64, 48)
    let back = try PictureDecoder().rgb(try JPEGEncoder.encode(picture, quality: 95))
    let (a, b) = (picture[50, 10], back.image[50, 10])
    #expect(abs(Int(a.red) - Int(b.red)) < 8)
    #expect(abs(Int(a.green) - Int(b.green)) < 8)
    #expect(abs(Int(a.blue) - Int(b.blue)) < 8)
  }

  @Test func motionJPEGWithoutTablesDecodesAlike() throws {
    var decoder = try JPEGDecoder()
    let file = try JPEGEncoder.encode(TestPictures.gray(160, 120))
    let bare = without(0xC4, file)
    #expect(bare.count < file.count)
    let (whole, _) = try decode(file, &decoder)
    let (reduced, outcome) = try decode(bare, &decoder)
    #expect(TestPictures.difference(whole, reduced) == 0)
    #expect(!outcome.isTruncated && !outcome.isDamaged)
  }

  @Test func scalesWhileDecoding() throws {
    var decoder = try JPEGDecoder()
    let file = try JPEGEncoder.encode(TestPictures.gray(161, 120))
    let (half, _) = try decode(file, &decoder, scale: .half)
    #expect((half.width, half.height) == (81, 60))
    let (eighth, _) = try decode(file, &decoder, scale: .eighth)
    #expect((eighth.width, eighth.height) == (21, 15))
    #expect(eighth[1, 1] > 240)
  }

  @Test func readsATruncatedFileAsFarAsItGoes() throws {
    let picture = TestPictures.gray(256, 256)
    let file = try JPEGEncoder.encode(picture, quality: 98)
    let read = try PictureDecoder().gray(Array(file.prefix(file.count * 6 / 10)))
    #expect(read.isTruncated)
    #expect((read.image.width, read.image.height) == (256, 256))
    #expect(abs(Int(read.image[200, 20]) - Int(picture[200, 20])) < 10)
    #expect(try !PictureDecoder().gray(file).isTruncated)
  }

  @Test func aDamagedFrameDoesNotSpoilTheNext() throws {
    var decoder = try JPEGDecoder()
    let picture = TestPictures.gray(64, 64)
    let file = try JPEGEncoder.encode(picture)
    for bad in [[], [0xFF, 0xD8], Array(file.prefix(100)), Array(file.dropFirst(3))] {
      #expect(throws: ImageError.self) { try self.decode(bad, &decoder) }
      let (back, outcome) = try decode(file, &decoder)
      #expect(TestPictures.difference(picture, back) < 40)
      #expect(!outcome.isTruncated)
    }
  }

  @Test func refusesADestinationThatIsTooSmall() throws {
    var decoder = try JPEGDecoder()
    let file = try JPEGEncoder.encode(TestPictures.gray(64, 64))
    let buffer = PixelBuffer(capacity: 64 * 63)
    #expect(throws: ImageError.self) {
      try file.withUnsafeBufferPointer { bytes throws(ImageError) in
        _ = try decoder.decode(UnsafeRawBufferPointer(bytes)) { _ in (buffer.bytes, 64, buffer.capacity) }
      }
    }
  }
}
