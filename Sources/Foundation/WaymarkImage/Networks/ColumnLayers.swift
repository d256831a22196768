/// A convolution along a row of columns, in floating point. `ColumnNorm` and `ColumnAttention` below are the other layers over
/// columns; `ChannelGate` weighs the channels of a picture.
package struct ColumnConvolution: Sendable {
  package let inputs: Int
  package let outputs: Int
  private let kernel: FloatKernel
  private let padding: Int

  /// The largest number of inputs, outputs and columns of a kernel.
  private static let limits = (inputs: 1024, outputs: 1024, columns: 7)

  /// Reads inputs, outputs and the odd number of columns, then the scale and the offset of each output, and weights of eight bits
  /// in the order [output][column][input].
  ///
  /// - Throws: `otherModel` if the layer has another number of inputs, or a number is out of range.
  package init(_ numbers: inout ModelFile.Numbers, reads expected: Int, of file: ModelFile) throws(ModelError) {
    let (inputs, outputs, columns) = (Int(numbers.half()), Int(numbers.half()), Int(numbers.byte()))
    guard inputs == expected, (1...Self.limits.inputs).contains(inputs), (1...Self.limits.outputs).contains(outputs),
      columns % 2 == 1, columns <= Self.limits.columns, numbers.count >= outputs * (8 + columns * inputs)
    else { throw file.misfit("a layer over columns has another shape") }
    let (scales, offsets) = (numbers.floats(outputs), numbers.floats(outputs))
    guard (scales + offsets).allSatisfy(\.isFinite) else {
      throw file.misfit("a layer over columns holds a number that is not finite")
    }
    let bytes = Array(numbers.bytes(outputs * columns * inputs))
    let count = columns * inputs
    var weights = [Float](repeating: 0, count: count * outputs)
    for output in 0..<outputs {
      for i in 0..<count {
        weights[i * outputs + output] = Float(Int8(bitPattern: bytes[output * count + i])) * scales[output]
      }
    }
    (self.inputs, self.outputs, padding) = (inputs, outputs, columns / 2)
    let shape = ConvolutionShape(
      inputs: inputs, outputs: outputs, rows: 1, columns: columns, stepDown: 1, stepAcross: 1,
      padding: ConvolutionShape.Padding(left: padding, right: padding), isByChannel: false)
    kernel = FloatKernel(shape, weights: weights, offsets: offsets)
  }

  /// Returns the outputs of each column; the channels of a column are adjacent.
  package func outputs(of columns: [Float]) -> [Float] {
    let count = columns.count / inputs
    let border = [Float](repeating: 0, count: padding * inputs)
    let source = padding == 0 ? columns : border + columns + border
    var sums = [Float](repeating: 0, count: count * kernel.sumCount)
    return source.withUnsafeBufferPointer { source in
      sums.withUnsafeMutableBufferPointer { sums in
        guard let from = source.baseAddress, let to = sums.baseAddress else { return [] }
        kernel.sum(from, rowStride: 0, count: count, into: to)
        return [Float](unsafeUninitializedCapacity: count * outputs) { buffer, filled in
          if let target = buffer.baseAddress { kernel.settle(to, count: count, rectified: false, into: target) }
          filled = count * outputs
        }
      }
    }
  }
}

/// Normalises each column to mean 0 and variance 1 (J. Ba et al., "Layer normalization", 2016).
package struct ColumnNorm: Sendable {
  private let scales: [Float]
  private let shifts: [Float]
  /// Added to the variance.
  private static let least: Float = 1e-6

  package init(_ numbers: inout ModelFile.Numbers, channels: Int, of file: ModelFile) throws(ModelError) {
    guard numbers.count >= 8 * channels else { throw file.misfit("it ends in a norm") }
    (scales, shifts) = (numbers.floats(channels), numbers.floats(channels))
    guard (scales + shifts).allSatisfy(\.isFinite) else {
      throw file.misfit("a norm holds a number that is not finite")
    }
  }

  package func outputs(of columns: [Float]) -> [Float] {
    var result = columns
    let channels = scales.count
    for first in stride(from: 0, to: columns.count, by: channels) {
      let own = columns[first..<(first + channels)]
      let mean = own.reduce(0, +) / Float(channels)
      let variance = own.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(channels)
      let factor = 1 / (variance + Self.least).squareRoot()
      for channel in 0..<channels {
        result[first + channel] = (columns[first + channel] - mean) * factor * scales[channel] + shifts[channel]
      }
    }
    return result
  }
}

/// Mixes all columns of a row (A. Vaswani et al., "Attention is all you need", 2017).
package enum ColumnAttention {
  /// Returns the mixed columns.
  ///
  /// - Parameter mixed: the queries, keys and values of each column, `channels` numbers each.
  package static func outputs(of mixed: [Float], channels: Int, heads: Int) -> [Float] {
    let (count, size) = (mixed.count / (3 * channels), channels / heads)
    let scale = 1 / Float(size).squareRoot()
    var result = [Float](repeating: 0, count: count * channels)
    mixed.withUnsafeBufferPointer { mixed in
      result.withUnsafeMutableBufferPointer { result in
        var shares = [Float](repeating: 0, count: count)
        for head in 0..<heads {
          for column in 0..<count {
            let query = column * 3 * channels + head * size
            for other in 0..<count {
              let key = other * 3 * channels + channels + head * size
              var sum: Float = 0
              for i in 0..<size { sum += mixed[query + i] * mixed[key + i] }
              shares[other] = sum * scale
            }
            let top = shares.max() ?? 0
            for other in 0..<count { shares[other] = Float(Double.exponential(Double(shares[other] - top))) }
            let sum = shares.reduce(0, +)
            for other in 0..<count {
              let (value, share) = (other * 3 * channels + 2 * channels + head * size, shares[other] / sum)
              for i in 0..<size { result[column * channels + head * size + i] += share * mixed[value + i] }
            }
          }
        }
      }
    }
    return result
  }

  /// Returns x / (1 + e⁻ˣ) of each number (S. Elfwing et al., 2017).
  package static func swish(_ numbers: [Float]) -> [Float] {
    numbers.map { Float(Double($0) / (1 + Double.exponential(-Double($0)))) }
  }
}

/// Multiplies each channel of a picture by a factor of 0 to 1, computed from the means of all channels (J. Hu et al.,
/// "Squeeze-and-excitation networks", 2018).
package struct ChannelGate: Sendable {
  private let squeeze: ColumnConvolution
  private let excite: ColumnConvolution
  private let step: Float

  /// - Parameter step: the value of an activation of 1, in real units.
  init(_ numbers: inout ModelFile.Numbers, channels: Int, step: Float, of file: ModelFile) throws(ModelError) {
    squeeze = try ColumnConvolution(&numbers, reads: channels, of: file)
    excite = try ColumnConvolution(&numbers, reads: squeeze.outputs, of: file)
    guard excite.outputs == channels else { throw file.misfit("a gate has another number of channels") }
    self.step = step
  }

  func factors(_ means: [Float]) -> [Float] {
    let hidden = squeeze.outputs(of: means.map { $0 * step }).map { max(0, $0) }
    return excite.outputs(of: hidden).map(\.hardSigmoid)
  }
}

extension Float {
  /// x / 6 + 1/2, limited to 0…1 (A. Howard et al., "Searching for MobileNetV3", 2019).
  package var hardSigmoid: Float { max(0, min(1, self / 6 + 0.5)) }
}
