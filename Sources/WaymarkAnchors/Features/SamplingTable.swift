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
    let turned = Self.turned
    if offsets.isEmpty { offsets = Array(repeating: 0, count: turned.count) }
    let (row, plane) = (Int32(stride), Int32(planeSize))
    offsets.withUnsafeMutableBufferPointer { out in
      turned.withUnsafeBufferPointer { boxes in
        for i in 0..<boxes.count {
          let b = boxes[i]
          out[i] = Int32(b.y) &* row &+ Int32(b.z) &* plane &+ Int32(b.x)
        }
      }
    }
  }

  /// x, y and plane of both boxes of all comparisons in all directions, in whole pixels.
  private static let turned: [SIMD4<Int8>] = {
    var boxes: [SIMD4<Int8>] = []
    boxes.reserveCapacity(2 * SamplingPattern.comparisons.count * Feature.directions)
    for direction in 0..<Feature.directions {
      let angle = 2 * Double.pi * Double(direction) / Double(Feature.directions)
      let (c, s) = (cos(angle), sin(angle))
      func turn(_ box: SamplingPattern.Box) -> SIMD4<Int8> {
        let x = (c * box.x - s * box.y).rounded()
        let y = (s * box.x + c * box.y).rounded()
        return SIMD4(Int8(x), Int8(y), Int8(box.plane), 0)
      }
      for comparison in SamplingPattern.comparisons {
        boxes.append(turn(comparison.first))
        boxes.append(turn(comparison.second))
      }
    }
    return boxes
  }()

  /// Lends the 512 offsets of one direction.
  func withOffsets<R>(_ body: (UnsafePointer<Int32>) -> R) -> R {
    offsets.withUnsafeBufferPointer { body($0.baseAddress!) }
  }

  /// How many offsets belong to one direction.
  static var offsetsPerDirection: Int { 512 }
}
