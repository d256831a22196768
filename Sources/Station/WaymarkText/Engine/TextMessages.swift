package import WaymarkWorker

/// A request to the program that reads text: the gray picture of one line, which lies at the beginning of the arena.
struct TextRequest: Equatable {
  /// The networks of that program.
  enum Reader: CaseIterable, Sendable {
    /// Tesseract's network of the first language alone, and those of all.
    case firstLanguage, allLanguages
    /// Waymark's own, which answers with a `LatticeReply`.
    case own
  }

  let width: Int
  let height: Int
  let reader: Reader
  let alphabet: LineAlphabet
}

/// The answer.
struct TextReply {
  /// No line has more characters.
  static let symbolLimit = 512
  /// A character is no longer than this, in bytes.
  fileprivate static let textLimit = 15
  /// More choices are not told.
  fileprivate static let choiceLimit = 4
  /// The most bytes of an answer.
  static let byteLimit = symbolLimit * 256

  let symbols: [ReadSymbol]

  /// The answer with what the network gave, as far as an answer may hold it: the first characters of a line that seems to have more, and
  /// none that cannot be shown or that lies nowhere. Dense texture gives such readings.
  static func fitting(_ symbols: [ReadSymbol]) -> TextReply {
    func share(_ value: Double) -> Double { value.isFinite ? min(1, max(0, value)) : 0 }
    let kept = symbols.lazy.filter { ReadSymbol.isShown($0.text) }.prefix(symbolLimit).map { symbol in
      let (left, right) = (share(symbol.span.lowerBound), share(symbol.span.upperBound))
      let choices = symbol.choices.filter { ReadSymbol.isShown($0.text) }.prefix(choiceLimit)
      return ReadSymbol(
        symbol.text, confidence: share(symbol.confidence),
        choices: choices.map { ReadSymbol.Choice($0.text, share($0.confidence)) }, span: left...max(left, right),
        beginsWord: symbol.beginsWord)
    }
    return TextReply(symbols: Array(kept))
  }
}

/// The answer of Waymark's own network.
struct LatticeReply {
  /// No line has more columns: two for each two pixels of the widest one.
  private static let columnLimit = 2 * LineNetwork.widthLimit
  /// The most bytes of an alphabet.
  private static let alphabetLimit = 4096
  /// The most bytes of an answer.
  static let byteLimit = alphabetLimit + 8 + columnLimit * (4 + 12 * LineLattice.choiceLimit)

  let lattice: LineLattice
}

// MARK: - How they pass

extension LatticeReply: WireValue {
  private static let choice: Wire<LineLattice.LabelShare> = inOrder(
    Wire<Int>.count(upTo: alphabetLimit), Wire<Double>.real(within: 0...1)
  ).map({ LineLattice.LabelShare(label: $0.0, share: $0.1) }, { ($0.label, $0.share) })
  private static let column: Wire<LineLattice.Column> = choice.list(upTo: LineLattice.choiceLimit)
    .map({ LineLattice.Column(choices: $0) }, { $0.choices })
  private static let fields = inOrder(Wire<String>.text(upTo: alphabetLimit), column.list(upTo: columnLimit))

  package static let wire: Wire<LatticeReply> = fields.map(
    { text, columns -> LatticeReply? in
      let alphabet = Array(text)
      // Each is shown to people: none but the space may be one that cannot be seen.
      guard alphabet.allSatisfy({ $0 == " " || ReadSymbol.isShown(String($0)) }),
        columns.allSatisfy({ $0.choices.allSatisfy { $0.label <= alphabet.count } })
      else { return nil }
      return LatticeReply(lattice: LineLattice(alphabet: alphabet, columns: columns))
    }, { (String($0.lattice.alphabet), $0.lattice.columns) })
}

extension TextRequest: WireValue {
  private static let kind = 0x5458_5431
  private static let side: Wire<Int> = Wire<Int>.count(from: 1, upTo: LinePicture.sideLimit)
  private static let fields = inOrder(
    Wire<Int>.count(from: kind, upTo: kind), side, side, Wire<Reader>.choice, Wire<LineAlphabet>.choice)

  package static let wire: Wire<TextRequest> = fields.map(
    { TextRequest(width: $0.1, height: $0.2, reader: $0.3, alphabet: $0.4) },
    { (kind, $0.width, $0.height, $0.reader, $0.alphabet) })
}

extension TextReply: WireValue {
  package static let wire: Wire<TextReply> = ReadSymbol.wire.list(upTo: symbolLimit)
    .map({ TextReply(symbols: $0) }, { $0.symbols })
}

extension ReadSymbol: WireValue {
  private static let share: Wire<Double> = Wire<Double>.real(within: 0...1)
  /// Printable, for it is shown to people.
  private static let character: Wire<String> = Wire<String>.text(upTo: TextReply.textLimit).when(isShown)

  fileprivate static func isShown(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= TextReply.textLimit
      && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !(0x80...0x9F).contains($0.value) }
  }
  private static let choice: Wire<Choice> = inOrder(character, share)
    .map({ Choice($0.0, $0.1) }, { ($0.text, $0.confidence) })
  private static let fields = inOrder(
    character, share, choice.list(upTo: TextReply.choiceLimit), share, share, Wire<Bool>.flag)

  package static let wire: Wire<ReadSymbol> = fields.map(
    { text, confidence, choices, left, right, beginsWord -> ReadSymbol? in
      guard left <= right else { return nil }
      return ReadSymbol(
        text, confidence: confidence, choices: choices, span: left...right, beginsWord: beginsWord)
    },
    { ($0.text, $0.confidence, $0.choices, $0.span.lowerBound, $0.span.upperBound, $0.beginsWord) })
}
