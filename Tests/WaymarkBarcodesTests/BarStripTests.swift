import Testing
import WaymarkGeometry
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct BarStripTests {
  private func isRuled(_ image: GrayImage) -> Bool {
    let region = BarRegion(
      center: Point2(Double(image.width) - 1, Double(image.height) - 1) / 2, direction: [1, 0],
      length: Double(image.width), height: Double(image.height), coherence: 1, energy: 100)
    return image.withView { BarStrip.isRuled(BarStrip(region).draw($0)) }
  }

  /// The shortest codes of each kind among them.
  @Test(arguments: [
    "ean13", "ean8", "upca", "upce", "code128", "code39", "code39-short", "code93", "codabar", "itf", "itf14",
    "databar", "databar-expanded", "standard2of5", "telepen",
  ])
  func codesAreRuled(_ name: String) throws {
    #expect(isRuled(try Fixture.load(name)))
  }

  @Test func fencesAndWallsAreNot() {
    let fence = GrayImage(width: 600, height: 300) { pixels in
      for i in pixels.indices { pixels[i] = i % 600 % 75 < 20 ? 40 : 200 }
    }
    #expect(!isRuled(fence))
    let wall = GrayImage(width: 600, height: 300) { pixels in
      for i in pixels.indices { pixels[i] = UInt8(120 + i % 600 / 12 + i % 3) }
    }
    #expect(!isRuled(wall))
  }

  /// Noise adds turns and takes none away.
  @Test func aCodeInNoiseIsRuled() throws {
    let code = try Fixture.load("ean13")
    var noise = SplitMix(state: 7)
    let noisy = code.withView { view in
      GrayImage(width: view.width, height: view.height) { pixels in
        for i in pixels.indices {
          let level = Int(view[i % view.width, i / view.width]) + Int(noise.next() % 121) - 60
          pixels[i] = UInt8(min(max(level, 0), 255))
        }
      }
    }
    #expect(isRuled(noisy))
  }
}
