import Foundation
import WaymarkImage

/// The pictures that `Scripts/make-code-fixtures` made.
enum Fixture {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Codes")

  /// A one-bit PBM (P4) as gray.
  static func load(_ name: String) throws -> GrayImage {
    let data = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name + ".pbm")))
    let header = String(decoding: data.prefix(32), as: UTF8.self).split(separator: "\n")
    let size = header[1].split(separator: " ").compactMap { Int($0) }
    let start = header[0].utf8.count + header[1].utf8.count + 2
    let stride = (size[0] + 7) / 8
    return GrayImage(width: size[0], height: size[1]) { pixels in
      for y in 0..<size[1] {
        for x in 0..<size[0] {
          let bit = data[start + y * stride + x / 8] >> (7 - UInt8(x % 8)) & 1
          pixels[y * size[0] + x] = bit == 1 ? 0 : 255
        }
      }
    }
  }
}
