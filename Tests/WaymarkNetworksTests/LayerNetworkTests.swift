import Testing
import WaymarkSystem

@testable import WaymarkImage

/// Networks of layers compute what plain loops compute, to the bit, and refuse files that do not fit.
struct LayerNetworkTests {
  private func read(_ bytes: [UInt8]) throws(ModelError) -> LayerNetwork<IntegerKernel> {
    var numbers = ModelFile.Numbers(try ModelFile(ModelBytes.file(bytes, name: "layers"), name: "layers"))
    let network = try LayerNetwork(
      &numbers, height: 8, zero: 100, step: 1.0 / 64,
      of: try ModelFile(ModelBytes.file(bytes, name: "layers"), name: "layers"))
    guard numbers.isEmpty else { return try read([]) }
    return network
  }

  private func code(_ bytes: [UInt8]) -> ModelErrorCode? {
    do throws(ModelError) {
      _ = try read(bytes)
      return nil
    } catch {
      #expect(!error.message.isEmpty && !error.hint.isEmpty)
      return error.code
    }
  }

  /// All kinds of layers, with channels that fill no block of outputs, runs of an odd count, steps and padding that differ by side.
  private static let layers: [LayerDraft] = [
    .convolution(from: 0, inputs: 1, outputs: 5, kernel: (3, 3), step: (1, 2), padding: (1, 1, 1, 1)),
    .convolution(from: 1, inputs: 5, outputs: 21, kernel: (3, 5), step: (2, 1), padding: (1, 1, 2, 2)),
    .channels(from: 2, count: 21, kernel: (3, 3), step: (1, 1), padding: (1, 1, 1, 1)),
    .addition(from: 3, other: 2),
    .convolution(
      from: 4, inputs: 21, outputs: 33, kernel: (2, 1), step: (2, 1), padding: (0, 0, 0, 0), rectifies: false),
    .addition(from: 5, other: 5, rectifies: false),
    .convolution(from: 6, inputs: 33, outputs: 17, kernel: (2, 3), step: (1, 1), padding: (0, 0, 0, 2)),
    .convolution(
      from: 7, inputs: 17, outputs: 7, kernel: (1, 1), step: (1, 1), padding: (0, 0, 0, 0), rectifies: false),
  ]

  @Test(arguments: [1, 2, 7, 31, 64, 129]) func itComputesWhatPlainLoopsCompute(width: Int) throws {
    let drafts = LayerDraft.weighted(Self.layers, seed: 7)
    let network = try read(LayerDraft.bytes(drafts))
    var random = SplitMix(state: UInt64(width))
    let picture = GrayImage(width: width, height: 8) { target in
      for i in 0..<(8 * width) { target[i] = UInt8(truncatingIfNeeded: random.next() >> 20) }
    }
    let runner = NetworkRunner(network)
    let computed = picture.withView { runner.run($0) }
    let plain = PlainNetwork(drafts, zero: 100, step: 1.0 / 64).run(picture, leastWidth: network.leastWidth)
    #expect(computed == plain)
    #expect(computed.contains { $0 != 0 } && computed.count % 7 == 0)
    // Its memory is used again after another picture.
    let other = GrayImage(width: 40, height: 8, value: 255)
    _ = other.withView { runner.run($0) }
    #expect(picture.withView { runner.run($0) } == plain)
  }

  @Test func whatEndsOrGoesOnIsRefused() {
    let bytes = LayerDraft.bytes(LayerDraft.weighted(Self.layers, seed: 7))
    #expect(code(bytes) == nil)
    for count in stride(from: 0, to: bytes.count, by: 53) { #expect(code(Array(bytes.prefix(count))) == .otherModel) }
  }

  @Test func whatDoesNotFitTogetherIsRefused() {
    func refuses(_ what: String, _ layers: [LayerDraft], _ change: (inout [LayerDraft]) -> Void = { _ in }) {
      var drafts = LayerDraft.weighted(layers, seed: 3)
      change(&drafts)
      #expect(code(LayerDraft.bytes(drafts)) == .otherModel, "\(what)")
    }
    let head = LayerDraft.convolution(
      from: 1, inputs: 4, outputs: 3, kernel: (8, 1), step: (1, 1), padding: (0, 0, 0, 0), rectifies: false)
    let first = LayerDraft.convolution(
      from: 0, inputs: 1, outputs: 4, kernel: (3, 3), step: (1, 1), padding: (1, 1, 1, 1))
    #expect(code(LayerDraft.bytes(LayerDraft.weighted([first, head], seed: 3))) == nil)
    refuses("no layer", [])
    refuses("a height that is left", [first])
    refuses("its own result", [first, head]) { $0[1].from = 2 }
    refuses("a kind that is none", [first, head]) { $0[0].kind = 4 }
    refuses("a range of nothing", [first, head]) { $0[0].range = 0 }
    refuses("a range that is no number", [first, head]) { $0[0].range = .nan }
    refuses("a scale of nothing", [first, head]) { $0[0].scales[2] = 0 }
    refuses("an offset that is no number", [first, head]) { $0[0].offsets[2] = .infinity }
    refuses("an offset beyond 32 bits", [first, head]) { $0[0].offsets[2] = 1e9 }
    refuses("a scale whose sums are beyond floating point", [first, head]) {
      $0[1].scales[1] = 1e35
      $0[1].offsets[1] = 0
    }
    refuses("a step of nothing", [first, head]) { $0[0].step.1 = 0 }
    refuses("padding as wide as the kernel", [first, head]) { $0[0].padding.2 = 3 }
    refuses("a kernel of nothing", [first, head]) { $0[0].kernel.1 = 0 }
    refuses("a head that hides what is below 0", [first, head]) { $0[1].rectifies = true }
    let halved = LayerDraft.convolution(
      from: 1, inputs: 4, outputs: 4, kernel: (3, 3), step: (1, 2), padding: (1, 1, 1, 1))
    refuses("a sum of different widths", [first, halved, .addition(from: 2, other: 1), head]) { $0[3].from = 3 }
    let tall = LayerDraft.convolution(
      from: 0, inputs: 1, outputs: 4, kernel: (32, 1), step: (1, 1), padding: (31, 31, 0, 0))
    refuses(
      "more height at each layer",
      [tall]
        + (1...4).map {
          .convolution(from: $0, inputs: 4, outputs: 4, kernel: (32, 1), step: (1, 1), padding: (31, 31, 0, 0))
        })
    let wide = LayerDraft.convolution(
      from: 0, inputs: 1, outputs: 1000, kernel: (3, 3), step: (1, 1), padding: (1, 1, 1, 1))
    refuses(
      "more numbers than a line may cost",
      [
        wide, .channels(from: 1, count: 1000, kernel: (3, 3), step: (1, 1), padding: (1, 1, 1, 1)),
        .channels(from: 2, count: 1000, kernel: (3, 3), step: (1, 1), padding: (1, 1, 1, 1)),
        .channels(from: 3, count: 1000, kernel: (3, 3), step: (1, 1), padding: (1, 1, 1, 1)),
        .convolution(
          from: 4, inputs: 1000, outputs: 2, kernel: (8, 1), step: (1, 1), padding: (0, 0, 0, 0), rectifies: false),
      ])
    let leap = LayerDraft.convolution(
      from: 0, inputs: 1, outputs: 1, kernel: (1, 1), step: (1, 8), padding: (0, 0, 0, 0))
    refuses(
      "steps that miss most of a line",
      [leap]
        + (1...2).map {
          .convolution(from: $0, inputs: 1, outputs: 1, kernel: (1, 1), step: (1, 8), padding: (0, 0, 0, 0))
        } + [
          .convolution(
            from: 3, inputs: 1, outputs: 2, kernel: (8, 1), step: (1, 1), padding: (0, 0, 0, 0), rectifies: false)
        ])
  }

  /// Weights and activations as great as a file may have them: the sums stay whole numbers of 32 bits.
  @Test func theGreatestSumsFit() throws {
    var drafts = LayerDraft.weighted(
      [
        .convolution(from: 0, inputs: 1, outputs: 16, kernel: (3, 3), step: (1, 1), padding: (1, 1, 1, 1)),
        .convolution(
          from: 1, inputs: 16, outputs: 2, kernel: (8, 9), step: (1, 1), padding: (0, 0, 4, 4), rectifies: false),
      ], seed: 1)
    for layer in drafts.indices {
      drafts[layer].weights = drafts[layer].weights.map { _ in 127 }
      drafts[layer].offsets = drafts[layer].offsets.map { _ in 0 }
      drafts[layer].range = 1e-3
    }
    let network = try read(LayerDraft.bytes(drafts))
    let picture = GrayImage(width: 20, height: 8, value: 255)
    let computed = picture.withView { NetworkRunner(network).run($0) }
    #expect(computed == PlainNetwork(drafts, zero: 100, step: 1.0 / 64).run(picture, leastWidth: 1))
    // More inputs of that size would not.
    drafts = LayerDraft.weighted(
      [
        .convolution(from: 0, inputs: 1, outputs: 256, kernel: (1, 1), step: (1, 1), padding: (0, 0, 0, 0)),
        .convolution(
          from: 1, inputs: 256, outputs: 2, kernel: (8, 3), step: (1, 1), padding: (0, 0, 1, 1), rectifies: false),
      ], seed: 1)
    drafts[1].weights = drafts[1].weights.map { _ in 127 }
    #expect(code(LayerDraft.bytes(drafts)) == .otherModel)
  }
}
