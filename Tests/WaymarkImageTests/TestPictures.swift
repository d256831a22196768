import Foundation
import Testing
import WaymarkImage

/// Pictures drawn by formula, so that nothing has to be stored.
enum TestPictures {
  /// The folder of the picture files that tests read.
  static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures").path

  /// Smooth in both directions, with a bright block in the top left quarter: survives JPEG and differs in all orientations.
  static func gray(_ width: Int, _ height: Int) -> GrayImage {
    GrayImage(width: width, height: height) { out in
      for y in 0..<height {
        for x in 0..<width {
          let slope = 40 + 60 * x / width + 90 * y / height
          out[y * width + x] = UInt8(x < width / 4 && y < height / 4 ? 250 : slope)
        }
      }
    }
  }

  static func rgb(_ width: Int, _ height: Int) -> RGBImage {
    RGBImage(width: width, height: height) { out in
      for y in 0..<height {
        for x in 0..<width {
          let i = 3 * (y * width + x)
          out[i] = UInt8(200 * x / width)
          out[i + 1] = UInt8(200 * y / height)
          out[i + 2] = UInt8(100 + 100 * (x + y) / (width + height))
        }
      }
    }
  }

  /// The largest difference of two pictures of the same size; 256 when their sizes differ.
  static func difference(_ a: GrayImage, _ b: GrayImage) -> Int {
    guard a.width == b.width, a.height == b.height else { return 256 }
    var worst = 0
    for y in 0..<a.height {
      for x in 0..<a.width { worst = max(worst, abs(Int(a[x, y]) - Int(b[x, y]))) }
    }
    return worst
  }
}
