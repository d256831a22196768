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
