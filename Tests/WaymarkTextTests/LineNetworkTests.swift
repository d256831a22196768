import CTextModel
import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkText

/// The file of the network that reads lines is taken in whole, or not at all.
struct LineNetworkTests {
  /// A network of one layer that sees one gray value in each row: of two columns a position the first says "A" where it is dark, the second is
  /// always nothing.
  private func payload(
    version: UInt32 = 1, height: UInt32 = 32, temperature: Float = 1, alphabet: [UInt8] = Array("A b".utf8),
    outputs: Int = 8, weight: Int8 = -100, after: [UInt8] = []
  ) -> [UInt8] {
    var bytes = ModelBytes.word(version) + ModelBytes.word(height) + ModelBytes.word(128) + ModelBytes.float(1.0 / 64)
    bytes += ModelBytes.float(temperature) + ModelBytes.word(UInt32(alphabet.count)) + alphabet + ModelBytes.word(1)
    bytes += [0, 0] + ModelBytes.half(0) + ModelBytes.float(1) + ModelBytes.half(outputs) + [32, 2, 1, 2, 0, 0, 0, 0]
    bytes += (0..<outputs).flatMap { _ in ModelBytes.float(0.01) }
    bytes += (0..<outputs).flatMap { ModelBytes.float($0 % 4 == 0 ? 5 : 0) }
    for output in 0..<outputs {
      bytes += [UInt8](repeating: output == 1 ? UInt8(bitPattern: weight) : 0, count: 64)
    }
    return bytes + after
  }

  private func code(_ payload: [UInt8]) -> ModelErrorCode? {
    do throws(ModelError) {
      _ = try LineNetwork(ModelFile(ModelBytes.file(payload, name: "text-network"), name: "text-network"))
      return nil
    } catch {
      return error.code
    }
  }

  @Test func itGivesColumns() throws {
    let file = ModelBytes.file(payload(), name: LineNetwork.modelName)
    let network = try LineNetwork(ModelFile(file, name: LineNetwork.modelName))
    #expect(network.alphabet == ["A", " ", "b"])
    let picture = GrayImage(width: 12, height: 32) { target in
      for i in 0..<(12 * 32) { target[i] = (4..<6).contains(i % 12) || (8..<10).contains(i % 12) ? 20 : 250 }
    }
    let lattice = try #require(picture.withView { network.read($0) })
    #expect(lattice.columns.count == 12)
    let reported = lattice.symbols()
    #expect(reported.map(\.text) == ["A", "A"])
    #expect(reported.allSatisfy { $0.confidence > 0.99 })
    #expect(reported[0].span == (4.0 / 12)...(5.0 / 12))
    // Of another height, or too wide: none.
    #expect(GrayImage(width: 12, height: 31, value: 0).withView { network.read($0) } == nil)
    #expect(GrayImage(width: LineNetwork.widthLimit + 1, height: 32, value: 0).withView { network.read($0) } == nil)
  }

  @Test func whatIsNotOneIsRefused() {
    #expect(code(payload()) == nil)
    #expect(code(payload(version: 2)) == .otherModel)
    #expect(code(payload(height: 31)) == .otherModel)
    #expect(code(payload(temperature: 0)) == .otherModel)
    #expect(code(payload(temperature: .nan)) == .otherModel)
    #expect(code(payload(alphabet: [])) == .otherModel)
    #expect(code(payload(alphabet: Array("AA".utf8))) == .otherModel)
    #expect(code(payload(alphabet: [0xFF])) == .otherModel)
    #expect(code(payload(alphabet: Array("A\nB".utf8))) == .otherModel)
    // A letter and a mark that belongs to it are not two characters.
    #expect(code(payload(alphabet: Array("e\u{301}b".utf8))) == .otherModel)
    #expect(code(payload(outputs: 7)) == .otherModel)
    #expect(code(payload(after: [0])) == .otherModel)
    let whole = payload()
    for count in stride(from: 0, to: whole.count, by: 31) { #expect(code(Array(whole.prefix(count))) == .otherModel) }
  }
}

/// The network that `waymark-text` holds, on a rendered line that it was not fitted to.
struct ShippedNetworkTests {
  private let line = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Text/network-line.pgm")

  @Test func itReadsARenderedLine() throws {
    let network = try LineNetwork(ModelFile(waymark_text_network, name: LineNetwork.modelName))
    #expect(network.alphabet.count == 222)
    let file = try Data(contentsOf: line)
    let picture = try file.withUnsafeBytes { try PictureDecoder().gray($0).image }
    let lattice = try #require(picture.withView { network.read($0) })
    #expect(lattice.columns.count == 2 * ((picture.width + 3) / 4))
    let symbols = lattice.symbols()
    #expect(symbols.map(\.text).joined() == "877884")
    // As the fitted network says it in floating point, before its activations are rounded.
    let fitted = [0.9945, 1, 1, 0.9961, 0.9955, 1]
    #expect(zip(symbols, fitted).allSatisfy { abs($0.confidence - $1) < 0.03 })
  }
}
