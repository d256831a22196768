/// A layer as a file says it, for files that a test makes.
struct LayerDraft {
  var kind: UInt8
  var rectifies: Bool
  var from: Int
  var other = 0
  var range: Float = 4
  var inputs = 0
  var outputs = 0
  var kernel = (0, 0)
  var step = (0, 0)
  var padding = (0, 0, 0, 0)
  var scales: [Float] = []
  var offsets: [Float] = []
  var weights: [Int8] = []

  static func convolution(
    from: Int, inputs: Int, outputs: Int, kernel: (Int, Int), step: (Int, Int), padding: (Int, Int, Int, Int),
    rectifies: Bool = true
  ) -> LayerDraft {
    LayerDraft(
      kind: 0, rectifies: rectifies, from: from, inputs: inputs, outputs: outputs, kernel: kernel, step: step,
      padding: padding)
  }

  static func channels(
    from: Int, count: Int, kernel: (Int, Int), step: (Int, Int), padding: (Int, Int, Int, Int)
  ) -> LayerDraft {
    LayerDraft(
      kind: 1, rectifies: true, from: from, inputs: count, outputs: count, kernel: kernel, step: step, padding: padding)
  }

  static func addition(from: Int, other: Int, rectifies: Bool = true) -> LayerDraft {
    LayerDraft(kind: 2, rectifies: rectifies, from: from, other: other)
  }

  var weightsOfAnOutput: Int { kernel.0 * kernel.1 * (kind == 1 ? 1 : inputs) }

  /// Layers with weights of a seed.
  static func weighted(_ layers: [LayerDraft], seed: UInt64) -> [LayerDraft] {
    var random = SplitMix(state: seed)
    return layers.map { layer in
      var layer = layer
      guard layer.kind != 2 else { return layer }
      layer.weights = (0..<(layer.outputs * layer.weightsOfAnOutput)).map { _ in
        max(-127, Int8(truncatingIfNeeded: random.next() >> 30))
      }
      layer.scales = (0..<layer.outputs).map { _ in
        (0.5 + Float(random.next() % 1000) / 1000) / (40 * Float(layer.weightsOfAnOutput).squareRoot())
      }
      layer.offsets = (0..<layer.outputs).map { _ in Float(random.next() % 1000) / 1000 - 0.4 }
      return layer
    }
  }

  /// The number of layers, and the layers.
  static func bytes(_ layers: [LayerDraft]) -> [UInt8] {
    var bytes = ModelBytes.word(UInt32(layers.count))
    for layer in layers {
      bytes += [layer.kind, layer.rectifies ? 1 : 0] + ModelBytes.half(layer.from) + ModelBytes.float(layer.range)
      guard layer.kind != 2 else {
        bytes += ModelBytes.half(layer.other)
        continue
      }
      bytes += ModelBytes.half(layer.outputs)
      bytes += [
        layer.kernel.0, layer.kernel.1, layer.step.0, layer.step.1, layer.padding.0, layer.padding.1, layer.padding.2,
        layer.padding.3,
      ].map { UInt8($0) }
      bytes += (layer.scales + layer.offsets).flatMap(ModelBytes.float)
      bytes += layer.weights.map { UInt8(bitPattern: $0) }
    }
    return bytes
  }
}
