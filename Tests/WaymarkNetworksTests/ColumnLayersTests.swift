import Testing
import WaymarkSystem

@testable import WaymarkImage

/// Layers over columns, gates and curved activations compute what their formulas say, and refuse files that do not fit.
struct ColumnLayersTests {
  private func file(_ bytes: [UInt8]) throws(ModelError) -> ModelFile {
    try ModelFile(ModelBytes.file(bytes, name: "layers"), name: "layers")
  }

  /// A layer with scales of 1.
  private func dense(_ inputs: Int, _ outputs: Int, _ columns: UInt8, offsets: [Float], weights: [Int8]) -> [UInt8] {
    ModelBytes.half(inputs) + ModelBytes.half(outputs) + [columns]
      + (0..<outputs).flatMap { _ in ModelBytes.float(1) } + offsets.flatMap(ModelBytes.float)
      + weights.map { UInt8(bitPattern: $0) }
  }

  private func convolution(_ bytes: [UInt8], reads inputs: Int) throws(ModelError) -> ColumnConvolution {
    let file = try file(bytes)
    var numbers = ModelFile.Numbers(file)
    return try ColumnConvolution(&numbers, reads: inputs, of: file)
  }

  @Test func aConvolutionAddsItsNeighbours() throws {
    // The first output is the column before, minus the one after; the second is twice the second input, and 3.
    let bytes = dense(2, 2, 3, offsets: [0, 3], weights: [1, 0, 0, 0, -1, 0, 0, 0, 0, 2, 0, 0])
    let layer = try convolution(bytes, reads: 2)
    #expect(layer.outputs(of: [1, 10, 2, 20, 5, 50]) == [-2, 23, -4, 43, 2, 103])
    #expect(layer.outputs(of: []).isEmpty)
  }

  @Test func convolutionsThatDoNotFitAreRefused() {
    func code(_ bytes: [UInt8], reads inputs: Int = 1) -> ModelErrorCode? {
      do throws(ModelError) {
        _ = try convolution(bytes, reads: inputs)
        return nil
      } catch {
        return error.code
      }
    }
    let whole = dense(1, 1, 1, offsets: [0], weights: [1])
    #expect(code(whole) == nil)
    #expect(code(whole, reads: 2) == .otherModel)
    #expect(code(dense(1, 0, 1, offsets: [], weights: [])) == .otherModel)
    #expect(code(dense(1, 1, 2, offsets: [0], weights: [1, 1])) == .otherModel)
    #expect(code(dense(1, 1, 1, offsets: [.nan], weights: [1])) == .otherModel)
    for count in 0..<whole.count { #expect(code(Array(whole.prefix(count))) == .otherModel) }
  }

  @Test func aNormMakesMeanAndVarianceEqual() throws {
    let file = try file([1, 1, 1, 2].flatMap(ModelBytes.float))
    var numbers = ModelFile.Numbers(file)
    let norm = try ColumnNorm(&numbers, channels: 2, of: file)
    let made = norm.outputs(of: [4, 8, -1, -1])
    #expect(zip(made, [0, 3, 1, 2]).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test func attentionTakesTheValuesOfLikeKeys() {
    // Two heads of one channel: the first query prefers the second key by far, the others have none.
    let columns: [[Float]] = [[40, 0, 0, 0, 1, 10], [0, 0, 1, 0, 3, 20]]
    let made = ColumnAttention.outputs(of: columns.flatMap { $0 }, channels: 2, heads: 2)
    #expect(zip(made, [3, 15, 2, 15]).allSatisfy { abs($0 - $1) < 1e-4 })
    #expect(zip(ColumnAttention.swish([0, 1, -1]), [0, 0.731_059, -0.268_941]).allSatisfy { abs($0 - $1) < 1e-5 })
  }

  @Test func aNetworkCurvesAndGates() throws {
    func layer(_ kind: UInt8, _ activation: UInt8, from: Int) -> [UInt8] {
      [kind, activation] + ModelBytes.half(from) + ModelBytes.float(8)
    }
    let shape: [UInt8] = ModelBytes.half(1) + [1, 1, 1, 1, 0, 0, 0, 0]
    let weight = ModelBytes.float(1) + ModelBytes.float(0) + [1]
    func bytes(curve: Float = 1.5, channels: Int = 1) -> [UInt8] {
      ModelBytes.word(3) + layer(0, 2, from: 0) + ModelBytes.float(curve) + ModelBytes.float(-0.5) + shape + weight
        + layer(3, 0, from: 1) + dense(channels, 1, 1, offsets: [0], weights: [1])
        + dense(1, channels, 1, offsets: [1], weights: [1]) + layer(0, 0, from: 2) + shape + weight
    }
    func read(_ bytes: [UInt8]) throws -> LayerNetwork<IntegerKernel> {
      let file = try file(bytes)
      var numbers = ModelFile.Numbers(file)
      return try LayerNetwork(&numbers, height: 1, zero: 100, step: 1.0 / 32, leastWidth: 4, of: file)
    }
    let grays: [UInt8] = [4, 68, 100, 164, 255]
    let picture = GrayImage(width: 5, height: 1) { target in
      for i in 0..<5 { target[i] = grays[i] }
    }
    let curved = grays.map { gray in
      let x = (Float(gray) - 100) / 32
      return 1.5 * x * max(0, min(1, x / 6 + 0.5)) - 0.5
    }
    let gate = max(0, min(1, (max(0, curved.reduce(0, +) / 5) + 1) / 6 + 0.5))
    let network = try read(bytes())
    let made = picture.withView { NetworkRunner(network).run($0) }
    #expect(made.count == 5 && gate > 0.6 && gate < 1)
    #expect(zip(made, curved).allSatisfy { abs($0 - $1 * gate) < 0.01 })
    #expect(GrayImage(width: 2, height: 1, value: 100).withView { NetworkRunner(network).run($0) }.count == 4)
    #expect(throws: ModelError.self) { try read(bytes(curve: .infinity)) }
    #expect(throws: ModelError.self) { try read(bytes(channels: 2)) }
  }
}
