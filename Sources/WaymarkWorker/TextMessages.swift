import WaymarkText

/// What the program that reads text is asked: the gray picture of one line, which lies at the beginning of the arena.
struct TextRequest: Equatable {
  let width: Int
  let height: Int
  /// Whether all languages are asked, or the first alone.
  let asksAll: Bool
  let alphabet: LineAlphabet

  static let byteCount = 20
  private static let kind: UInt32 = 0x5458_5431

  init(width: Int, height: Int, asksAll: Bool, alphabet: LineAlphabet) {
    self.width = width
    self.height = height
    self.asksAll = asksAll
    self.alphabet = alphabet
  }

  var bytes: [UInt8] {
    var wire = WireWriter()
    wire.number(Self.kind)
    wire.count(width)
    wire.count(height)
    wire.count(asksAll ? 1 : 0)
    wire.number(alphabet.place)
    return wire.bytes
  }

  /// The request that was sent; nil for anything else.
  init?(_ bytes: [UInt8]) {
    var wire = WireReader(bytes)
    guard bytes.count == Self.byteCount, let kind = try? wire.number(), kind == Self.kind,
      let width = try? wire.count(upTo: LinePicture.sideLimit),
      let height = try? wire.count(upTo: LinePicture.sideLimit),
      let asksAll = try? wire.count(upTo: 1), let alphabet = try? wire.choice(LineAlphabet.self), width > 0, height > 0
    else { return nil }
    self.init(width: width, height: height, asksAll: asksAll == 1, alphabet: alphabet)
  }
}

/// What it answers.
enum TextReply {
  /// No line has more characters.
  static let symbolLimit = 512
  /// A character is no longer than this, in bytes.
  static let textLimit = 15
  /// More choices are not told.
  static let choiceLimit = 4
  /// What no answer is larger than, in bytes.
  static let byteLimit = symbolLimit * 256

  static func write(_ symbols: [ReadSymbol], to wire: inout WireWriter) {
    wire.list(Array(symbols.prefix(symbolLimit))) { wire, symbol in
      wire.text(symbol.text)
      wire.real(symbol.confidence)
      wire.list(Array(symbol.choices.prefix(choiceLimit))) { wire, choice in
        wire.text(choice.text)
        wire.real(choice.confidence)
      }
      wire.real(symbol.span.lowerBound)
      wire.real(symbol.span.upperBound)
      wire.count(symbol.beginsWord ? 1 : 0)
    }
  }

  /// What was written; throws for anything else.
  static func read(_ bytes: [UInt8]) throws(WireReader.Malformed) -> [ReadSymbol] {
    var wire = WireReader(bytes)
    let symbols = try wire.list(upTo: symbolLimit) { wire throws(WireReader.Malformed) in
      let text = try character(&wire)
      let confidence = try wire.real(within: 0...1)
      let choices = try wire.list(upTo: choiceLimit) { wire throws(WireReader.Malformed) in
        ReadSymbol.Choice(try character(&wire), try wire.real(within: 0...1))
      }
      let (left, right) = (try wire.real(within: 0...1), try wire.real(within: 0...1))
      guard left <= right else { throw WireReader.Malformed() }
      return ReadSymbol(
        text, confidence: confidence, choices: choices, span: left...right, beginsWord: try wire.count(upTo: 1) == 1)
    }
    guard wire.isAtEnd else { throw WireReader.Malformed() }
    return symbols
  }

  /// Printable, for it is shown to people.
  private static func character(_ wire: inout WireReader) throws(WireReader.Malformed) -> String {
    let text = try wire.text(upTo: textLimit)
    guard !text.isEmpty,
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && !(0x80...0x9F).contains($0.value) })
    else { throw WireReader.Malformed() }
    return text
  }
}
