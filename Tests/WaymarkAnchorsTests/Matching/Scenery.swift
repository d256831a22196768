import WaymarkImage

@testable import WaymarkAnchors

/// Pictures and frames made up for the tests: always the same.
enum Scenery {
  /// A reference full of rectangles and discs.
  static func picture(seed: UInt64, width: Int = 480, height: Int = 360) -> GrayImage {
    var random = RandomSource(seed: seed)
    return GrayImage(width: width, height: height) { pixels in
      for i in pixels.indices { pixels[i] = 128 }
      for k in 0..<220 {
        let (x, y) = (random.below(width), random.below(height))
        let (w, h) = (6 + random.below(50), 6 + random.below(40))
        let value = UInt8(random.below(256))
        let round = k % 3 == 0
        for v in max(0, y - h / 2)..<min(height, y + h / 2) {
          for u in max(0, x - w / 2)..<min(width, x + w / 2) {
            let (a, b) = (Double(u - x) / Double(w), Double(v - y) / Double(h))
            if !round || a * a + b * b < 0.25 { pixels[v * width + u] = value }
          }
        }
      }
    }
  }

  /// The reference as a camera shows it under a map reference → frame, before a plain ground.
  static func frame(
    _ reference: GrayImage, _ map: Homography, width: Int = 640, height: Int = 480, on ground: GrayImage? = nil
  ) -> GrayImage {
    let back = map.inverse ?? .identity
    return GrayImage(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          var (sum, count) = (0, 0)
          for (dx, dy) in [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)] {
            let p = back.apply(Point2(Double(x) + dx, Double(y) + dy))
            let inside =
              p.x > -0.5 && p.y > -0.5 && p.x < Double(reference.width) - 0.5 && p.y < Double(reference.height) - 0.5
            if inside {
              sum += Int(bilinear(reference, p))
            } else {
              sum += Int(ground?[x, y] ?? 90)
            }
            count += 1
          }
          pixels[y * width + x] = UInt8(sum / count)
        }
      }
    }
  }

  private static func bilinear(_ image: GrayImage, _ p: Point2) -> Double {
    let x = min(max(p.x, 0), Double(image.width - 1))
    let y = min(max(p.y, 0), Double(image.height - 1))
    let (i, j) = (min(Int(x), image.width - 2), min(Int(y), image.height - 2))
    let (u, v) = (x - Double(i), y - Double(j))
    let top = Double(image[i, j]) * (1 - u) + Double(image[i + 1, j]) * u
    let low = Double(image[i, j + 1]) * (1 - u) + Double(image[i + 1, j + 1]) * u
    return top * (1 - v) + low * v
  }

  /// Compiled once for all tests: three pictures.
  static let anchors: [CompiledAnchor] = {
    let compiler = AnchorCompiler()
    return (1...3).map {
      compiler.compile(name: "picture-\($0)", physicalWidth: 0.2, image: picture(seed: UInt64($0)))
    }
  }()

  /// A library in a file of its own, removed again.
  static func withLibrary<R>(_ anchors: [CompiledAnchor], _ body: (AnchorLibrary, String) throws -> R) throws -> R {
    let path = temporaryPath()
    defer { remove(path) }
    try LibraryWriter.write(LibraryWriter.bytes(of: anchors), to: path)
    return try body(AnchorLibrary(path: path), path)
  }
}
