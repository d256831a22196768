/// Blurs a picture in place with a Gaussian of standard deviation `sigma`, in pixels; the border is repeated.
package enum GaussianBlur {
  package static func apply(_ pixels: UnsafeMutablePointer<UInt8>, width: Int, height: Int, sigma: Double) {
    guard width > 0, height > 0 else { return }
    let weights = weights(sigma)
    let radius = weights.count / 2
    let kernel = weights.map { Float($0) }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: (height + 1) * (width + 2 * radius)) { memory in
      guard let columns = memory.baseAddress else { return }
      let stride = width + 2 * radius
      // The blur is first vertical, row by row so that whole vectors are added, and then horizontal.
      for y in 0..<height {
        let line = columns + y * stride + radius
        line.update(repeating: 0, count: width)
        for (k, weight) in kernel.enumerated() {
          let row = pixels + max(0, min(height - 1, y + k - radius)) * width
          for x in 0..<width { line[x] += weight * Float(row[x]) }
        }
        for i in 1..<(radius + 1) {
          line[-i] = line[0]
          line[width - 1 + i] = line[width - 1]
        }
      }
      let across = columns + height * stride
      for y in 0..<height {
        let line = columns + y * stride
        across.update(repeating: 0.5, count: width)
        for (k, weight) in kernel.enumerated() {
          let from = line + k
          for x in 0..<width { across[x] += weight * from[x] }
        }
        let row = pixels + y * width
        for x in 0..<width { row[x] = UInt8(max(0, min(255, across[x]))) }
      }
    }
  }

  /// Like `apply`, but in integers and rounded after each direction; the networks were trained with these results.
  package static func applyRounding(_ pixels: UnsafeMutablePointer<UInt8>, width: Int, height: Int, sigma: Double) {
    guard width > 0, height > 0 else { return }
    let kernel = weights(sigma).map { Int32(($0 * 4096).rounded()) }
    let radius = kernel.count / 2
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width * height) { memory in
      guard let across = memory.baseAddress else { return }
      for y in 0..<height {
        for x in 0..<width {
          var value: Int32 = 2048
          for k in 0..<kernel.count {
            let place = min(max(0, x &+ k &- radius), width &- 1)
            value &+= kernel[k] &* Int32(pixels[y &* width &+ place])
          }
          across[y &* width &+ x] = UInt8(clamping: value >> 12)
        }
      }
      for y in 0..<height {
        for x in 0..<width {
          var value: Int32 = 2048
          for k in 0..<kernel.count {
            let place = min(max(0, y &+ k &- radius), height &- 1)
            value &+= kernel[k] &* Int32(across[place &* width &+ x])
          }
          pixels[y &* width &+ x] = UInt8(clamping: value >> 12)
        }
      }
    }
  }

  /// Returns the weights of the Gaussian up to three standard deviations to either side; their sum is 1.
  private static func weights(_ sigma: Double) -> [Double] {
    let radius = Int((3 * sigma).rounded(.up))
    let raw = (-radius...radius).map { Double.exponential(-Double($0 * $0) / (2 * sigma * sigma)) }
    let sum = raw.reduce(0, +)
    return raw.map { $0 / sum }
  }
}
