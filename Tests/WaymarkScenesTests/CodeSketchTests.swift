import Testing
import WaymarkImage
import WaymarkScenes

@Suite("The place holder of a code in a preview") struct CodeSketchTests {
  /// The place holder has the finder patterns of a QR code of version 1 (ISO/IEC 18004, 6.3.3) at three corners, and nothing else.
  @Test func aSketchedCodeHasThreeFinders() {
    let picture = CodeSketch.draw()
    #expect((picture.width, picture.height) == (420, 420))
    let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"].map {
      $0.map { $0 == "1" }
    }
    for y in 0..<21 {
      for x in 0..<21 {
        let (left, top) = (x < 7, y < 7)
        let (right, bottom) = (x >= 14, y >= 14)
        var dark = false
        if (left || right) && top { dark = finder[y][left ? x : x - 14] }
        if left && bottom { dark = finder[y - 14][x] }
        for (dx, dy) in [(0, 0), (19, 0), (0, 19), (19, 19)] {
          #expect(picture[20 * x + dx, 20 * y + dy].red == (dark ? 90 : 235), "\(x) \(y)")
        }
      }
    }
  }
}
