import CKernels

/// The arithmetic of a network's layers with the weights of one convolution: `FloatKernel` below, or `IntegerKernel`. The file also has
/// the shape of a convolution, `ConvolutionShape`.
package protocol LayerKernel: Sendable {
  /// The type of an activation.
  associatedtype Number: Numeric & Sendable
  /// The type of a sum of products.
  associatedtype Sum: Numeric & Sendable

  /// The number of activations that a kernel may read beyond the end of a picture; their values have no effect.
  static var slack: Int { get }

  var shape: ConvolutionShape { get }
  /// The number of sums at a position: the outputs, rounded up to whole vectors.
  var sumCount: Int { get }

  /// Computes the sums of `count` positions of a row.
  ///
  /// - Parameters:
  ///   - source: the first activation that the first position reads.
  ///   - rowStride: the distance between rows, in activations.
  func sum(_ source: UnsafePointer<Number>, rowStride: Int, count: Int, into sums: UnsafeMutablePointer<Sum>)

  /// Computes the activations of `count` positions from their sums.
  func settle(
    _ sums: UnsafePointer<Sum>, count: Int, rectified: Bool, into numbers: UnsafeMutablePointer<Number>)

  /// Converts the sum of an output to real units.
  func value(_ sum: Sum, of output: Int) -> Float

  /// Converts an activation to a real number of any unit, and back to the nearest activation.
  static func real(_ number: Number) -> Float
  static func number(_ real: Float) -> Number

  /// Adds `count` activations of two pictures, each multiplied by its factor. If `rectified` is true, negative sums become 0.
  static func add(
    _ a: UnsafePointer<Number>, _ b: UnsafePointer<Number>, _ factors: (Sum, Sum), count: Int, rectified: Bool,
    into numbers: UnsafeMutablePointer<Number>)
}

/// The size, the steps and the padding of a convolution.
package struct ConvolutionShape: Sendable {
  let inputs: Int
  let outputs: Int
  let rows: Int
  let columns: Int
  let stepDown: Int
  let stepAcross: Int
  let padding: Padding
  /// True if each channel is convolved by itself: as many outputs as inputs.
  let isByChannel: Bool

  /// The number of zero rows and columns around a picture.
  struct Padding: Hashable, Sendable {
    var top = 0
    var bottom = 0
    var left = 0
    var right = 0

    mutating func widen(to other: Padding) {
      (top, bottom) = (max(top, other.top), max(bottom, other.bottom))
      (left, right) = (max(left, other.left), max(right, other.right))
    }
  }

  /// The number of weights of each output.
  package var weightCount: Int { rows * columns * (isByChannel ? 1 : inputs) }
  /// True if each position reads only the same position of the source.
  var isPointwise: Bool { rows == 1 && columns == 1 && stepDown == 1 && stepAcross == 1 && padding == Padding() }

  /// Returns the number of output rows for a number of input rows; less than 1 if there are too few. `width(of:)` does the same for
  /// columns.
  func height(of height: Int) -> Int { Self.size(height, padding.top + padding.bottom, rows, stepDown) }
  func width(of width: Int) -> Int { Self.size(width, padding.left + padding.right, columns, stepAcross) }

  private static func size(_ size: Int, _ padding: Int, _ kernel: Int, _ step: Int) -> Int {
    size + padding < kernel ? 0 : (size + padding - kernel) / step + 1
  }
}

extension ConvolutionShape {
  /// Creates a square kernel with an odd side, padded so that a step of 1 keeps the size of a picture.
  package init(side: Int, step: Int, inputs: Int, outputs: Int, isByChannel: Bool) {
    let around = side / 2
    self.init(
      inputs: inputs, outputs: outputs, rows: side, columns: side, stepDown: step, stepAcross: step,
      padding: Padding(top: around, bottom: around, left: around, right: around), isByChannel: isByChannel)
  }
}

// MARK: - Floating point

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
