import Testing
import WaymarkCrypto

@Suite("DER")
struct DERReaderTests {
  @Test("Natural numbers have one spelling (X.690, 8.3.2)")
  func naturals() {
    let cases: [([UInt8], [UInt8]?)] = [
      ([2, 1, 0], []), ([2, 1, 5], [5]), ([2, 1, 0x7F], [0x7F]), ([2, 2, 0, 0x80], [0x80]), ([2, 2, 1, 0], [1, 0]),
      ([2, 0], nil), ([2, 1, 0x80], nil), ([2, 1, 0xFF], nil), ([2, 2, 0, 0x7F], nil), ([2, 2, 0, 0], nil),
      ([3, 1, 0], nil),
    ]
    for (bytes, number) in cases {
      var reader = DERReader(bytes[...])
      #expect(reader.natural() == number, "\(bytes)")
    }
  }

  @Test("Lengths have one spelling, and reach no further than the bytes")
  func lengths() {
    let long = [UInt8](repeating: 9, count: 300)
    let good: [([UInt8], Int)] = [
      ([4, 0], 0), ([4, 0x7F] + long.prefix(127), 127), ([4, 0x81, 0x80] + long.prefix(128), 128),
      ([4, 0x82, 1, 0x2C] + long, 300),
    ]
    for (bytes, count) in good {
      var reader = DERReader((bytes + [1])[...])
      #expect(reader.next(.octetString)?.count == count)
      #expect(!reader.isAtEnd)
    }
    let bad: [[UInt8]] = [
      [], [4], [4, 1], [4, 0x80], [4, 0x81], [4, 0x81, 0x7F] + long, [4, 0x82, 0, 0x80] + long,
      [4, 0x82, 1, 0x2D] + long,
      [4, 0x84, 0, 0, 0, 1, 9], [4, 0xFF] + long,
    ]
    for bytes in bad {
      var reader = DERReader(bytes[...])
      #expect(reader.next(.octetString) == nil, "\(bytes.prefix(4))")
      #expect(reader.whole() == nil)
    }
    var tagged = DERReader([0x1F, 0x24, 0][...])
    #expect(tagged.whole() == nil)
  }

  @Test("Elements come one after the other, and one of another kind stays")
  func elements() {
    var reader = DERReader([0x30, 3, 2, 1, 7, 4, 1, 8][...])
    #expect(reader.next(.integer) == nil)
    var inner = reader.elements()
    #expect(inner?.natural() == [7])
    #expect(inner?.isAtEnd == true)
    #expect(reader.isNext(.octetString))
    #expect(reader.whole().map { Array($0) } == [4, 1, 8])
    #expect(reader.isAtEnd)
  }
}
