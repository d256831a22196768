import WaymarkImage

/// Writes black and white pictures as ITU-T T.6 (Group 4 facsimile), as PDF's CCITTFaxDecode with K = -1 reads it.
enum CCITTGroup4 {
  /// The coded picture, ended by EOFB; black is what is below 128.
  static func encode(_ image: GrayImage) -> [UInt8] {
    var bits = BitWriter()
    let w = image.width
    // Where the colour changes, from white, with the width behind the last.
    var above = [w, w, w]
    image.withView { view in
      for y in 0..<image.height {
        let row = view.row(y)
        var changes: [Int] = []
        var isBlack = false
        for x in 0..<w where (row[x] < 128) != isBlack {
          changes.append(x)
          isBlack.toggle()
        }
        changes += [w, w, w]
        encode(changes, above, w, &bits)
        above = changes
      }
    }
    bits.put("000000000001")
    bits.put("000000000001")
    return bits.finished()
  }

  /// One row by the changes in it and in the row above it (T.6, section 2.2.1).
  private static func encode(_ changes: [Int], _ above: [Int], _ width: Int, _ bits: inout BitWriter) {
    var a0 = -1
    var isBlack = false
    var own = 0
    var upper = 0
    while a0 < width {
      while own < changes.count - 1, changes[own] <= a0, changes[own] < width { own += 1 }
      let a1 = changes[own]
      // b1: the first change above to the right of a0 and to the other colour.
      while upper > 0, above[upper - 1] > a0 { upper -= 1 }
      while above[upper] < width, above[upper] <= a0 || upper % 2 != (isBlack ? 1 : 0) { upper += 1 }
      let b1 = above[upper]
      let b2 = b1 < width ? above[upper + 1] : width
      if b2 < a1 {
        bits.put("0001")
        a0 = b2
        continue
      }
      let shift = a1 - b1
      if abs(shift) <= 3 {
        bits.put(vertical[shift + 3])
        a0 = a1
        isBlack.toggle()
        if a0 >= width { break }
        continue
      }
      let a2 = a1 < width ? changes[own + 1] : width
      bits.put("001")
      put(a1 - max(0, a0), isBlack, &bits)
      put(a2 - a1, !isBlack, &bits)
      a0 = a2
    }
  }

  /// A run of one colour: make-up codes, then a terminating one.
  private static func put(_ length: Int, _ isBlack: Bool, _ bits: inout BitWriter) {
    var rest = length
    while rest >= 2560 {
      bits.put(extended[12])
      rest -= 2560
    }
    if rest >= 1792 {
      bits.put(extended[(rest - 1792) / 64])
    } else if rest >= 64 {
      bits.put((isBlack ? blackMakeUp : whiteMakeUp)[rest / 64 - 1])
    }
    bits.put((isBlack ? black : white)[rest % 64])
  }

  /// Three to the left … three to the right.
  private static let vertical = words("0000010 000010 010 1 011 000011 0000011")

  private static func words(_ list: String) -> [String] { list.split(separator: " ").map(String.init) }

  // ITU-T T.4, tables 2 and 3.
  private static let white = words(
    """
    00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011 0100111 \
    0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010 00011011 \
    00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100 00101101 00000100 \
    00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 01011000 01011001 01011010 01011011 \
    01001010 01001011 00110010 00110011 00110100
    """)
  private static let whiteMakeUp = words(
    """
    11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 \
    011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 \
    010011011
    """)
  private static let black = words(
    """
    0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 0000010111 \
    0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 00000011000 000011001010 \
    000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 000001101011 000011010010 000011010011 \
    000011010100 000011010101 000011010110 000011010111 000001101100 000001101101 000011011010 000011011011 000001010100 \
    000001010101 000001010110 000001010111 000001100100 000001100101 000001010010 000001010011 000000100100 000000110111 \
    000000111000 000000100111 000000101000 000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 \
    000001100111
    """)
  private static let blackMakeUp = words(
    """
    0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 \
    0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 \
    0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 \
    0000001100100 0000001100101
    """)
  private static let extended = words(
    """
    00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 \
    000000011100 000000011101 000000011110 000000011111
    """)

  /// Bits, the first one on top of the first byte.
  private struct BitWriter {
    private var bytes: [UInt8] = []
    private var last: UInt8 = 0
    private var count = 0

    mutating func put(_ code: String) {
      for bit in code.utf8 {
        last = last << 1 | (bit == UInt8(ascii: "1") ? 1 : 0)
        count += 1
        if count == 8 {
          bytes.append(last)
          (last, count) = (0, 0)
        }
      }
    }

    mutating func finished() -> [UInt8] {
      if count > 0 {
        bytes.append(last << UInt8(8 - count))
        (last, count) = (0, 0)
      }
      return bytes
    }
  }
}
