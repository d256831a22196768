import Testing
import WaymarkImage

@testable import WaymarkText

@Suite struct LinePictureTests {
  /// A line of ten characters, 32 by 40 pixels, 14 apart.
  private func line(_ isInk: (_ x: Int, _ y: Int) -> Bool) -> GrayImage {
    GrayImage(width: 500, height: 72) { pixels in
      for y in 0..<72 {
        for x in 0..<500 {
          let (along, up) = (x - 20, y - 16)
          let isInside = (0..<460).contains(along) && (0..<40).contains(up) && along % 46 < 32
          pixels[y * 500 + x] = isInside && isInk(along % 46, up) ? 40 : 220
        }
      }
    }
  }

  /// Rings of dots of five by seven, that touch along their rows alone.
  private func isDot(_ x: Int, _ y: Int) -> Bool {
    let (column, row) = (x / 7, y / 6)
    let isOnRing = (column == 0 || column == 4) != (row == 0 || row == 6)
    return isOnRing && column < 5 && row < 7 && y % 6 < 4 && (x % 7 < 4 || (row == 0 || row == 6) && column < 3)
  }

  private func pieces(_ image: GrayImage) -> Int {
    let plane = image.withView { InkPlane($0) }
    let threshold = plane.threshold
    return InkComponent.find(plane.pixels.map { $0 <= threshold }, width: plane.width, height: plane.height).pieces
      .count
  }

  @Test(arguments: LinePicture.Style.live) func dotsAreDrawnAsStrokes(_ style: LinePicture.Style) throws {
    let image = line(isDot)
    #expect(pieces(image) > 60)
    let picture = try #require(image.withView { LinePicture($0, on: style.isFlat ? .flat : .plain) })
    #expect(picture.isInPieces)
    #expect(abs(picture.capitalHeight - 40) <= 2)
    #expect(pieces(picture.drawn(style)) == 10)
  }

  @Test func remainsOfAnotherLineDoNotMakePiecesOfLetters() throws {
    let image = line { x, y in y < 3 && x % 10 < 7 || y >= 8 && (x < 5 || x > 26 || y > 34) }
    let picture = try #require(image.withView { LinePicture($0) })
    #expect(!picture.isInPieces)
    #expect(abs(picture.capitalHeight - 32) <= 2)
  }
}
