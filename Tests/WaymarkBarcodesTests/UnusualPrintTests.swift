import Testing
import WaymarkImage

@testable import WaymarkBarcodes

/// Codes that are not printed dark on light with a quiet zone, or not in whole modules.
@Suite struct UnusualPrintTests {
  private func matrix(_ symbology: Symbology, columns: Int? = nil) throws -> MatrixFixture {
    try #require(
      try MatrixFixture.load("matrices.txt").first {
        $0.symbology == symbology && !$0.text.isEmpty && $0.modules.columns >= columns ?? 13
          && (symbology != .dataMatrix || $0.modules.columns == $0.modules.rows)
      })
  }

  /// A picture of modules of so many pixels, `ink` and white, on a ground of one tone that begins at the outermost module.
  private func onGround(_ image: GrayImage, tone: UInt8, ink: UInt8 = 0) -> GrayImage {
    let dark = (0..<image.width * image.height).filter { image[$0 % image.width, $0 / image.width] < 128 }
    let (xs, ys) = (dark.map { $0 % image.width }, dark.map { $0 / image.width })
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else { return image }
    let margin = 48
    let (width, height) = (right - left + 1 + 2 * margin, bottom - top + 1 + 2 * margin)
    return GrayImage(width: width, height: height) { pixels in
      pixels.update(repeating: tone)
      for y in top...bottom {
        for x in left...right {
          pixels[(y - top + margin) * width + x - left + margin] = image[x, y] < 128 ? ink : 255
        }
      }
    }
  }

  @Test("codes without a quiet zone on a dark page", arguments: [UInt8(0), 30])
  func darkGround(tone: UInt8) throws {
    let qr = try Fixture.load("qr-ascii")
    #expect(try onGround(qr, tone: tone).read().symbols.map(\.text) == ["WAYMARK-1"])
    let bars = try Fixture.load("ean13")
    let reading = try onGround(bars, tone: tone).read()
    #expect(reading.symbols.map(\.text) == ["4006381333931"])
    // On the lighter ground the usual passes read the bars, with an outline that is less exact.
    if tone == 0 { #expect(abs((reading.symbols.first?.corners.topLeft.x ?? 0) - 48) < 4) }
    for symbology in [Symbology.microQR, .dataMatrix] {
      let fixture = try matrix(symbology)
      #expect(
        try onGround(fixture.draw(scale: 5), tone: tone).read().symbols.map(\.text) == [fixture.text],
        "\(fixture.testDescription)")
    }
  }

  @Test("a light PDF417 on dark, upright and on its side")
  func lightStack() throws {
    let fixture = try matrix(.pdf417)
    let picture = fixture.draw(scale: 3, isInverted: true)
    for image in [picture, picture.oriented(.turn90)] {
      let reading = try image.read()
      #expect(reading.symbols.map(\.text) == [fixture.text])
      let bounds = try #require(reading.symbols.first).corners.bounds
      #expect(bounds.min.x > 0 && bounds.max.x < Double(image.width) && bounds.max.y < Double(image.height))
    }
  }

  @Test("a Data Matrix of dots", arguments: [0.5, 0.75, 1], [4.0, 10])
  func dots(size: Double, pitch: Double) throws {
    let fixture = try matrix(.dataMatrix, columns: 16)
    let width = Int(Double(fixture.modules.columns + 6) * pitch)
    let picture = GrayImage(width: width, height: width) { pixels in
      for y in 0..<width {
        for x in 0..<width {
          // The share of a pixel that a dot covers, from sixteen places in it.
          let covered = (0..<16).count { i in
            let at = Point2(Double(x) + Double(i % 4) / 4 + 0.125, Double(y) + Double(i / 4) / 4 + 0.125) / pitch - 3
            let (u, v) = (at.x.rounded(.down), at.y.rounded(.down))
            guard (0..<Double(fixture.modules.columns)).contains(u), (0..<Double(fixture.modules.rows)).contains(v),
              fixture.modules[Int(u), Int(v)]
            else { return false }
            return at.distance(to: [u + 0.5, v + 0.5]) < size / 2
          }
          pixels[y * width + x] = UInt8(235 - 13 * covered)
        }
      }
    }
    #expect(try picture.read().symbols.map(\.text) == [fixture.text])
  }

  @Test("a DataBar Expanded with a character like a finder pattern", arguments: [2, 4])
  func wideDataBar(scale: Int) throws {
    let widths =
      ("111223125184113431221121141521115624111123424311321364113322"
      + "141112316121118232115121411111417328111117231124121124119221")
      .compactMap(\.wholeNumberValue)
    let width = (widths.reduce(2, +)) * scale
    let picture = GrayImage(width: width, height: 42 * scale) { pixels in
      pixels.update(repeating: 255)
      var x = scale
      for (i, modules) in widths.enumerated() {
        if i.isMultiple(of: 2) {
          for y in 4 * scale..<38 * scale { for u in x..<(x + modules * scale) { pixels[y * width + u] = 0 } }
        }
        x += modules * scale
      }
    }
    #expect(try picture.read().symbols.map(\.text) == ["010952123454321310ABC\u{1D}21123X"])
  }

  @Test("low bars whose ends cut the cells of the bar search", arguments: [646, 649, 650])
  func lowBars(top: Int) throws {
    let code = try Fixture.load("itf")
    let picture = GrayImage(width: 1240, height: 1320) { pixels in
      pixels.update(repeating: 255)
      for y in top..<(top + 29) {
        for x in 0..<(2 * code.width) { pixels[y * 1240 + x + 200] = code[x / 2, code.height / 2] }
      }
    }
    #expect(try picture.read().symbols.map(\.text) == ["12345678"])
  }
}
