#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The descriptor's comparisons turned to every direction, as offsets between pixels.
///
/// Three planes of box means (3, 5, 7 pixels) lie `planeSize` bytes apart; an offset reaches into the right one.
package struct SamplingTable {
  private var offsets: [Int32] = []
  private var stride = 0
  private var planeSize = 0

  package init() {}

  /// Makes the table fit planes of this layout; does nothing when it already does.
  package mutating func fit(stride: Int, planeSize: Int) {
    guard self.stride != stride || self.planeSize != planeSize else { return }
    (self.stride, self.planeSize) = (stride, planeSize)
    let pattern = SamplingPattern.comparisons
    offsets = []
    offsets.reserveCapacity(Feature.directions * pattern.count * 2)
    for direction in 0..<Feature.directions {
      let angle = 2 * Double.pi * Double(direction) / Double(Feature.directions)
      let (c, s) = (cos(angle), sin(angle))
      func offset(_ box: SamplingPattern.Box) -> Int32 {
        let x = (c * box.x - s * box.y).rounded()
        let y = (s * box.x + c * box.y).rounded()
        return Int32(Int(y) * stride + Int(x) + box.plane * planeSize)
      }
      for comparison in pattern {
        offsets.append(offset(comparison.first))
        offsets.append(offset(comparison.second))
      }
    }
  }

  /// Lends the 512 offsets of one direction.
  package func withOffsets<R>(_ body: (UnsafePointer<Int32>) -> R) -> R {
    offsets.withUnsafeBufferPointer { body($0.baseAddress!) }
  }

  /// How many offsets belong to one direction.
  package static var offsetsPerDirection: Int { 512 }
}
