import WaymarkGeometry

/// Blurs a picture in place with a Gaussian, edges repeated.
enum GaussianBlur {
  static func apply(_ pixels: UnsafeMutablePointer<UInt8>, width: Int, height: Int, sigma: Double) {
    let radius = Int((3 * sigma).rounded(.up))
    var weights = (-radius...radius).map { Double.exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = weights.reduce(0, +)
    weights = weights.map { $0 / sum }
    let kernel = weights.map { Float($0) }
    let longest = max(width, height)
    withUnsafeTemporaryAllocation(of: Float.self, capacity: longest + 2 * radius) { line in
      func pass(_ base: UnsafeMutablePointer<UInt8>, _ count: Int, _ step: Int) {
        for i in 0..<count { line[i + radius] = Float(base[i * step]) }
        for i in 0..<radius {
          line[i] = line[radius]
          line[count + radius + i] = line[count + radius - 1]
        }
        for i in 0..<count {
          var s: Float = 0.5
          for k in 0..<kernel.count { s += kernel[k] * line[i + k] }
          base[i * step] = UInt8(max(0, min(255, s)))
        }
      }
      for y in 0..<height { pass(pixels + y * width, width, 1) }
      for x in 0..<width { pass(pixels + x, height, width) }
    }
  }
}
