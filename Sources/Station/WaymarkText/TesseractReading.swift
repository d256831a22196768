package import WaymarkImage

/// Reads a line with Tesseract's networks, once for each way in which it is drawn, and mends what they are known to get wrong.
package enum TesseractReading {
  /// Reads a picture of one line: all languages or the first alone, only characters of an alphabet.
  package typealias Recognizer = (GrayImage, _ asksAll: Bool, LineAlphabet) throws -> [ReadSymbol]

  /// The characters that each drawing of a picture of one line is read as.
  ///
  /// - Parameter goesOn: asked with each reading; once it is false, no further drawing is read.
  static func readings(
    of image: GrayImage, drawn styles: [LinePicture.Style], limitedTo alphabet: LineAlphabet,
    goesOn: ([ReadSymbol]) -> Bool,
    _ recognize: Recognizer
  ) throws -> [[ReadSymbol]] {
    let asIs = styles.contains { !$0.isFlat } ? image.withView { LinePicture($0) } : nil
    let flat = styles.contains(where: \.isFlat) ? image.withView { LinePicture($0, on: .flat) } : nil
    var readings: [[ReadSymbol]] = []
    for style in styles {
      guard let line = style.isFlat ? flat : asIs, readings.last.map(goesOn) ?? true else { break }
      readings.append(try paired(trimmed(recognize(line.drawn(style), style.asksAll, alphabet).map(plain))))
    }
    return readings
  }

  /// The marks that networks trained on books read on labels, and the plain ones.
  private static let marks = ["“": "\"", "”": "\"", "„": "\"", "‘": "'", "’": "'", "—": "-", "–": "-"]

  private static func plain(_ symbol: ReadSymbol) -> ReadSymbol {
    guard let mark = marks[symbol.text] else { return symbol }
    var symbol = symbol
    symbol.text = mark
    return symbol
  }

  /// Without what specks and borders at the ends of a line are taken for.
  private static func trimmed(_ symbols: [ReadSymbol]) -> [ReadSymbol] {
    let specks: Set<String> = ["\"", "'", "|", "_", "-", "~", "\\", "{", "}", "`", ".", ","]
    func isSpeck(_ symbol: ReadSymbol, _ most: Double) -> Bool {
      specks.contains(symbol.text) && symbol.confidence < most
    }
    var rest = symbols[...]
    // However sure: a text that begins with a quotation mark has another one, and none begins with the others.
    let stray: Set<String> = ["\"", "\\", "`", "~"]
    if let first = rest.first, rest.count > 1, stray.contains(first.text),
      rest.count(where: { $0.text == first.text }) == 1
    {
      rest = rest.dropFirst()
    }
    while let first = rest.first, rest.count > 1, isSpeck(first, 0.7) { rest = rest.dropFirst() }
    while let last = rest.last, rest.count > 1, isSpeck(last, 0.35) { rest = rest.dropLast() }
    return Array(rest)
  }

  /// Brackets closed by those of the kind that was opened: the kinds differ by little in print. The last mark of a line is corrected to what
  /// alone can stand there: a bracket that is open is closed, and a word that no quotation mark precedes is followed by a colon.
  private static func paired(_ symbols: [ReadSymbol]) -> [ReadSymbol] {
    let closing = ["(": ")", "[": "]", "{": "}"]
    var open: [String] = []
    var paired = symbols.map { symbol in
      var symbol = symbol
      if let close = closing[symbol.text] {
        open.append(close)
      } else if closing.values.contains(symbol.text), let close = open.popLast() {
        symbol.text = close
      }
      return symbol
    }
    guard paired.count > 1, let mark = paired.last?.text else { return paired }
    let isAfterLetter = paired[paired.count - 2].text.allSatisfy(\.isLetter)
    if mark == ";", let close = open.last {
      paired[paired.count - 1].text = close
    } else if mark == "\"", isAfterLetter, paired.count(where: { $0.text == mark }) == 1 {
      paired[paired.count - 1].text = ":"
    }
    return paired
  }
}
