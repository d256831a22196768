import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct DotCodeTests {
  private func fixtures() throws -> [MatrixFixture] {
    try MatrixFixture.load("matrices.txt").filter { $0.symbology == .dotCode }
  }

  private func read(_ image: GrayImage) throws -> [String] {
    try image.read(ScanConfiguration(symbologies: [.dotCode], effort: .still)).symbols.map(\.text)
  }

  /// Returns the symbol without the dots of a share of its places.
  private func damaged(_ modules: ModuleMatrix, missing: Double, seed: UInt64) -> ModuleMatrix {
    var (modules, random) = (modules, RandomSource(seed: seed))
    for i in modules.dark.indices where modules.dark[i] && random.unit() < missing { modules.dark[i] = false }
    return modules
  }

  @Test("every mask, lit corners, shapes, blocks and character sets")
  func decodes() throws {
    let fixtures = try fixtures()
    #expect(fixtures.count == 16)
    for fixture in fixtures {
      let message = DotCodeDecoder.decode(fixture.modules)
      #expect(message?.decoded.text == fixture.text, "\(fixture.testDescription)")
      #expect(message?.isGS1 == (fixture.text.hasPrefix("0109") || fixture.text == "12"))
    }
  }

  @Test("one dot in twelve is missing, and the corners")
  func missingDots() throws {
    for (seed, fixture) in try fixtures().enumerated() where fixture.text.count > 8 {
      // Each of several blocks must be corrected by its own checks.
      let missing = fixture.text.hasPrefix("Blocks") ? 1.0 / 16 : 1.0 / 12
      var modules = damaged(fixture.modules, missing: missing, seed: UInt64(seed))
      #expect(DotCodeDecoder.decode(modules)?.decoded.text == fixture.text, "\(fixture.testDescription)")
      modules = fixture.modules
      let (right, bottom) = (modules.columns - 1, modules.rows - 1)
      for (x, y) in [(0, 0), (right, 0), (0, bottom), (right, bottom), (1, bottom), (right - 1, bottom)] {
        modules.dark[y * modules.columns + x] = false
      }
      #expect(DotCodeDecoder.decode(modules)?.decoded.text == fixture.text, "\(fixture.testDescription)")
    }
  }

  @Test("beyond its correction a symbol is not read, and never as another")
  func beyond() throws {
    for (seed, fixture) in try fixtures().enumerated() {
      for missing in [0.3, 0.5, 0.7] {
        let message = DotCodeDecoder.decode(damaged(fixture.modules, missing: missing, seed: UInt64(seed)))
        #expect(message == nil || message?.decoded.text == fixture.text && missing == 0.3)
      }
      // Half of the dots of the smallest symbol may not be made up.
      var modules = fixture.modules
      for i in modules.dark.indices where i.isMultiple(of: 7) { modules.dark[i].toggle() }
      let message = DotCodeDecoder.decode(modules)
      #expect(message == nil || message?.decoded.text == fixture.text)
    }
  }

  @Test("codewords that no encoder at hand writes")
  func codewords() {
    func text(_ words: [Int]) -> CodeMessage? {
      var text = DotCodeText(words)
      return text.message()
    }
    // Latch B, macro 06, "AB"; latch B, the general macro with format 12.
    #expect(text([106, 98, 33, 34])?.decoded.text == "[)>\u{1E}06\u{1D}AB\u{1E}\u{4}")
    #expect(text([106, 100, 17, 18, 33])?.decoded.text == "[)>\u{1E}12A\u{4}")
    // The identifiers 17 and 10 in short.
    #expect(text([100, 27, 12, 31, 12])?.decoded.text == "172712311012")
    // FNC3 first configures a reader; elsewhere it divides messages.
    #expect(text([109, 107, 12])?.isReaderProgramming == true)
    #expect(text([107, 12, 109, 12]) == nil)
    // An interpretation of three codewords, and one within binary content: 256, 26, then "é" in UTF-8.
    #expect(text([108, 40, 2, 3, 106, 33])?.segments == [CodeMessage.Segment(eci: 269, bytes: [65])])
    var (value, words) = ([256, 26, 0xC3, 0xA9, 65].reduce(0) { $0 * 259 + $1 }, [Int]())
    for _ in 0..<6 {
      words.insert(value % 103, at: 0)
      value /= 103
    }
    #expect(text([112] + words)?.segments == [CodeMessage.Segment(eci: 26, bytes: [0xC3, 0xA9, 65])])
    // A part needs a number and a count; a shift needs its characters.
    #expect(text([106, 33, 18, 19, 108])?.part == CodeMessage.Fragment(index: 1, count: 3, identifier: ""))
    #expect(text([106, 33, 20, 19, 108]) == nil)
    #expect(text([102]) == nil)
  }

  @Test("turned, light on dark and in a mirror")
  func pictures() throws {
    for fixture in try fixtures().prefix(11) {
      #expect(try read(fixture.draw(scale: 3)) == [fixture.text], "\(fixture.testDescription)")
      #expect(try read(fixture.draw(scale: 4, isInverted: true)) == [fixture.text], "\(fixture.testDescription)")
      #expect(try read(fixture.draw(scale: 4, isMirrored: true)) == [fixture.text], "\(fixture.testDescription)")
      let picture = fixture.draw(scale: 4)
      let side = picture.width + picture.height
      let place = Quadrilateral(width: Double(picture.width), height: Double(picture.height)).rotated(by: 0.5)
        .mapped { $0 + Point2(Double(side - picture.width) / 2, Double(side - picture.height) / 2) }
      #expect(
        try read(picture.seen(as: place, width: side, height: side)) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("a full chequerboard, rows of dots and random dots are no symbol")
  func nothing() throws {
    var random = RandomSource(seed: 4)
    for share in [1, 0.55, 0.3] {
      for isChequered in [true, false] {
        let dots = (0..<(60 * 40)).map { i in
          (!isChequered || (i % 60 + i / 60) % 2 == 0) && random.unit() < share
        }
        let picture = GrayImage(width: 260, height: 180) { pixels in
          for i in pixels.indices {
            let (x, y) = (i % 260 - 10, i / 260 - 10)
            let isInside = x >= 0 && y >= 0 && x < 240 && y < 160 && x % 4 < 3 && y % 4 < 3
            pixels[i] = isInside && dots[y / 4 * 60 + x / 4] ? 20 : 235
          }
        }
        #expect(try read(picture).isEmpty)
      }
    }
  }
}
