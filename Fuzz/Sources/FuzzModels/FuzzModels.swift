import FuzzSupport
import WaymarkSystem

@testable import WaymarkImage
@testable import WaymarkText

/// The files of the networks that read lines and words: arbitrary bytes, and arbitrary bytes behind a valid head.
@main
struct FuzzModels {
  static func main() { fuzz(seeds: seeds()) { feed($0, $1) } }
}

private let picture = GrayImage(width: 37, height: LineLattice.height) { target in
  for i in 0..<(37 * LineLattice.height) { target[i] = UInt8(truncatingIfNeeded: i &* 73) }
}

private let tall = GrayImage(width: 37, height: WordNetwork.height, value: 90)

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = input(bytes, count)
  if let file = try? ModelFile(headed(bytes, WordNetwork.modelName), name: WordNetwork.modelName),
    let words = try? WordNetwork(file)
  {
    _ = tall.withView { words.read($0) }
  }
  _ = try? ModelFile(bytes, name: LineNetwork.modelName)
  guard let file = try? ModelFile(headed(bytes), name: LineNetwork.modelName) else { return 0 }
  guard let network = try? LineNetwork(file) else { return 0 }
  guard let lattice = picture.withView({ network.read($0) }) else { return 0 }
  for column in lattice.columns {
    require(!column.choices.isEmpty, "a column that says nothing at all")
    for choice in column.choices {
      require((0...network.alphabet.count).contains(choice.label), "a character that is not in the alphabet")
      require((0...1).contains(choice.share), "a likelihood of \(choice.share)")
    }
  }
  require(lattice.symbols().count <= lattice.columns.count, "more characters than columns")
  let all = Set(1...network.alphabet.count)
  if let path = lattice.symbols(at: [all, all]) { require(path.count == 2, "another count than was asked for") }
  return 0
}

/// The file whose numbers these are.
private func headed(_ payload: [UInt8], _ name: String = LineNetwork.modelName) -> [UInt8] {
  let sum = String(CRC32C.of(payload), radix: 16)
  return Array(
    "waymark model 1\nname \(name)\nscript x\nbytes \(payload.count)\ncrc32c \(sum)\n\n".utf8) + payload
}

/// Two networks of a few weights, one with all kinds of layers.
private func seeds() -> [[UInt8]] {
  func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  func half(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
  func float(_ value: Float) -> [UInt8] { word(value.bitPattern) }
  func layer(_ kind: UInt8, _ rectifies: UInt8, from: Int) -> [UInt8] { [kind, rectifies] + half(from) + float(4) }
  func convolution(_ kind: UInt8, _ rectifies: UInt8, from: Int, inputs: Int, outputs: Int, _ shape: [UInt8]) -> [UInt8]
  {
    let weights = outputs * Int(shape[0]) * Int(shape[1]) * (kind == 1 ? 1 : inputs)
    return layer(kind, rectifies, from: from) + half(outputs) + shape + (0..<outputs).flatMap { _ in float(0.01) }
      + (0..<outputs).flatMap { float(Float($0) / 8) } + (0..<weights).map { UInt8(truncatingIfNeeded: $0 &* 37) | 1 }
  }
  let head = word(1) + word(32) + word(128) + float(1.0 / 64) + float(1) + word(3) + Array("A 1".utf8)
  let one = convolution(0, 0, from: 0, inputs: 1, outputs: 8, [32, 2, 1, 2, 0, 0, 0, 0])
  let all =
    convolution(0, 1, from: 0, inputs: 1, outputs: 4, [3, 3, 4, 2, 1, 1, 1, 1])
    + convolution(1, 1, from: 1, inputs: 4, outputs: 4, [3, 3, 1, 1, 1, 1, 1, 1]) + layer(2, 1, from: 2) + half(1)
    + convolution(0, 0, from: 3, inputs: 4, outputs: 4, [8, 1, 1, 1, 0, 0, 0, 0])
  return [head + word(1) + one, head + word(4) + all, headed(head + word(1) + one)]
}
