/// Decodes the customer barcode of Japan Post: a postcode of seven digits and the numbers and letters of the address.
package enum JapanPost {
  static let bars = 67

  package static func decode(_ bars: FourStateBars) -> String? {
    guard bars.count == self.bars, bars.states.prefix(2) == [3, 1], bars.states.suffix(2) == [1, 3] else { return nil }
    let values = bars.groups(of: 3, from: 2, to: bars.count - 2).compactMap { patterns.firstIndex(of: $0) }
    guard values.count == 21, values.reduce(0, +).isMultiple(of: 19) else { return nil }
    var (text, letters): ([UInt8], Int?) = ([], nil)
    var content = values.dropLast()
    while content.last == filler { content.removeLast() }
    for value in content {
      switch value {
      case ..<10:
        let letter = letters.map { UInt8($0 + value) + 0x41 }
        guard letter.map({ $0 <= 0x5A }) ?? true else { return nil }
        text.append(letter ?? UInt8(value) + 0x30)
        letters = nil
      case 10 where letters == nil: text.append(0x2D)
      // Three characters select ten letters each for the digit after them.
      case 11...13 where letters == nil: letters = 10 * (value - 11)
      default: return nil
      }
    }
    guard letters == nil, text.count >= 7, text.prefix(7).allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  private static let filler = 14
  /// Digits, the hyphen, and eight control characters.
  private static let patterns = FourStateBars.patterns(
    "FTT FFT FDA DFA FAD FTF DAF AFD ADF TFF TFT DAT DTA ADT TDA ATD TAD TTF FFF")
}
