import WaymarkImage

@testable import WaymarkDocuments

/// Pictures of pages drawn for tests.
enum Drawing {
  /// A page with lines of dark bars for text on a ground, soft at the edges, a little noise over all.
  static func photograph(
    _ outline: Quadrilateral?, width: Int = 480, height: Int = 640, paper: SIMD3<Double> = SIMD3(235, 232, 225),
    ground: (Int, Int) -> SIMD3<Double> = { _, _ in SIMD3(90, 70, 55) }, table: Bool = false
  ) -> RGBImage {
    let inverse = outline.flatMap { Homography(unitSquareTo: $0)?.inverse }
    var noise: UInt64 = 7
    return RGBImage(width: width, height: height) { out in
      for y in 0..<height {
        for x in 0..<width {
          var sum = SIMD3<Double>(repeating: 0)
          // Four samples a pixel.
          for (dx, dy) in [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)] {
            var color = ground(x, y)
            if let p = inverse?.apply(Point2(Double(x) + dx, Double(y) + dy)), p.x >= 0, p.y >= 0, p.x <= 1, p.y <= 1 {
              color = isInk(p, table) ? paper * 0.2 : paper
            }
            sum += color / 4
          }
          noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          let grain = Double(noise >> 60) / 4 - 2
          for c in 0..<3 { out[3 * (y * width + x) + c] = UInt8(max(0, min(255, sum[c] + grain))) }
        }
      }
    }
  }

  private static func isInk(_ p: Point2, _ table: Bool) -> Bool {
    if table, p.x > 0.15, p.x < 0.85, p.y > 0.2, p.y < 0.8 {
      let edge = min(min(p.x - 0.15, 0.85 - p.x), min(p.y - 0.2, 0.8 - p.y))
      return edge < 0.012
    }
    guard p.x > 0.1, p.x < 0.9, p.y > 0.08, p.y < 0.92 else { return false }
    let line = p.y * 40
    let word = p.x * 31 + (p.y * 40).rounded(.down) * 1.7
    return line - line.rounded(.down) < 0.4 && word - word.rounded(.down) < 0.7
  }

  /// The worst corner's distance, whichever corner comes first, as a share of the diagonal.
  static func error(_ found: Quadrilateral?, _ truth: Quadrilateral) -> Double {
    guard let found else { return .infinity }
    return found.largestCornerDistance(to: truth) / truth.topLeft.distance(to: truth.bottomRight)
  }

  static let slanted = Quadrilateral(
    topLeft: Point2(96, 110), topRight: Point2(372, 84), bottomRight: Point2(420, 520), bottomLeft: Point2(60, 498))
}

extension PageDetector {
  /// A detector with the models of the program.
  convenience init() {
    do {
      self.init(try PageModels.load())
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
