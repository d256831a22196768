import Testing
import WaymarkImage

@testable import WaymarkBarcodes

@Suite("Reed–Solomon codes")
struct ReedSolomonTests {
  struct Code: Sendable, CustomTestStringConvertible {
    var name: String
    var code: ReedSolomon
    var words: Int
    var checks: Int
    var testDescription: String { name }
  }

  static let codes = [
    Code(name: "QR 26,10", code: .qr, words: 26, checks: 10),
    Code(name: "Data Matrix 255,68", code: .dataMatrix, words: 218, checks: 62),
    Code(name: "six bits", code: .sixBits, words: 60, checks: 20),
    Code(name: "four bits", code: .fourBits, words: 7, checks: 5),
    Code(name: "ten bits", code: .tenBits, words: 700, checks: 160),
    Code(name: "twelve bits", code: .twelveBits, words: 1600, checks: 300),
    Code(name: "modulo 929", code: .pdf417, words: 200, checks: 64),
  ]

  /// A codeword and a generator that spoils it the same way in every run.
  private func codeword(_ c: Code, _ random: inout RandomSource) -> [Int] {
    let data = (0..<(c.words - c.checks)).map { _ in Int(random.next() % UInt64(c.code.field.size)) }
    return data + c.code.checks(for: data, count: c.checks)
  }

  private func spoil(_ words: inout [Int], _ places: ArraySlice<Int>, _ size: Int, _ random: inout RandomSource) {
    for i in places { words[i] = (words[i] + 1 + Int(random.next() % UInt64(size - 1))) % size }
  }

  @Test("errors and erasures up to the limit are corrected", arguments: codes)
  func limit(_ c: Code) {
    var random = RandomSource(seed: 7)
    for erased in [0, 1, c.checks / 2, c.checks] {
      let sent = codeword(c, &random)
      var received = sent
      let errors = (c.checks - erased) / 2
      let places = Array(0..<c.words).shuffled(using: &random)
      spoil(&received, places[..<(erased + errors)], c.code.field.size, &random)
      let found = c.code.correct(&received, checks: c.checks, erasures: Array(places[..<erased]))
      #expect(found == errors)
      #expect(received == sent)
    }
  }

  @Test("one error beyond the limit never gives the codeword of another message unnoticed", arguments: codes)
  func beyond(_ c: Code) {
    var random = RandomSource(seed: 11)
    for _ in 0..<20 {
      var received = codeword(c, &random)
      let places = Array(0..<c.words).shuffled(using: &random)
      spoil(&received, places[..<(c.checks / 2 + 1)], c.code.field.size, &random)
      let before = received
      // A code of few checks may land on another codeword by chance; with the reserve it must not.
      if c.code.correct(&received, checks: c.checks, reserve: min(2, c.checks - 1)) == nil {
        #expect(received == before)
      } else {
        #expect(c.checks < 12)
      }
    }
  }

  @Test("the example of the standard: QR 1-M, ISO/IEC 18004 annex I")
  func example() {
    let data = [0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11]
    #expect(
      ReedSolomon.qr.checks(for: data, count: 10)
        == [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
  }

  @Test("what cannot be a block is refused")
  func hostile() {
    var words = [1, 2, 3]
    #expect(ReedSolomon.qr.correct(&words, checks: 3) == nil)
    #expect(ReedSolomon.qr.correct(&words, checks: 2, erasures: [7]) == nil)
    words = [1, 2, 300]
    #expect(ReedSolomon.qr.correct(&words, checks: 2) == nil)
    var long = [Int](repeating: 0, count: 256)
    #expect(ReedSolomon.qr.correct(&long, checks: 4) == nil)
  }
}

extension ReedSolomon {
  /// The check codewords for some data.
  fileprivate func checks(for data: [Int], count: Int) -> [Int] {
    var generator = [1]
    for i in 0..<count {
      // Multiplied by (x − α^(b+i)), highest power first.
      let root = field.power(firstRoot + i)
      var next = generator + [0]
      for (j, g) in generator.enumerated() { next[j + 1] = field.difference(next[j + 1], field.product(g, root)) }
      generator = next
    }
    var rest = [Int](repeating: 0, count: count)
    for word in data {
      let lead = field.sum(word, rest[0])
      rest.removeFirst()
      rest.append(0)
      for j in 0..<count { rest[j] = field.difference(rest[j], field.product(lead, generator[j + 1])) }
    }
    // The remainder is subtracted, so that the whole is a multiple of the generator.
    return rest.map { field.difference(0, $0) }
  }
}
