import CKernels
import CModels
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkAnchors

struct DescriptorModelTests {
  private static let bytes: [UInt8] = {
    let file = waymark_anchor_descriptor()
    return [UInt8](UnsafeRawBufferPointer(start: file.bytes, count: file.count))
  }()

  private func model(_ payload: [UInt8]) throws(ModelError) -> DescriptorModel {
    try DescriptorModel(
      ModelFile(ModelBytes.file(payload, name: "anchor-descriptor"), name: "anchor-descriptor"))
  }

  @Test func itIsInTheProgram() throws {
    #expect(try ModelFile(Self.bytes, name: "anchor-descriptor").script == "Benchmarks/anchors/learn_descriptor.py")
    #expect(try DescriptorModel.load().offsets.count == 256)
  }

  /// The order in which the kernel wants the weights gives the same sums as directions row by row.
  @Test func weightsAreInTheOrderOfTheKernel() throws {
    let model = try DescriptorModel.load()
    var numbers = ModelFile.Numbers(try ModelFile(Self.bytes, name: "anchor-descriptor"))
    var rows: [[Int]] = []
    for _ in 0..<256 { rows.append((0..<64).map { _ in Int(Int16(bitPattern: numbers.half())) }) }
    let offsets = (0..<256).map { _ in Int(Int32(bitPattern: numbers.word())) }
    var random = RandomSource(seed: 5)
    let shares = (0..<(3 * 64 + Int(CK_SLACK))).map { _ in Int16(random.below(513)) }
    var sums = [Int32](repeating: 0, count: 3 * 256)
    ck_convolve(shares, 0, 64, 1, 32, 3, model.weights, Int32(DescriptorModel.blocks), model.offsets, &sums)
    for place in 0..<3 {
      for bit in 0..<256 {
        var expected = offsets[bit]
        for share in 0..<64 { expected += rows[bit][share] * Int(shares[64 * place + share]) }
        #expect(Int(sums[256 * place + bit]) == expected)
      }
    }
  }

  /// No patch, whatever it shows, makes a sum that leaves 32 bits or a margin that leaves 16.
  @Test func noSumIsTooLarge() throws {
    let model = try DescriptorModel.load()
    for block in 0..<DescriptorModel.blocks {
      for output in 0..<Int(CK_OUTPUTS) {
        var squares = 0.0
        for pair in 0..<32 {
          for i in 0..<2 {
            let weight = model.weights[2 * ((32 * block + pair) * Int(CK_OUTPUTS) + output) + i]
            squares += Double(weight) * Double(weight)
          }
        }
        // The squares of all shares make 512 squared, and each was rounded by half.
        let most = squares.squareRoot() * 516 + Double(abs(model.offsets[16 * block + output]))
        #expect(most < Double(Int16.max) * 1024)
      }
    }
  }

  @Test func anotherSizeIsAnotherModel() throws {
    let payload = try ModelFile(Self.bytes, name: "anchor-descriptor").payload
    for wrong: [UInt8] in [Array(payload.dropLast()), payload + [0], []] {
      #expect(throws: ModelError.self) { try model(wrong) }
    }
    var other = payload
    other[7] ^= 1
    #expect(try model(other).fingerprint != DescriptorModel.load().fingerprint)
  }

  /// Neither few nor most corners have one of the leading bits, and no two of them say the same: keys of the index are filled evenly.
  @Test func leadingBitsShareTheCornersOut() throws {
    let extractor = FeatureExtractor()
    var words: [UInt64] = []
    for seed in 1...12 as ClosedRange<UInt64> {
      Scenery.picture(seed: seed).withView { extractor.extract($0) }
      words += (0..<extractor.features.count).map { extractor.features.descriptor($0)[0] }
    }
    let count = Double(words.count)
    /// The share of corners of which `bit` is true.
    func share(_ bit: (UInt64) -> UInt64) -> Double { Double(words.count { bit($0) & 1 == 1 }) / count }
    for a in 0..<20 {
      let set = share { $0 >> UInt64(a) }
      #expect((0.2...0.8).contains(set))
      for b in 0..<a {
        let differ = share { ($0 >> UInt64(a)) ^ ($0 >> UInt64(b)) }
        #expect((0.3...0.7).contains(differ))
      }
    }
  }
}
