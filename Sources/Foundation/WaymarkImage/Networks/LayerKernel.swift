import CKernels

/// The weights of a convolution over 16-bit activations, as the kernels want them.
package struct LayerKernel: Sendable {
  /// How a convolution goes over a picture.
  package struct Shape: Sendable {
    package var inputs: Int
    package var outputs: Int
    package var rows: Int
    package var columns: Int
    var stepDown: Int
    var stepAcross: Int
    package var padding: Padding
    /// True if each channel is folded by itself: as many outputs as inputs.
    var isByChannel: Bool

    /// Weights of an output.
    var weightCount: Int { rows * columns * (isByChannel ? 1 : inputs) }

    /// How many rows or columns come of so many; less than 1 where there is no room for it.
    func height(of height: Int) -> Int { Self.size(height, padding.top + padding.bottom, rows, stepDown) }
    func width(of width: Int) -> Int { Self.size(width, padding.left + padding.right, columns, stepAcross) }

    private static func size(_ size: Int, _ padding: Int, _ kernel: Int, _ step: Int) -> Int {
      size + padding < kernel ? 0 : (size + padding - kernel) / step + 1
    }
  }

  /// Places around a picture that count as 0.
  package struct Padding: Sendable {
    package var top = 0
    package var bottom = 0
    package var left = 0
    package var right = 0

    package init(top: Int = 0, bottom: Int = 0, left: Int = 0, right: Int = 0) {
      (self.top, self.bottom, self.left, self.right) = (top, bottom, left, right)
    }

    mutating func widen(to other: Padding) {
      (top, bottom) = (max(top, other.top), max(bottom, other.bottom))
      (left, right) = (max(left, other.left), max(right, other.right))
    }
  }

  let shape: Shape
  /// Blocks of `CK_OUTPUTS` outputs.
  let blocks: Int
  /// Pairs of numbers in a run: a row of the kernel.
  let pairs: Int
  /// Blocks of outputs, then runs, pairs, outputs and the two of a pair; by channel: places of the kernel, then channels.
  let weights: [Int16]
  /// In units of a sum.
  let offsets: [Int32]
  /// The worth of an output's sum, in steps of the picture that comes out.
  let factors: [Float]

  /// - Parameters:
  ///   - weights: of each output, of each row and column, of each input.
  ///   - offsets: of each output, in units of a sum.
  init(_ shape: Shape, weights: [Int8], offsets: [Int32], factors: [Float]) {
    let width = Int(CK_OUTPUTS)
    self.shape = shape
    blocks = (shape.outputs + width - 1) / width
    let spare = [Int32](repeating: 0, count: blocks * width - shape.outputs)
    self.offsets = offsets + spare
    self.factors = factors + spare.map(Float.init)
    let places = shape.rows * shape.columns
    guard !shape.isByChannel else {
      pairs = 0
      var packed = [Int16](repeating: 0, count: places * blocks * width)
      for channel in 0..<shape.outputs {
        for place in 0..<places { packed[place * blocks * width + channel] = Int16(weights[channel * places + place]) }
      }
      self.weights = packed
      return
    }
    let run = shape.columns * shape.inputs
    pairs = (run + 1) / 2
    var packed = [Int16](repeating: 0, count: blocks * shape.rows * pairs * 2 * width)
    for output in 0..<shape.outputs {
      for row in 0..<shape.rows {
        let block = ((output / width) * shape.rows + row) * pairs
        for k in 0..<run {
          packed[((block + k / 2) * width + output % width) * 2 + k % 2] = Int16(
            weights[(output * shape.rows + row) * run + k])
        }
      }
    }
    self.weights = packed
  }

  /// The sums of a row of `count` places, `blocks` times `CK_OUTPUTS` each.
  ///
  /// - Parameters:
  ///   - source: the first number that the first place takes in.
  ///   - rowStride: from one row to the next, in numbers.
  func sum(
    _ source: UnsafePointer<Int16>, rowStride: Int, count: Int, into sums: UnsafeMutablePointer<Int32>
  ) {
    let step = shape.stepAcross * shape.inputs
    if shape.isByChannel {
      ck_convolve_channels(
        source, rowStride, step, Int32(shape.rows), Int32(shape.columns), Int32(shape.inputs), Int32(count), weights,
        Int32(blocks), offsets, sums)
    } else {
      ck_convolve(
        source, rowStride, step, Int32(shape.rows), Int32(pairs), Int32(count), weights, Int32(blocks), offsets, sums)
    }
  }
}
