import CKernels
import CModels
import WaymarkImage
import WaymarkSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The model that turns the gradients around a corner into the 256 bits of its descriptor. It was fitted once and never changes,
/// because libraries depend on it.
///
/// The 64 shares of `ck_gradient_shares` are projected on 256 directions, and the bits are the signs of the projections against
/// fitted offsets (after C. Strecha et al., "LDAHash", PAMI 2012: directions that separate corners best compared with the
/// differences of two views of one corner). The first 24 directions are the best themselves: they depend least on each other, and
/// the keys of the index consist of their bits. The rest are random rotations of the best 48.
/// `Benchmarks/anchors/learn_descriptor.py` creates the model. `SamplingTable` has the positions at which the gradients are
/// sampled.
package struct DescriptorModel: Sendable {
  /// The number of values that describe the gradients of a patch.
  static let shares = 64
  /// The number of bits of a descriptor.
  static let bits = 256
  /// The number of blocks in which `ck_convolve` computes the projections, `CK_OUTPUTS` each.
  static let blocks = bits / Int(CK_OUTPUTS)

  /// The directions in the order of `ck_convolve`: for each block of outputs and each pair of shares, the two weights of each output.
  let weights: [Int16]
  /// The offset added to each projection.
  let offsets: [Int32]
  /// The CRC-32C of the model. A library built with another model is rejected by it.
  let fingerprint: UInt32

  /// The model embedded in the program, read and checked on first use.
  private static let embedded = Result { () throws(ModelError) in
    try DescriptorModel(ModelFile(waymark_anchor_descriptor, name: "anchor-descriptor"))
  }

  /// Returns the model embedded in the program.
  ///
  /// - Throws: `AnchorError` with `damaged` and the reason: the model is corrupt, or of another version than the program expects.
  package static func load() throws(AnchorError) -> DescriptorModel {
    do throws(ModelError) { return try embedded.get() } catch {
      throw AnchorError(.damaged, error.message, hint: error.hint, cause: error.cause)
    }
  }

  /// Reads 256 × 64 weights of 16 bits, direction by direction, and then 256 offsets of 32 bits.
  ///
  /// - Throws: `ModelError` if the file has another size.
  init(_ file: ModelFile) throws(ModelError) {
    var numbers = ModelFile.Numbers(file)
    let expected = Self.bits * (2 * Self.shares + 4)
    guard numbers.count == expected else {
      throw file.misfit("it holds \(numbers.count) bytes instead of \(expected)")
    }
    let outputs = Int(CK_OUTPUTS)
    var weights = [Int16](repeating: 0, count: Self.bits * Self.shares)
    for bit in 0..<Self.bits {
      for share in 0..<Self.shares {
        let pair = bit / outputs * (Self.shares / 2) + share / 2
        weights[2 * (pair * outputs + bit % outputs) + share % 2] = Int16(bitPattern: numbers.half())
      }
    }
    self.weights = weights
    offsets = (0..<Self.bits).map { _ in Int32(bitPattern: numbers.word()) }
    fingerprint = CRC32C.of(file.payload)
  }
}

/// The sample positions of the descriptor: a grid around the corner, rotated to every direction, as offsets in a plane.
package struct SamplingTable {
  /// The number of samples along a side of the grid.
  static let side = 16
  /// The distance between two samples in pixels: the grid is 24 pixels wide. A wider grid separates corners better, but covers more
  /// of the surroundings of a small picture.
  static let step = 1.5
  /// The number of samples, and so of offsets in the table, per direction.
  static let offsetsPerDirection = side * side

  private var offsets: [Int32] = []
  private var stride = 0

  package init() {}

  /// Adapts the table to planes of this stride; does nothing if it already fits.
  package mutating func fit(stride: Int) {
    guard self.stride != stride else { return }
    self.stride = stride
    let turned = Self.turned
    if offsets.isEmpty { offsets = Array(repeating: 0, count: turned.count) }
    for i in 0..<turned.count {
      offsets[i] = Int32(turned[i].y) &* Int32(truncatingIfNeeded: stride) &+ Int32(turned[i].x)
    }
  }

  /// The samples in all directions, in whole pixels.
  private static let turned: [SIMD2<Int8>] = (0..<Feature.directions).flatMap { direction in
    let angle = 2 * Double.pi * Double(direction) / Double(Feature.directions)
    let (c, s) = (cos(angle), sin(angle))
    return (0..<offsetsPerDirection).map { i in
      let x = (Double(i % side) - Double(side - 1) / 2) * step
      let y = (Double(i / side) - Double(side - 1) / 2) * step
      return SIMD2(Int8((c * x - s * y).rounded()), Int8((s * x + c * y).rounded()))
    }
  }

  /// Calls `body` with the offsets of one direction, row by row.
  func withOffsets<R>(of direction: Int, _ body: (UnsafePointer<Int32>) -> R) -> R {
    offsets.withUnsafeBufferPointer { body($0.baseAddress! + direction * Self.offsetsPerDirection) }
  }
}
