#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where the descriptor takes its samples: a grid around the corner turned to every direction, as offsets between pixels.
package struct SamplingTable {
  /// Samples along a side of the grid.
  static let side = 16
  /// Pixels between two samples: the grid is 24 pixels wide. A wider one tells corners apart better, and sees more of what lies beside a small picture.
  static let step = 1.5
  /// How many offsets belong to one direction.
  static let offsetsPerDirection = side * side

  private var offsets: [Int32] = []
  private var stride = 0

  package init() {}

  /// Makes the table fit planes of this stride; does nothing when it already does.
  package mutating func fit(stride: Int) {
    guard self.stride != stride else { return }
    self.stride = stride
    let turned = Self.turned
    if offsets.isEmpty { offsets = Array(repeating: 0, count: turned.count) }
    for i in 0..<turned.count {
      offsets[i] = Int32(turned[i].y) &* Int32(truncatingIfNeeded: stride) &+ Int32(turned[i].x)
    }
  }

  /// All samples in all directions, in whole pixels.
  private static let turned: [SIMD2<Int8>] = (0..<Feature.directions).flatMap { direction in
    let angle = 2 * Double.pi * Double(direction) / Double(Feature.directions)
    let (c, s) = (cos(angle), sin(angle))
    return (0..<offsetsPerDirection).map { i in
      let x = (Double(i % side) - Double(side - 1) / 2) * step
      let y = (Double(i / side) - Double(side - 1) / 2) * step
      return SIMD2(Int8((c * x - s * y).rounded()), Int8((s * x + c * y).rounded()))
    }
  }

  /// Lends the offsets of one direction, row by row.
  func withOffsets<R>(of direction: Int, _ body: (UnsafePointer<Int32>) -> R) -> R {
    offsets.withUnsafeBufferPointer { body($0.baseAddress! + direction * Self.offsetsPerDirection) }
  }
}
