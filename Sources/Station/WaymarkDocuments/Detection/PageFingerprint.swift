import WaymarkImage

/// The marks on a page: by these a page that comes back is known again, in whatever light and whichever way up.
package struct PageFingerprint: Hashable, Sendable {
  static let side = 40
  /// Darkness against the surroundings, of zero mean and unit length; empty for a page with nothing on it.
  private var values: [Float] = []
  /// Luma at three times as many places in each direction.
  private var samples: [UInt8] = []

  /// Nothing.
  package init() {}

  /// The marks in means of luma over `n` × `n` places of a page.
  init(_ luma: [Float], _ n: Int, _ samples: [UInt8]) {
    // Against the mean of the 9 × 9 places around, so that light and shadow do not count.
    let sums = IntegralImage<Float>(width: n, height: n) { luma[$1 * n + $0] }
    var marks = [Float](repeating: 0, count: n * n)
    // The outermost places show what lies beside the page when its outline is off by a hundredth.
    for y in 1..<(n - 1) {
      for x in 1..<(n - 1) {
        let (sum, count) = sums.window(x, y, reach: 4)
        let mean = sum / Float(count)
        marks[y * n + x] = max(-0.4, min(0.4, (luma[y * n + x] - mean) / (mean + 12)))
      }
    }
    let mean = marks.reduce(0, +) / Float(n * n)
    for i in marks.indices { marks[i] -= mean }
    let length = marks.reduce(0) { $0 + $1 * $1 }.squareRoot()
    // Noise of about a hundredth of the paper's luma at every place.
    guard length > 0.012 * Float(n) else { return }
    values = marks.map { $0 / length }
    self.samples = samples
  }

  /// True if there is anything on the page.
  package var isBlank: Bool { values.isEmpty }

  /// How much alike two pages are, -1…1: their correlation at the best of four ways up and of small shifts. Two blank pages are alike.
  package func similarity(to other: PageFingerprint) -> Double {
    guard !values.isEmpty, !other.values.isEmpty else { return isBlank == other.isBlank ? 1 : 0 }
    var best: Float = -1
    var turned = other.values
    for turn in 0..<4 {
      if turn > 0 { turned = Self.turn(turned) }
      for dy in -1...1 {
        for dx in -1...1 { best = max(best, correlation(turned, dx, dy)) }
      }
    }
    return Double(best)
  }

  /// Returns whether two pages are the same, whichever way up: laid over each other, with corners moved as much as finding them errs, they agree
  /// in most places with something on them. Pages of one layout that are filled in otherwise do not. Takes milliseconds.
  package func isSame(as other: PageFingerprint) -> Bool {
    let coarse = similarity(to: other)
    guard !isBlank, !other.isBlank, coarse >= Self.related else { return isBlank && other.isBlank }
    return FinePageFingerprint(samples).similarity(to: FinePageFingerprint(other.samples)) >= Self.agreeing
  }

  /// Pages that are less alike coarsely are not looked at finely.
  private static let related = 0.3
  /// The share of places in which the same page agrees.
  private static let agreeing = 0.8

  private func correlation(_ other: [Float], _ dx: Int, _ dy: Int) -> Float {
    let n = Self.side
    var sum: Float = 0
    for y in max(0, dy)..<min(n, n + dy) {
      for x in max(0, dx)..<min(n, n + dx) { sum += values[y * n + x] * other[(y - dy) * n + x - dx] }
    }
    return sum
  }

  private static func turn(_ values: [Float]) -> [Float] {
    let n = side
    return (0..<n * n).map { values[(n - 1 - $0 % n) * n + $0 / n] }
  }
}
