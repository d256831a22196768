import CTextModel
import Foundation
import Testing
import WaymarkImage

@testable import WaymarkText

/// The network that `waymark-text` holds, on a rendered line that it was not fitted to.
struct ShippedNetworkTests {
  private let line = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Text/network-line.pgm")

  @Test func itReadsARenderedLine() throws {
    var count = 0
    let bytes = waymark_text_network(&count)
    let network = try LineNetwork(
      ModelFile(UnsafeRawBufferPointer(start: bytes, count: count), name: LineNetwork.modelName))
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
