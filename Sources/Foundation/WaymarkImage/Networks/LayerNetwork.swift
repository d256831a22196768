/// A network of convolutions and additions over a picture of fixed height.
///
/// Pictures (feature maps) are numbered: 0 is the input, and layer i, from 0, produces picture i + 1.
package struct LayerNetwork<Kernel: LayerKernel>: Sendable {
  /// A layer, which reads the picture `from`. If it rectifies, negative values become 0.
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
    /// Adds another picture of the same size, or of half the size: then each position of the smaller picture is added to four
    /// positions.
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
