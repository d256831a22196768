import Testing

@testable import WaymarkImage

struct OrientationTests {
  /// A 3 x 2 picture: a b c / d e f.
  private let stored = GrayImage(width: 3, height: 2) { out in
    for (i, letter) in "abcdef".utf8.enumerated() { out[i] = letter }
  }

  @Test(arguments: [
    (1, "abc/def"), (2, "cba/fed"), (3, "fed/cba"), (4, "def/abc"), (5, "ad/be/cf"), (6, "da/eb/fc"), (7, "fc/eb/da"),
    (8, "cf/be/ad"),
  ])
  func turns(_ value: Int, _ expected: String) throws {
    let image = stored.oriented(try #require(Orientation(rawValue: value)))
    let rows = (0..<image.height).map { y in
      String(decoding: (0..<image.width).map { image[$0, y] }, as: UTF8.self)
    }
    #expect(rows.joined(separator: "/") == expected)
  }

  @Test(
    arguments: [
      (0, [0, 1, 2, 3, 4, 5]), (-1, [2, 5, 1, 4, 0, 3]), (3, [2, 5, 1, 4, 0, 3]), (2, [5, 4, 3, 2, 1, 0]),
      (-2, [5, 4, 3, 2, 1, 0]), (1, [3, 0, 4, 1, 5, 2]), (-3, [3, 0, 4, 1, 5, 2]), (-8, [0, 1, 2, 3, 4, 5]),
    ] as [(Int, [UInt8])])
  func quarterTurnsGoRound(_ turns: Int, _ expected: [UInt8]) {
    let small = GrayImage(width: 3, height: 2) { target in for i in 0..<6 { target[i] = UInt8(i) } }
    func pixels(_ image: GrayImage) -> [UInt8] {
      (0..<image.height).flatMap { y in (0..<image.width).map { image[$0, y] } }
    }
    let turned = small.oriented(Orientation(quarterTurns: turns))
    #expect(pixels(turned) == expected)
    #expect(pixels(turned.oriented(Orientation(quarterTurns: -turns))) == pixels(small))
  }

  @Test func colourTurnsAlike() {
    for orientation in Orientation.allCases {
      let colour = RGBImage(stored).oriented(orientation)
      let gray = stored.oriented(orientation)
      #expect((colour.width, colour.height) == (gray.width, gray.height))
      for y in 0..<gray.height {
        for x in 0..<gray.width { #expect(colour[x, y].green == gray[x, y]) }
      }
    }
  }

  /// `value` in an APP1 segment behind the start of the file.
  static func tagged(_ file: [UInt8], _ value: UInt8, littleEndian: Bool) -> [UInt8] {
    let tiff: [UInt8] =
      littleEndian
      ? [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, value, 0, 0, 0, 0, 0, 0, 0]
      : [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0]
    let segment = Array("Exif\0\0".utf8) + tiff
    return Array(file[0..<2]) + [0xFF, 0xE1, 0, UInt8(segment.count + 2)] + segment + file[2...]
  }

  @Test func isTakenFromTheFile() throws {
    let picture = TestPictures.gray(40, 24)
    let file = try JPEGEncoder.encode(picture, quality: 100)
    let plain = try PictureDecoder().gray(file)
    #expect(plain.orientation == .upright)
    for orientation in Orientation.allCases {
      for little in [true, false] {
        let read = try PictureDecoder().gray(Self.tagged(file, UInt8(orientation.rawValue), littleEndian: little))
        #expect(read.orientation == orientation)
        #expect(TestPictures.difference(read.image, plain.image.oriented(orientation)) == 0)
      }
    }
  }

  @Test(arguments: [0, 9, 255]) func nonsenseMeansUpright(_ value: UInt8) throws {
    let file = Self.tagged(try JPEGEncoder.encode(TestPictures.gray(16, 8)), value, littleEndian: true)
    #expect(try PictureDecoder().gray(file).orientation == .upright)
  }
}
