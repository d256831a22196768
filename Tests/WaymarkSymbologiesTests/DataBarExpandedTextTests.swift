import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite("The text of GS1 DataBar Expanded")
struct DataBarExpandedTextTests {
  @Test("a latch to digits behind FNC1, which goes there by itself, changes nothing")
  func latchBehindFNC1() {
    func characters(_ bits: String) -> [Int] {
      let bits = Array(bits.filter { $0 != " " })
      return stride(from: 0, to: bits.count - 11, by: 12).compactMap { Int(String(bits[$0..<($0 + 12)]), radix: 2) }
    }
    // 10 12, latch, A, FNC1, 42 21 23, and what fills up.
    let head = "0 00 00 0010011 0010101 0000 100000 01111"
    let tail = "0110110 0011111 0100001 0000 00100 00100"
    #expect(DataBarExpandedText.decode(characters(head + tail)) == "1012A\u{1D}422123")
    #expect(DataBarExpandedText.decode(characters(head + "000" + tail)) == "1012A\u{1D}422123")
  }

  @Test("whatever the characters are, they are decoded or refused")
  func hostile() {
    var random = RandomSource(seed: 23)
    for _ in 0..<3000 {
      let characters = (0..<Int(3 + random.next() % 19)).map { _ in Int(random.next() % 4096) }
      if let text = DataBarExpandedText.decode(characters) { #expect(!text.isEmpty && text.count < 160) }
    }
  }
}
