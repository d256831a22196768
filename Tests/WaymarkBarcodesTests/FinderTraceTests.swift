import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// The advice about a QR code that cannot be read, and the silence about what is none.
@Suite struct FinderTraceTests {
  private func read(_ image: GrayImage) throws -> ScanReading {
    var scanner = try BarcodeScanner(.still)
    return image.withView { scanner.scan($0) }
  }

  /// A part of a fixture on a gray table.
  private func part(_ name: String, columns: Range<Int>, rows: Range<Int>) throws -> GrayImage {
    let code = try Fixture.load(name)
    return GrayImage(width: 240, height: 200) { pixels in
      pixels.update(repeating: 150)
      for y in rows {
        for x in columns { pixels[(y - rows.lowerBound + 40) * 240 + x - columns.lowerBound + 50] = code[x, y] }
      }
    }
  }

  @Test func onePatternIsEnough() throws {
    // The margin of four modules, the pattern and four columns of data.
    let reading = try read(part("qr-ascii", columns: 0..<45, rows: 0..<45))
    #expect(reading.symbols.isEmpty)
    #expect(reading.unread.map(\.kind) == [.qr])
    let corners = try #require(reading.unread.first?.corners)
    #expect(corners.center.distance(to: [72, 62]) < 4)
  }

  @Test func saysThatACodeIsCutOff() throws {
    let code = try Fixture.load("qr-ascii")
    let corner = code.withView { GrayImage(copying: $0.cropped(x: 0, y: 0, width: 46, height: 46)) }
    let reading = try read(corner)
    #expect(reading.unread.map(\.kind) == [.qr])
    #expect(reading.unread.first?.advice == .cutOff)
  }

  @Test func likenessTellsPolarityAndShape() throws {
    let code = try Fixture.load("qr-ascii")
    // Three pixels a module, a margin of four modules: the middle of the first pattern.
    let center = Point2(7.5 * 3 - 0.5, 7.5 * 3 - 0.5)
    let upright = code.withView { FinderShape.likeness($0, center, [3, 0], [0, 3]) }
    #expect(upright.correlation > 0.99)
    #expect(upright.contrast > 250)
    let inverted = ToneMapping.invert(code.unsafeView).withView { FinderShape.likeness($0, center, [3, 0], [0, 3]) }
    #expect(inverted.correlation < -0.99)
    let beside = code.withView { FinderShape.likeness($0, center + Point2(21, 21), [3, 0], [0, 3]) }
    #expect(beside.correlation < 0.6)
    #expect(code.withView { FinderShape.likeness($0, [-40, -40], [3, 0], [0, 3]) }.correlation == 0)
  }

  @Test func patternsOfOtherThingsAreNoCode() throws {
    let rings = GrayImage(width: 300, height: 220) { pixels in
      for y in 0..<220 {
        for x in 0..<300 {
          // Circles like those of a target, and a chessboard beside them.
          let dx = Double(x - 80)
          let dy = Double(y - 100)
          let radius = (dx * dx + dy * dy).squareRoot()
          let ring = Int((radius + 7) / 14)
          let dark = x < 160 ? radius < 70 && ring.isMultiple(of: 2) : (x / 10 + y / 10).isMultiple(of: 2)
          pixels[y * 300 + x] = dark ? 30 : 220
        }
      }
    }
    #expect(try read(rings).unread.isEmpty)
    var random = SeededBytes(seed: 5)
    let noise = GrayImage(width: 320, height: 240) { pixels in for i in pixels.indices { pixels[i] = random.next() } }
    #expect(try read(noise).unread.isEmpty)
  }

  @Test func cornersOfAPatternAreItsOuterOnes() throws {
    let code = try Fixture.load("qr-ascii")
    let levels = code.withView { BlockMean($0) }
    let search = code.withView { FinderSearch($0, levels: levels) }
    let pattern = try #require(search.found[0].min { $0.center.length < $1.center.length })
    let corners = code.withView {
      FinderRing(
        around: pattern.center, moduleX: pattern.moduleX, moduleY: pattern.moduleY, in: $0, levels: levels, dark: true)?
        .corners(towards: [1, 0], [0, 1])
    }
    let expected: [Point2] = [[11.5, 11.5], [32.5, 11.5], [32.5, 32.5], [11.5, 32.5]]
    let seen = try #require(corners)
    for (a, b) in zip(seen, expected) { #expect(a.distance(to: b) < 0.8) }
  }
}

/// Bytes that are the same in every run.
struct SeededBytes {
  private var state: UInt32
  init(seed: UInt32) { state = seed }
  mutating func next() -> UInt8 {
    state = state &* 1_664_525 &+ 1_013_904_223
    return UInt8(state >> 24)
  }
}
