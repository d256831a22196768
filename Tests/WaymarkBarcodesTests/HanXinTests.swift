import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct HanXinTests {
  private func fixtures() throws -> [MatrixFixture] { try MatrixFixture.load("hanxin.txt") }

  private func read(_ image: GrayImage) throws -> [String] {
    try image.read(ScanConfiguration(symbologies: [.hanXin], effort: .still)).symbols.map(\.text)
  }

  @Test("versions, levels, masks, modes and character sets")
  func decodes() throws {
    let fixtures = try fixtures()
    #expect(fixtures.count == 28)
    for fixture in fixtures {
      #expect(HanXinDecoder.decode(fixture.modules)?.decoded.text == fixture.text, "\(fixture.testDescription)")
    }
  }

  @Test("every version has as many modules as its blocks need")
  func layouts() {
    for version in HanXinLayout.versions {
      let count = HanXinLayout(version).data.count / 8
      for level in HanXinVersion.all[version - 1].levels {
        #expect(level.reduce(0) { $0 + $1.count * ($1.data + $1.checks) } == count, "version \(version)")
      }
    }
  }

  @Test("a wrong module in forty is corrected, and a third is not read as something else")
  func damage() throws {
    for (seed, fixture) in try fixtures().enumerated() {
      for share in [1.0 / 40, 1.0 / 3] {
        var (modules, random) = (fixture.modules, RandomSource(seed: UInt64(seed)))
        for i in modules.dark.indices where random.unit() < share { modules.dark[i].toggle() }
        let text = HanXinDecoder.decode(modules)?.decoded.text
        #expect(text == nil || text == fixture.text && share < 0.1, "\(fixture.testDescription)")
      }
    }
  }

  @Test("pictures of any size of modules, turned, light on dark")
  func pictures() throws {
    for (i, fixture) in try fixtures().enumerated() {
      let picture = fixture.draw(scale: 2 + i % 4, isInverted: i % 5 == 4)
      #expect(try read(picture) == [fixture.text], "\(fixture.testDescription)")
      let turned = GrayImage(width: picture.height, height: picture.width) { pixels in
        for y in 0..<picture.width {
          for x in 0..<picture.height { pixels[y * picture.height + x] = picture[picture.width - 1 - y, x] }
        }
      }
      #expect(try read(turned) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("seen in a mirror")
  func mirrored() throws {
    for (i, fixture) in try fixtures().enumerated() where i.isMultiple(of: 3) {
      let picture = fixture.draw(scale: 3 + i % 2).oriented(i.isMultiple(of: 2) ? .mirror : .flip)
      #expect(try read(picture) == [fixture.text], "\(fixture.testDescription)")
    }
  }

  @Test("a symbol without two of its corners is not read, and by default none is")
  func refuses() throws {
    let fixture = try fixtures()[8]
    let picture = fixture.draw(scale: 4)
    #expect(try !picture.read().symbols.contains { $0.symbology == .hanXin })
    let half = GrayImage(width: picture.width, height: picture.height) { pixels in
      for y in 0..<picture.height {
        for x in 0..<picture.width { pixels[y * picture.width + x] = 2 * y < picture.height ? picture[x, y] : 235 }
      }
    }
    #expect(try read(half).isEmpty)
  }

  // MARK: Modes that no encoder writes

  private func text(_ bits: String) -> CodeMessage? {
    let digits = bits.filter { $0 != " " }
    let padded = digits + String(repeating: "0", count: 16 - digits.count % 8)
    let words = stride(from: 0, to: padded.count, by: 8).compactMap { Int(padded.dropFirst($0).prefix(8), radix: 2) }
    var text = HanXinText(words)
    return text.message()
  }

  @Test("element strings of GS1, with the separator among the digits")
  func elementStrings() {
    let message = text("1110 0001  0001 0001100100 0000000001 1111101000 0000010101 1111111110  1111 1111")
    #expect(message?.isGS1 == true)
    #expect(message.map { Array($0.bytes) } == Array("100001\u{1D}21".utf8))
  }

  @Test(arguments: [
    "0001 1111110000", "0001 0000001100 1111111101", "0010 000001", "0011 0000000000010", "0100 111111101010",
    "0101 101111000000", "0110 101110101000110", "1001", "0000",
  ])
  func refusesBrokenModes(bits: String) { #expect(text(bits) == nil) }
}
