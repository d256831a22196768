import Foundation
import Testing
import WaymarkSystem

@testable import WaymarkImage

struct PictureDecoderTests {
  private func gray(_ text: String) throws(ImageError) -> GrayImage {
    try PictureDecoder().gray(Array(text.utf8)).image
  }

  private func pixels(_ image: GrayImage) -> [UInt8] {
    (0..<image.height).flatMap { y in (0..<image.width).map { image[$0, y] } }
  }

  @Test func readsPNGBack() throws {
    let picture = TestPictures.gray(51, 37)
    let file = try PNGEncoder.encode(picture)
    let read = try PictureDecoder().gray(file)
    #expect(read.format == .png)
    #expect(TestPictures.difference(picture, read.image) == 0)
    let colour = TestPictures.rgb(20, 10)
    let back = try PictureDecoder().rgb(try PNGEncoder.encode(colour)).image
    #expect(back[13, 7] == colour[13, 7])
  }

  @Test func colourBecomesGrayAlikeEverywhere() throws {
    let colour = TestPictures.rgb(33, 21)
    let png = try PictureDecoder().gray(try PNGEncoder.encode(colour)).image
    var ppm = Array("P6 33 21 255\n".utf8)
    colour.withBytes { ppm += $0 }
    let pnm = try PictureDecoder().gray(ppm).image
    #expect(TestPictures.difference(png, pnm) <= 1)
    // A chunk sRGB behind the header, as screenshots have it, changes no value.
    var named = try PNGEncoder.encode(colour)
    named.insert(contentsOf: [0, 0, 0, 1, 0x73, 0x52, 0x47, 0x42, 0, 0xae, 0xce, 0x1c, 0xe9], at: 33)
    #expect(pixels(try PictureDecoder().gray(named).image) == pixels(png))
  }

  @Test func readsEveryPNM() throws {
    #expect(pixels(try gray("P1\n# a comment\n3 2\n101 0 1 0")) == [0, 255, 0, 255, 0, 255])
    #expect(pixels(try gray("P2 3 1 15 0 15 5")) == [0, 255, 85])
    #expect(pixels(try gray("P3 2 1 255 255 255 255 0 0 0")) == [255, 0])
    #expect(
      pixels(try PictureDecoder().gray(Array("P4 3 2\n".utf8) + [0b1010_0000, 0b0100_0000]).image)
        == [0, 255, 0, 255, 0, 255])
    #expect(pixels(try PictureDecoder().gray(Array("P5 2 1 65535\n".utf8) + [255, 255, 0x80, 0]).image) == [255, 128])
    #expect(pixels(try PictureDecoder().gray(Array("P6 1 1 255\n".utf8) + [255, 0, 0]).image) == [76])
  }

  @Test(arguments: [
    "P5 ", "P5 2", "P5 2 2 255\n", "P5 0 2 255\nab", "P2 2 2 0 1 1 1 1", "P1 2 2 1 0 1", "P1 2 1 12",
    "P3 1 1 70000 1 1 1", "P2 2 1 255 1 x", "P4 99999999999999999999 1\n",
  ])
  func refusesDamagedPNM(_ text: String) {
    #expect { try self.gray(text) } throws: { ($0 as? ImageError)?.code == .damagedPicture }
  }

  @Test func refusesByName() {
    let files: [(String, [UInt8])] = [
      ("ICO", [0, 0, 1, 0, 1, 0, 16, 16]),
      ("PDF", Array("%PDF-1.7\n".utf8)), ("HEIC", [0, 0, 0, 24] + Array("ftypheic....mif1heic".utf8)),
      ("AVIF", [0, 0, 0, 24] + Array("ftypavif....".utf8)), ("TIFF", [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]),
    ]
    for (name, bytes) in files {
      #expect {
        try PictureDecoder().gray(bytes)
      } throws: { error in
        guard let error = error as? ImageError else { return false }
        return error.code == .unsupportedFormat && error.message.contains(name) && error.hint.contains("Convert")
      }
    }
  }

  /// Noise in every kind of BMP and GIF, and a PNG of the same pixels that another program wrote.
  @Test func readsTheSamePixelsAsFromPNG() throws {
    let folder = TestPictures.fixtures + "/Pictures/equal"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let pairs = names.filter { names.contains($0 + ".png") }
    #expect(pairs.count >= 13)
    for name in pairs {
      let (file, twin) = (try PictureFile.read("\(folder)/\(name)"), try PictureFile.read("\(folder)/\(name).png"))
      let (image, expected) = (try PictureDecoder().rgb(file), try PictureDecoder().rgb(twin).image)
      #expect(image.image.width == expected.width && image.image.height == expected.height, "\(name)")
      #expect(image.image.withBytes { $0.elementsEqual(expected.withBytes { Array($0) }) }, "\(name)")
      #expect(image.isTransparent == (name.contains("alpha") || name.contains("transparent")), "\(name)")
      let gray = try PictureDecoder().gray(file).image
      let opaque = !image.isTransparent
      #expect(TestPictures.difference(gray, try PictureDecoder().gray(twin).image) <= (opaque ? 1 : 2), "\(name)")
    }
  }

  @Test func laysTransparencyOverItsBackground() throws {
    // Gray and alpha: clear, half, opaque.
    let file = try PictureFile.read(TestPictures.fixtures + "/Pictures/read/dark-png.png")
    var decoder = PictureDecoder()
    decoder.background = .white
    let white = try decoder.gray(file)
    decoder.background = .black
    let black = try decoder.gray(file)
    #expect(white.isTransparent && black.isTransparent)
    #expect(pixels(white.image).allSatisfy { $0 == 255 })
    #expect(Set(pixels(black.image)) == [0, 255])
    #expect(try !PictureDecoder().gray(try PNGEncoder.encode(TestPictures.gray(9, 9))).isTransparent)
  }

  /// The ground is that on which the picture can be seen, and white where both are.
  @Test func choosesTheBackgroundOnWhichAPictureCanBeSeen() throws {
    for (tone, expected) in [(255, .black), (240, .black), (190, .black), (160, .white), (0, .white)]
      as [(UInt8, PictureBackground)]
    {
      // BITMAPV4HEADER, 8 × 8 pixels with masks for blue, green, red and alpha: a square of one tone on nothing.
      func numbers(_ values: UInt32...) -> [UInt8] {
        values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
      }
      var file = Array("BM".utf8) + numbers(122 + 256, 0, 122, 108, 8, 8, 1 | 32 << 16, 3, 256, 0, 0, 0, 0)
      file += numbers(0xFF0000, 0xFF00, 0xFF, 0xFF00_0000) + [UInt8](repeating: 0, count: 52)
      for y in 0..<8 {
        for x in 0..<8 { file += 2..<6 ~= x && 2..<6 ~= y ? [tone, tone, tone, 255] : [0, 0, 0, 0] }
      }
      let (gray, colour) = (try PictureDecoder().gray(file), try PictureDecoder().rgb(file))
      #expect(gray.isTransparent && gray.background == expected && colour.background == expected, "\(tone)")
      #expect(gray.image[0, 0] == expected.rawValue && gray.image[4, 4] == tone, "\(tone)")
    }
  }

  /// Every beginning of a file, and every byte changed: an answer or an error, and never more pixels than allowed.
  @Test(arguments: ["bmp-runs8.bmp", "bmp-os2.bmp", "bmp-v5.bmp", "gif-interlaced.gif", "gif-comment.gif"])
  func survivesDamage(_ name: String) throws {
    let file = try PictureFile.read(TestPictures.fixtures + "/Pictures/read/" + name)
    let decoder = PictureDecoder(pixelLimit: 1 << 16)
    var random = RandomSource(seed: 3)
    for length in stride(from: 0, to: file.count, by: max(1, file.count / 150)) {
      _ = try? decoder.gray(Array(file[..<length]))
    }
    var decoded = 0
    for _ in 0..<400 {
      var broken = file
      for _ in 0..<4 {
        broken[Int(random.next() % UInt64(min(300, file.count)))] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let picture = try? decoder.rgb(broken) else { continue }
      #expect(picture.image.width * picture.image.height <= 1 << 16)
      decoded += 1
    }
    #expect(decoded > 0)
  }

  @Test func saysWhatIsWrong() {
    func code(_ bytes: [UInt8], limit: Int = 1000) -> ImageError.Code? {
      do {
        _ = try PictureDecoder(pixelLimit: limit).gray(bytes)
        return nil
      } catch { return error.code }
    }
    #expect(code([]) == .emptyFile)
    #expect(code(Array("hello, world".utf8)) == .unknownFormat)
    #expect(code(Array("P5 1000 1000 255\n".utf8)) == .tooManyPixels)
    #expect(code(Array("P5 2000000000 2000000000 255\n".utf8), limit: .max) == .tooManyPixels)
    #expect(code([0xFF, 0xD8, 0xFF, 0xE0]) == .damagedPicture)
    #expect(code([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == .damagedPicture)
    #expect(code(Array("RIFF....WEBPVP8 ".utf8)) == .damagedPicture)
  }

  @Test func theLimitHoldsForEveryFormat() throws {
    let big = TestPictures.gray(64, 32)
    for file in [try JPEGEncoder.encode(big), try PNGEncoder.encode(big)] {
      #expect(try PictureDecoder(pixelLimit: 2048).gray(file).image.width == 64)
      #expect {
        try PictureDecoder(pixelLimit: 2047).gray(file)
      } throws: { ($0 as? ImageError)?.code == .tooManyPixels }
    }
  }
}

/// The pictures that `Scripts/make-test-pictures` makes, pixel by pixel.
struct PictureFilesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/Pictures/read").path

  static func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { folder + "/" + $0 }
  }

  /// All show the same: a code whose finder pattern stands 12 pixels from the top left, dark on light, 24 pixels of light
  /// below it.
  @Test func showTheSameInEveryFormat() throws {
    for file in try Self.files() where !file.contains("truncated") {
      let bytes = try PictureFile.read(file)
      let name = file.split(separator: "/").last ?? ""
      var decoder = PictureDecoder()
      if name.hasPrefix("dark") { decoder.background = .black }
      let gray = try decoder.gray(bytes).image
      #expect((gray.width, gray.height) == (111, 123), "\(name)")
      for (x, y) in [(3, 3), (107, 3), (3, 119), (107, 119), (55, 112)] { #expect(gray[x, y] > 150, "\(name)") }
      for (x, y) in [(13, 13), (13, 31), (31, 13), (22, 22)] { #expect(gray[x, y] < 90, "\(name)") }
      #expect(gray[17, 17] > 150, "\(name)")
      // In colour it has the same brightness.
      let colour = try decoder.rgb(bytes).image
      #expect((colour.width, colour.height) == (111, 123), "\(name)")
      for (x, y) in [(3, 3), (13, 13), (17, 17), (49, 60)] {
        let pixel = colour[x, y]
        #expect(abs(Int(Luma.of(pixel.red, pixel.green, pixel.blue)) - Int(gray[x, y])) <= 6, "\(name)")
      }
    }
  }

  @Test func fileProblemsAreNamed() {
    #expect { try PictureFile.read("/nowhere/at/all.png") } throws: { ($0 as? ImageError)?.code == .cannotOpen }
    #expect { try PictureFile.read("/") } throws: { ($0 as? ImageError)?.code == .cannotOpen }
    #expect { try PictureFile.read("/dev/zero", limit: 1 << 20) } throws: { ($0 as? ImageError)?.code == .fileTooLarge }
  }
}
