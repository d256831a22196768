import Testing
import WaymarkBarcodes
import WaymarkGeometry

@Suite struct SymbolDeduplicatorTests {
  private func symbol(_ symbology: Symbology, _ text: String, quality: Int = 20) -> Symbol {
    let here = Point2(0, 0)
    return Symbol(
      symbology: symbology, text: text, bytes: Array(text.utf8), charset: .ascii,
      corners: Quadrilateral(topLeft: here, topRight: here, bottomRight: here, bottomLeft: here), quality: quality)
  }

  @Test func announcesACodeOnce() {
    var deduplicator = SymbolDeduplicator()
    #expect(deduplicator.handle([symbol(.qr, "A")], at: 0).count == 1)
    #expect(deduplicator.handle([symbol(.qr, "A")], at: 0.1).isEmpty)
    #expect(deduplicator.handle([symbol(.qr, "A"), symbol(.qr, "B")], at: 0.2).map(\.text) == ["B"])
  }

  @Test func announcesItAgainAfterAnAbsence() {
    var deduplicator = SymbolDeduplicator(absence: 2)
    _ = deduplicator.handle([symbol(.qr, "A")], at: 0)
    #expect(deduplicator.handle([symbol(.qr, "A")], at: 1.9).isEmpty, "still seen: the absence starts anew")
    #expect(deduplicator.handle([symbol(.qr, "A")], at: 3.8).isEmpty)
    #expect(deduplicator.handle([], at: 5).isEmpty)
    #expect(deduplicator.handle([symbol(.qr, "A")], at: 5.9).count == 1)
  }

  @Test(arguments: [Symbology.itf, .code39, .codabar, .upcE])
  func wantsTwoFramesForWhatMisreads(symbology: Symbology) {
    var deduplicator = SymbolDeduplicator(agreement: 1)
    #expect(deduplicator.handle([symbol(symbology, "123456")], at: 0).isEmpty)
    #expect(deduplicator.handle([symbol(symbology, "123456")], at: 0).isEmpty, "the same frame twice is one frame")
    #expect(deduplicator.handle([symbol(symbology, "123457")], at: 0.1).isEmpty)
    #expect(deduplicator.handle([symbol(symbology, "123456")], at: 0.2).count == 1)
    #expect(deduplicator.handle([symbol(symbology, "123457")], at: 1.5).isEmpty, "too late to agree")
  }

  @Test func forgetsOnReset() {
    var deduplicator = SymbolDeduplicator()
    _ = deduplicator.handle([symbol(.qr, "A")], at: 0)
    deduplicator.reset()
    #expect(deduplicator.handle([symbol(.qr, "A")], at: 0.1).count == 1)
  }
}
