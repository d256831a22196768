import Testing

@testable import WaymarkImage

struct FloatNetworkTests {
  private typealias Layer = LayerNetwork<FloatKernel>.Layer

  /// All kinds of layers, on sides that are not a multiple of the places that a kernel computes at once: the same sums in the same order.
  @Test func itComputesWhatPlainLoopsCompute() {
    var random = SplitMix(state: 3)
    func numbers(_ count: Int) -> [Float] { (0..<count).map { _ in Float(random.next() % 2001) / 500 - 2 } }
    let side = 20
    var layers: [Layer] = []
    var pictures = [numbers(3 * side * side)]
    var sides = [side]
    func convolve(
      _ from: Int, _ inputs: Int, _ outputs: Int, side: Int = 1, step: Int = 1, isByChannel: Bool = false,
      rectifies: Bool = true
    ) {
      let shape = ConvolutionShape(side: side, step: step, inputs: inputs, outputs: outputs, isByChannel: isByChannel)
      let (weights, offsets) = (numbers(shape.weightCount * outputs), numbers(outputs))
      let kernel = FloatKernel(shape, weights: weights, offsets: offsets)
      layers.append(Layer(from: from, work: .convolution(kernel), rectifies: rectifies))
      let (source, size) = (pictures[from], sides[from])
      var made: [Float] = []
      for place in 0..<(size / step * (size / step)) {
        let (x, y) = (place % (size / step) * step - side / 2, place / (size / step) * step - side / 2)
        for output in 0..<outputs {
          var sum = offsets[output]
          for k in 0..<(side * side) where (0..<size).contains(x + k % side) && (0..<size).contains(y + k / side) {
            for i in isByChannel ? output..<(output + 1) : 0..<inputs {
              let row = isByChannel ? k : k * inputs + i
              sum += source[((y + k / side) * size + x + k % side) * inputs + i] * weights[row * outputs + output]
            }
          }
          made.append(rectifies ? max(0, sum) : sum)
        }
      }
      pictures.append(made)
      sides.append(size / step)
    }

    convolve(0, 3, 8, side: 3, step: 2)
    convolve(1, 8, 8, side: 3, step: 2, isByChannel: true)
    convolve(2, 8, 16)
    convolve(3, 16, 8, rectifies: false)
    // Each place of the coarser picture is added to four.
    layers.append(Layer(from: 1, work: .addition(other: 4, factors: (1, 1)), rectifies: true))
    pictures.append(
      pictures[1].indices.map { i in
        let (x, y) = (i / 8 % sides[1], i / 8 / sides[1])
        return max(0, pictures[1][i] + pictures[4][(y / 2 * sides[4] + x / 2) * 8 + i % 8])
      })
    sides.append(sides[1])
    convolve(5, 8, 8, side: 3, isByChannel: true)
    convolve(6, 8, 3, rectifies: false)
    let runner = NetworkRunner(LayerNetwork(layers, channels: 3, height: side))
    for _ in 0..<2 { #expect(runner.run(pictures[0]) == pictures[7]) }
  }
}
