import WaymarkImage

/// Layers run by plain loops over dictionaries of places: slow, and nothing but what a layer is.
struct PlainNetwork {
  private struct Plane {
    var channels: Int
    var height: Int
    var width: Int
    var values: [Int]
    var step: Double

    func value(_ x: Int, _ y: Int, _ channel: Int) -> Int {
      (0..<width).contains(x) && (0..<height).contains(y) ? values[(y * width + x) * channels + channel] : 0
    }
  }

  private let layers: [LayerDraft]
  private let zero: Int
  private let step: Double

  init(_ layers: [LayerDraft], zero: Int, step: Double) {
    (self.layers, self.zero, self.step) = (layers, zero, step)
  }

  func run(_ image: GrayImage, leastWidth: Int) -> [Float] {
    let width = max(image.width, leastWidth)
    var first = Plane(channels: 1, height: image.height, width: width, values: [], step: Double(Float(step)))
    image.withView { view in
      for y in 0..<view.height {
        for x in 0..<width { first.values.append(x < view.width ? Int(view.row(y)[x]) - zero : 0) }
      }
    }
    var planes = [first]
    for (index, layer) in layers.enumerated() {
      let source = planes[layer.from]
      let low = layer.rectifies ? 0 : -4095
      let step = Double(layer.range) / 4095
      var made = Plane(channels: source.channels, height: source.height, width: source.width, values: [], step: step)
      if layer.kind == 2 {
        let other = planes[layer.other]
        let (a, b) = (Int((source.step / step * 16384).rounded()), Int((other.step / step * 16384).rounded()))
        made.values = zip(source.values, other.values).map { max(low, min(4095, ($0 * a + $1 * b + 8192) >> 14)) }
        planes.append(made)
        continue
      }
      made.channels = layer.outputs
      made.height = (source.height + layer.padding.0 + layer.padding.1 - layer.kernel.0) / layer.step.0 + 1
      made.width = (source.width + layer.padding.2 + layer.padding.3 - layer.kernel.1) / layer.step.1 + 1
      var sums: [Float] = []
      for y in 0..<made.height {
        for x in 0..<made.width {
          for o in 0..<made.channels {
            let unit = source.step * Double(layer.scales[o])
            let sum = Int((Double(layer.offsets[o]) / unit).rounded()) + products(layer, source, x, y, o)
            if index == layers.count - 1 {
              sums.append(Float(sum) * Float(unit))
            } else {
              let value = Float(sum) * Float(unit / step)
              made.values.append(Int(max(Float(low), min(4095, value)).rounded(.toNearestOrEven)))
            }
          }
        }
      }
      if index == layers.count - 1 { return sums }
      planes.append(made)
    }
    return []
  }

  private func products(_ layer: LayerDraft, _ source: Plane, _ x: Int, _ y: Int, _ output: Int) -> Int {
    var (sum, weight) = (0, output * layer.weightsOfAnOutput)
    for row in 0..<layer.kernel.0 {
      for column in 0..<layer.kernel.1 {
        let (sx, sy) = (x * layer.step.1 + column - layer.padding.2, y * layer.step.0 + row - layer.padding.0)
        for channel in layer.kind == 1 ? output..<(output + 1) : 0..<source.channels {
          sum += Int(layer.weights[weight]) * source.value(sx, sy, channel)
          weight += 1
        }
      }
    }
    return sum
  }
}
