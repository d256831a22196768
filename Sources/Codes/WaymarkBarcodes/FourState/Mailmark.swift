import WaymarkSystem

/// Decodes the four-state barcodes C and L of Royal Mail Mailmark ("Barcode C encoding and decoding instructions", 2015, and the same for L).
package enum Mailmark {
  /// The layout of barcode C or L.
  struct Kind {
    /// The numbers of data symbols with even parity and with odd parity, of check symbols, and of digits of the supply chain.
    let (even, odd, checks, chain): (Int, Int, Int, Int)
    /// For each symbol, the index of its group of three bars.
    let groups: [Int]

    var bars: Int { 3 * groups.count }
  }

  static let kinds = [
    Kind(
      even: 9, odd: 7, checks: 6, chain: 2,
      groups: [3, 5, 7, 11, 13, 14, 16, 17, 19, 0, 1, 2, 4, 6, 8, 9, 10, 12, 15, 18, 20, 21]),
    Kind(
      even: 11, odd: 8, checks: 7, chain: 6,
      groups: [2, 5, 7, 8, 13, 14, 15, 16, 21, 22, 23, 0, 1, 3, 4, 6, 9, 10, 11, 12, 17, 18, 19, 20, 24, 25]),
  ]

  /// Returns the text: format, version, class, supply chain, item, and a postcode with its delivery point, padded with blanks to nine
  /// characters; `nil` if the bars are not a Mailmark or have too many errors.
  package static func decode(_ bars: FourStateBars) -> String? {
    guard let kind = kinds.first(where: { $0.bars == bars.count }) else { return nil }
    var (words, unreadable): ([Int], [Int]) = ([], [])
    for (i, group) in kind.groups.enumerated() {
      var (up, down) = (0, 0)
      for state in bars.states[(3 * group)..<(3 * group + 3)] {
        (up, down) = (up * 2 + state / 2, down * 2 + state % 2)
      }
      let symbol = group.isMultiple(of: 2) ? up * 8 + down : down * 8 + up
      if let word = (i < kind.even ? evenSymbols : oddSymbols).firstIndex(of: symbol) {
        words.append(word)
      } else {
        words.append(0)
        unreadable.append(i)
      }
    }
    guard ReedSolomon.mailmark.correct(&words, checks: kind.checks, erasures: unreadable, reserve: 2) != nil else {
      return nil
    }
    var value: UInt128 = 0
    for (i, word) in words.dropLast(kind.checks).enumerated() {
      guard i >= kind.even || word < evenSymbols.count else { return nil }
      value = value * (i < kind.even ? 30 : 32) + UInt128(word)
    }
    return text(value, chain: kind.chain)
  }

  private static func text(_ value: UInt128, chain: Int) -> String? {
    var value = value
    func next(_ base: Int) -> Int {
      defer { value /= UInt128(base) }
      return Int(value % UInt128(base))
    }
    let (version, format, mailClass) = (next(4) + 1, next(5), next(15))
    let (supply, item) = (next(chain == 2 ? 100 : 1_000_000), next(100_000_000))
    guard value < 1 << 60, let postcode = postcode(Int(value)) else { return nil }
    let head = "\(format)\(version)" + String(mailClass, radix: 16, uppercase: true)
    return head + supply.digits(chain) + item.digits(8) + postcode
  }

  /// Returns the postcode and delivery point of a number; the number 0 is mail to other countries.
  private static func postcode(_ number: Int) -> String? {
    guard number > 0 else { return "XY11     " }
    var rest = number - 1
    for format in formats {
      let letters = format.map { alphabets[$0] ?? [" "] }
      let count = letters.reduce(1) { $0 * $1.count }
      if rest < count {
        var text: [Character] = []
        for alphabet in letters.reversed() {
          text.append(alphabet[rest % alphabet.count])
          rest /= alphabet.count
        }
        return String(text.reversed())
      }
      rest -= count
    }
    return nil
  }

  /// The formats of postcodes in the order of their numbers: A and L are letters, N is a digit, S a blank.
  private static let formats = ["ANANLLNLS", "AANNLLNLS", "AANNNLLNL", "AANANLLNL", "ANNLLNLSS", "ANNNLLNLS"]
  private static let alphabets: [Character: [Character]] = [
    "A": Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "L": Array("ABDEFGHJLNPQRSTUWXYZ"), "N": Array("0123456789"),
  ]

  /// The symbols of six bits with an even number of set bits, and those with an odd number; neither 0 nor 63 is one.
  private static let evenSymbols = (1..<63).filter { $0.nonzeroBitCount.isMultiple(of: 2) }
  private static let oddSymbols = (1..<63).filter { !$0.nonzeroBitCount.isMultiple(of: 2) }
}
