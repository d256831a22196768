import Testing
import WaymarkImage

/// Drawings among pictures.
@Suite struct DrawingTests {
  /// A picture whose gray level is `level` of the column.
  private func picture(_ level: @escaping (Int) -> Int) -> GrayImage {
    GrayImage(width: 200, height: 4) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(level(i % 200)) }
    }
  }

  @Test func twoTonesAreADrawing() {
    #expect(picture { $0.isMultiple(of: 3) ? 0 : 255 }.withView { $0.isDrawn })
    // A tone between them may take 19 columns of 200, not 21.
    #expect(picture { $0 < 19 ? 128 : $0 < 100 ? 40 : 220 }.withView { $0.isDrawn })
    #expect(!picture { $0 < 21 ? 128 : $0 < 100 ? 40 : 220 }.withView { $0.isDrawn })
  }

  @Test func shadesAreNone() {
    #expect(!picture { $0 }.withView { $0.isDrawn })
    #expect(!picture { _ in 90 }.withView { $0.isDrawn })
    // Two tones next to each other leave nothing between them.
    #expect(picture { $0.isMultiple(of: 2) ? 90 : 91 }.withView { $0.isDrawn })
  }
}

struct RGBCanvasTests {
  private let white = GrayImage(width: 40, height: 30, value: 255)

  private func ink(_ image: RGBImage) -> Double {
    var sum = 0.0
    for y in 0..<image.height { for x in 0..<image.width { sum += Double(255 - image[x, y].red) / 255 } }
    return sum
  }

  @Test func aLineCoversItsArea() {
    for (a, b) in [(Point2(5, 5), Point2(35, 5)), (Point2(5, 5), Point2(30, 25)), (Point2(30, 4), Point2(8, 27))] {
      var canvas = RGBCanvas(white)
      canvas.line(from: a, to: b, width: 3, .black)
      // A rectangle and two half discs of radius 1.5.
      let area = 3 * a.distance(to: b) + 7.07
      #expect(abs(ink(canvas.finish()) - area) < 0.04 * area)
    }
  }

  @Test func whatLiesOutsideDoesNoHarm() {
    var canvas = RGBCanvas(white)
    canvas.polygon([Point2(-50, -50), Point2(1e9, 3), Point2(20, -1e12), Point2(.nan, 4)], width: 5, .red)
    canvas.rectangle(x: -10, y: -10, width: 12, height: 12, .blue)
    canvas.text("outside", x: -20, y: 27, scale: 2, .green)
    let image = canvas.finish()
    #expect(image[1, 1] == (Colour.blue.red, Colour.blue.green, Colour.blue.blue))
    #expect((image.width, image.height) == (40, 30))
  }

  @Test func theOriginalStaysAsItIs() {
    let original = RGBImage(white)
    var canvas = RGBCanvas(original)
    canvas.rectangle(x: 0, y: 0, width: 40, height: 30, .black)
    #expect(ink(canvas.finish()) == 1200)
    #expect(ink(original) == 0)
  }

  @Test func everyGlyphIsSevenRowsOfFivePixels() {
    for scalar in 32..<127 {
      let rows = BitmapFont.rows(of: Character(Unicode.Scalar(UInt8(scalar))))
      #expect(rows.count == 7)
      #expect(rows.allSatisfy { (0..<32).contains($0) })
    }
    #expect(BitmapFont.rows(of: "A") != BitmapFont.rows(of: "ü"))
    #expect(BitmapFont.width(of: "EAN-13") == 35)
  }
}
