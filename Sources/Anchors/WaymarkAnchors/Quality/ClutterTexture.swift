import WaymarkImage

/// Ground and things in front of simulated views: leaves of all sizes that fall on each other, which has the edges, the
/// corners and the statistics of scales of natural pictures (A. Lee, D. Mumford, J. Huang, "Occlusion models for natural
/// images", IJCV 41 (2001)). The same seed gives the same picture.
struct ClutterTexture {
  static let width = 1024
  static let height = 768
  private var pixels: [UInt8]

  init(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var pixels = [UInt8](repeating: 128, count: Self.width * Self.height)
    for _ in 0..<8000 {
      // Sizes fall with their cube: every scale covers the same area.
      let (least, most) = (3.0, 160.0)
      let u = random.unit()
      let radius = 1 / (u / (least * least) + (1 - u) / (most * most)).squareRoot()
      let stretch = 0.4 + 0.6 * random.unit()
      let angle = Double.pi * random.unit()
      let (c, s) = (Double.cosine(angle) / radius, Double.sine(angle) / radius)
      let (cx, cy) = (random.unit() * Double(Self.width), random.unit() * Double(Self.height))
      let gray = 120 + 42 * random.gaussian()
      let slope = 60 * (random.unit() - 0.5)
      let isRound = random.unit() < 0.6
      for y in max(0, Int(cy - 1.5 * radius))..<min(Self.height, Int(cy + 1.5 * radius) + 1) {
        for x in max(0, Int(cx - 1.5 * radius))..<min(Self.width, Int(cx + 1.5 * radius) + 1) {
          let (dx, dy) = (Double(x) - cx, Double(y) - cy)
          let (a, b) = (c * dx + s * dy, (c * dy - s * dx) / stretch)
          guard isRound ? a * a + b * b < 1 : max(abs(a), abs(b)) < 0.9 else { continue }
          pixels[y * Self.width + x] = UInt8(max(0, min(255, gray + slope * a)))
        }
      }
    }
    // No lens shows edges of no width.
    pixels.withUnsafeMutableBufferPointer {
      guard let base = $0.baseAddress else { return }
      GaussianBlur.apply(base, width: Self.width, height: Self.height, sigma: 0.8)
    }
    self.pixels = pixels
  }

  /// Copies a part of the texture, `from` to `to` in its row `y`, to the same columns of a row that begins at `x` of it.
  func copy(row y: Int, at x: Int, columns: Range<Int>, to row: UnsafeMutablePointer<UInt8>) {
    pixels.withUnsafeBufferPointer {
      guard let base = $0.baseAddress, !columns.isEmpty else { return }
      (row + columns.lowerBound).update(from: base + y * Self.width + x + columns.lowerBound, count: columns.count)
    }
  }
}
