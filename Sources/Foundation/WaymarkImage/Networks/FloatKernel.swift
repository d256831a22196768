import CKernels

/// The weights of a convolution over floating-point activations.
///
/// An output is its offset plus the products, added in the order of rows, columns and inputs, so that the results do not depend on the
/// processor.
package struct FloatKernel: LayerKernel {
  package let shape: ConvolutionShape
  /// The weights, indexed [row][column][channel] for a convolution by channel, else [block of `CK_FLOATS`
  /// outputs][row][column][input][output of the block].
  private let weights: [Float]
  private let offsets: [Float]
  private let blocks: Int

  package static let slack = 0
  package var sumCount: Int { blocks * Int(CK_FLOATS) }

  /// - Parameters:
  ///   - shape: the shape; by channel, the number of channels is a multiple of `CK_FLOATS`.
  ///   - weights: the weights, indexed [row][column][input][output].
  package init(_ shape: ConvolutionShape, weights: [Float], offsets: [Float]) {
    let width = Int(CK_FLOATS)
    self.shape = shape
    blocks = (shape.outputs + width - 1) / width
    self.offsets = offsets + [Float](repeating: 0, count: blocks * width - shape.outputs)
    guard !shape.isByChannel else {
      self.weights = weights
      return
    }
    var packed = [Float](repeating: 0, count: blocks * shape.weightCount * width)
    for row in 0..<shape.weightCount {
      for output in 0..<shape.outputs {
        packed[(output / width * shape.weightCount + row) * width + output % width] =
          weights[row * shape.outputs + output]
      }
    }
    self.weights = packed
  }

  package func sum(
    _ source: UnsafePointer<Float>, rowStride: Int, count: Int, into sums: UnsafeMutablePointer<Float>
  ) {
    let step = shape.stepAcross * shape.inputs
    if shape.isByChannel {
      ck_convolve_float_channels(
        source, rowStride, step, Int32(shape.rows), Int32(shape.columns), Int32(count), weights, Int32(blocks), offsets,
        sums)
    } else {
      ck_convolve_floats(
        source, rowStride, step, Int32(shape.rows), Int32(shape.columns * shape.inputs), Int32(count), weights,
        Int32(blocks), offsets, sums)
    }
  }

  package func settle(
    _ sums: UnsafePointer<Float>, count: Int, rectified: Bool, into numbers: UnsafeMutablePointer<Float>
  ) {
    let low: Float = rectified ? 0 : -.infinity
    for place in 0..<count {
      let (own, to) = (sums + place * sumCount, numbers + place * shape.outputs)
      for output in 0..<shape.outputs { to[output] = max(low, own[output]) }
    }
  }

  package func value(_ sum: Float, of output: Int) -> Float { sum }

  package static func real(_ number: Float) -> Float { number }
  package static func number(_ real: Float) -> Float { real }

  package static func add(
    _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ factors: (Float, Float), count: Int, rectified: Bool,
    into numbers: UnsafeMutablePointer<Float>
  ) {
    let low: Float = rectified ? 0 : -.infinity
    for i in 0..<count { numbers[i] = max(low, a[i] * factors.0 + b[i] * factors.1) }
  }
}
