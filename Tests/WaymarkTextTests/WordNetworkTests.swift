import CTextModel
import Foundation
import Testing
import WaymarkImage
import WaymarkSystem

@testable import WaymarkText

/// The network of words that `waymark-text` holds, on a word that `Benchmarks/text/words/convert.py` renders.
struct WordNetworkTests {
  private let word = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Text/network-word.pgm")

  @Test func itReadsARenderedWord() throws {
    let network = try WordNetwork(ModelFile(waymark_word_network, name: WordNetwork.modelName))
    let file = try Data(contentsOf: word)
    let picture = try file.withUnsafeBytes { try PictureDecoder().gray($0).image }
    let lattice = try #require(picture.withView { network.read($0) })
    #expect(lattice.alphabet.count == 114)
    // One column for eight pixels, without those of the extended margin.
    #expect(lattice.columns.count == 11 && picture.width == 82)
    let symbols = lattice.symbols()
    #expect(symbols.map(\.text) == ["N", "F"])
    // As the original network says it in floating point.
    #expect(zip(symbols, [0.985, 0.93]).allSatisfy { abs($0.confidence - $1) < 0.03 })
    #expect(GrayImage(width: 82, height: 32, value: 90).withView { network.read($0) } == nil)
    #expect(GrayImage(width: 1, height: 48, value: 90).withView { network.read($0) }?.columns.count == 1)
    let wide = GrayImage(width: WordNetwork.widthLimit + 1, height: 48, value: 90)
    #expect(wide.withView { network.read($0) } == nil)
  }

  @Test func aFileThatEndsOrGoesOnIsRefused() throws {
    let whole = try ModelFile(waymark_word_network, name: WordNetwork.modelName).payload
    func code(_ payload: [UInt8]) -> ModelErrorCode? {
      do throws(ModelError) {
        let name = WordNetwork.modelName
        _ = try WordNetwork(ModelFile(ModelBytes.file(payload, name: name), name: name))
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(whole + [0]) == .otherModel)
    for share in [0, 1, 500, 870, 950, 999] {
      #expect(code(Array(whole.prefix(whole.count * share / 1000))) == .otherModel)
    }
    var other = whole
    other[4] = 32
    #expect(code(other) == .otherModel, "another height")
  }
}
