import Testing

@testable import WaymarkImage

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
