import CKernels
import CModels
import WaymarkImage
import WaymarkSystem

/// What turns the gradients around a corner into the 256 bits of its descriptor; fitted once and fixed since: libraries depend on it.
///
/// The 64 shares of `ck_gradient_shares` are projected on 256 directions, and the signs against fitted offsets are the bits (after C. Strecha
/// et al., "LDAHash", PAMI 2012: directions that tell corners apart best for what two views of one corner differ by). The first 24 are
/// the best directions themselves: they depend least on each other, and the keys of the index are made of them. The others are
/// random turns of the best 48. `Benchmarks/anchors/learn_descriptor.py` made it.
package struct DescriptorModel: Sendable {
  /// Numbers that describe the gradients of a patch.
  static let shares = 64
  /// Bits of a descriptor.
  static let bits = 256
  /// Blocks of outputs of `ck_convolve`.
  static let blocks = bits / Int(CK_OUTPUTS)

  /// The directions, in the order of `ck_convolve`: of each block of outputs, of each pair of shares, the two weights of each output.
  let weights: [Int16]
  /// What is added to each projection.
  let offsets: [Int32]
  /// A number that changes with the model.
  let fingerprint: UInt32

  /// The model of the program, read and checked at the first use.
  private static let embedded = Result { () throws(ModelError) in
    let file = waymark_anchor_descriptor()
    return try DescriptorModel(
      ModelFile(UnsafeRawBufferPointer(start: file.bytes, count: file.count), name: "anchor-descriptor"))
  }

  /// The model of this program.
  ///
  /// - Throws: `AnchorError` with `damaged`, and why: it is not what the script wrote, or another model than the program runs.
  package static func load() throws(AnchorError) -> DescriptorModel {
    do throws(ModelError) { return try embedded.get() } catch {
      throw AnchorError(.damaged, error.message, hint: error.hint, cause: error.cause)
    }
  }

  /// Reads 256 × 64 weights of 16 bits, direction by direction, and 256 offsets of 32.
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
