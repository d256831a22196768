import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite struct EvidenceTests {
  private func symbol(_ symbology: Symbology, _ text: String, lines: Int, pass: ScanPass = .stretch) -> Symbol {
    Symbol(
      symbology: symbology, text: text, bytes: Array(text.utf8), charset: .ascii,
      corners: .init(topLeft: [0, 0], topRight: [50, 0], bottomRight: [50, 20], bottomLeft: [0, 20]), quality: lines,
      pass: pass)
  }

  @Test func oneLineIsNoRead() {
    var evidence = Evidence()
    evidence.add(symbol(.ean13, "4006381333931", lines: 1))
    #expect(evidence.accepted.isEmpty)
    evidence.add(symbol(.ean13, "4006381333931", lines: 2, pass: .half))
    #expect(evidence.accepted.count == 1, "another pass agrees")
  }

  @Test func aRivalMakesBothDoubtful() {
    var evidence = Evidence()
    evidence.add(symbol(.ean13, "4006381333931", lines: 6))
    evidence.add(symbol(.ean13, "9006381333936", lines: 5))
    #expect(evidence.accepted.isEmpty)
    evidence.add(symbol(.ean13, "4006381333931", lines: 20, pass: .half))
    #expect(evidence.accepted.map(\.text) == ["4006381333931"])
  }

  @Test func checkDigitsAndLengthsCount() {
    var evidence = Evidence()
    evidence.add(symbol(.ean13, "4006381333930", lines: 50))
    evidence.add(symbol(.itf, "1234", lines: 50))
    evidence.add(symbol(.codabar, "A1B", lines: 50))
    evidence.add(symbol(.code39, "T", lines: 5))
    #expect(evidence.accepted.isEmpty)
  }

  @Test func aShortCodeInsideALongOneIsAnAccident() {
    var evidence = Evidence()
    evidence.add(symbol(.upcE, "00870340", lines: 12))
    evidence.add(symbol(.upcA, "625034201058", lines: 6))
    #expect(evidence.accepted.map(\.symbology) == [.upcA])
  }
}
