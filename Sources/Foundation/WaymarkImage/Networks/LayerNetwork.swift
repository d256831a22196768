/// The arithmetic of a network's layers (`IntegerKernel` or `FloatKernel`) with the weights of one convolution.
/// The network itself, `LayerNetwork`, and the shape of a convolution, `ConvolutionShape`, are below.
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

  /// Adds `count` activations of two pictures, each multiplied by its factor; `rectified` replaces negative sums by 0.
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

  /// Returns the number of output rows for a number of input rows; less than 1 if there are too few. `width(of:)`
  /// likewise for columns.
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

/// A network of convolutions and additions over a picture of fixed height.
///
/// Pictures (feature maps) are numbered: 0 is the input, and layer i, from 0, produces picture i + 1.
package struct LayerNetwork<Kernel: LayerKernel>: Sendable {
  /// A layer, which reads the picture `from`; if it rectifies, negative values become 0.
  package struct Layer: Sendable {
    let from: Int
    let work: Work
    let rectifies: Bool

    package init(from: Int, work: Work, rectifies: Bool) {
      (self.from, self.work, self.rectifies) = (from, work, rectifies)
    }
  }

  /// The operation of a layer.
  package enum Work: Sendable {
    case convolution(Kernel)
    /// Adds another picture of the same size, or of half the size, of which each position is added to four positions.
    case addition(other: Int, factors: (Kernel.Sum, Kernel.Sum))
    case gate(ChannelGate)
  }

  /// The properties of a picture that do not depend on its width.
  struct Plane: Sendable {
    let channels: Int
    let height: Int
    /// The padding that the layers reading this picture need.
    var padding = ConvolutionShape.Padding()
    /// The index of the last layer that reads this picture.
    var lastUse = 0
  }

  package let layers: [Layer]
  /// The properties of each picture, by its number.
  let planes: [Plane]
  /// The input value that represents 0.
  let zero: Kernel.Number
  /// The least width of the input; narrower pictures are padded.
  package let leastWidth: Int

  /// The height of the input.
  package var height: Int { planes[0].height }
  /// The number of outputs of the last layer at a position.
  package var outputs: Int { planes[layers.count].channels }

  /// Creates a network. The last layer must be a convolution, and the layers must fit together.
  package init(_ layers: [Layer], channels: Int, height: Int, zero: Kernel.Number = 0, leastWidth: Int = 1) {
    var planes = [Plane(channels: channels, height: height)]
    for (index, layer) in layers.enumerated() {
      let source = planes[layer.from]
      planes[layer.from].lastUse = index
      switch layer.work {
      case .convolution(let kernel):
        planes[layer.from].padding.widen(to: kernel.shape.padding)
        planes.append(Plane(channels: kernel.shape.outputs, height: kernel.shape.height(of: source.height)))
      case .addition(let other, _):
        planes[other].lastUse = index
        planes.append(Plane(channels: source.channels, height: source.height))
      case .gate:
        planes.append(Plane(channels: source.channels, height: source.height))
      }
    }
    (self.layers, self.planes, self.zero, self.leastWidth) = (layers, planes, zero, leastWidth)
  }

  /// Returns the widths of all pictures for an input of `width` columns.
  func widths(of width: Int) -> [Int] {
    layers.reduce(into: [width]) { widths, layer in
      let source = widths[layer.from]
      if case .convolution(let kernel) = layer.work {
        widths.append(kernel.shape.width(of: source))
      } else {
        widths.append(source)
      }
    }
  }
}
