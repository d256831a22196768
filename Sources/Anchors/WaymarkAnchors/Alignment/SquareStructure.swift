import CKernels

/// Measures whether a square of gray levels has structure in two directions: a corner, not an edge.
enum SquareStructure {
  /// The same of ten rows of ten gray levels.
  static func isStructured(_ gray: InlineArray<100, Float>) -> Bool {
    let none = [UInt8](repeating: 0, count: 144)
    var m = InlineArray<10, Float>(repeating: 0)
    var out = m.mutableSpan
    gray.span.withUnsafeBufferPointer { pattern in
      out.withUnsafeMutableBufferPointer { out in
        none.withUnsafeBufferPointer { none in
          guard let first = none.baseAddress else { return }
          ck_patch_structure(pattern.baseAddress, first + 26, 12, out.baseAddress)
        }
      }
    }
    let (strong, weak) = eigenvalues(Double(m[0]), Double(m[1]), Double(m[2]))
    return isStructured(strong, weak)
  }

  /// Below a squared gradient of 0.75 gray levels a pixel it is noise, and below a twentieth of the other direction what
  /// sampling leaves of a slanted edge.
  static func isStructured(_ strong: Double, _ weak: Double) -> Bool { weak > 0.75 && weak > 0.05 * strong }

  /// The larger and the smaller eigenvalue of a structure tensor.
  static func eigenvalues(_ xx: Double, _ xy: Double, _ yy: Double) -> (Double, Double) {
    let half = 0.5 * (xx - yy)
    let root = (half * half + xy * xy).squareRoot()
    let mean = 0.5 * (xx + yy)
    return (mean + root, mean - root)
  }
}
