import CSandbox
import Glibc
package import WaymarkImage
import WaymarkSystem
package import WaymarkWorker

/// A request to the program that reads text: the gray picture of one line at the beginning of the arena.
///
/// This file has all messages of that program with their wire format, and its main loop, `TextEngineMain`.
struct TextRequest: Equatable {
  /// The networks of the program.
  enum Reader: CaseIterable, Sendable {
    /// Tesseract's network for the first language only, and its networks for all languages.
    case firstLanguage, allLanguages
    /// Waymark's own network, which replies with a `LatticeReply`.
    case own
  }

  let width: Int
  let height: Int
  let reader: Reader
  let alphabet: LineAlphabet
}

/// The reply of Tesseract's networks.
struct TextReply {
  /// The largest number of characters of a line.
  static let symbolLimit = 512
  /// The largest number of UTF-8 bytes of a character.
  fileprivate static let textLimit = 15
  /// The largest number of alternatives of a character.
  fileprivate static let choiceLimit = 4
  /// The largest size of a reply in bytes.
  static let byteLimit = symbolLimit * 256

  let symbols: [ReadSymbol]

  /// Returns a reply within its limits: the first characters of a longer line, without those that cannot be displayed or have
  /// no position. Dense texture causes such readings.
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

/// The reply of Waymark's own network.
struct LatticeReply {
  /// The largest number of columns of a line: two per pixel of the widest picture.
  private static let columnLimit = 2 * LineNetwork.widthLimit
  /// The largest size of an alphabet in bytes of UTF-8.
  private static let alphabetLimit = 4096
  /// The largest size of a reply in bytes.
  static let byteLimit = alphabetLimit + 8 + columnLimit * (4 + 12 * LineLattice.choiceLimit)

  let lattice: LineLattice
}

// MARK: - Wire format

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
      // The characters are shown to people, so all except the space must be visible.
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
  /// A printable character, because it is shown to people.
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

/// The main loop of the program that reads text: it sets up its sandbox, then reads lines until its parent ends.
package enum TextEngineMain {
  /// Reads the picture of a line with Tesseract's networks; `nil` on failure.
  package typealias Reading = (ImageView, _ asksAll: Bool, LineAlphabet) -> [ReadSymbol]?
  /// Reads the picture of a line with Waymark's own network; `nil` on failure.
  package typealias LatticeReading = (ImageView) -> LineLattice?

  /// The time limit for one line in seconds, longer than the client waits.
  private static let deadline: UInt32 = 15
  /// The reply if a line could not be read; the engine continues with the next one.
  private static let gaveUp = ImageError(
    .damagedPicture, "The engine could not read the picture of the line.", hint: "Try a larger or sharper picture.")

  /// Runs until the process ends.
  ///
  /// - Parameters:
  ///   - problem: An errno if the networks could not be loaded, which is reported instead of reading; otherwise 0.
  ///   - lattice: Reads a line with Waymark's own network, which opens no files.
  ///   - reading: Reads a line with Tesseract; all of its files are already open.
  package static func run(problem: Int32, lattice: LatticeReading, _ reading: Reading) {
    guard let seat = WorkerEndpoint(), seat.lockIn(refusing: problem) else { return }
    while let request = seat.next(TextRequest.self), let base = seat.arena.input.baseAddress {
      let view = ImageView(
        base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), width: request.width, height: request.height,
        stride: request.width)
      csandbox_deadline(deadline)
      let answer =
        switch request.reader {
        case .own: lattice(view).map { seat.leave(LatticeReply(lattice: $0)) }
        case .firstLanguage, .allLanguages:
          reading(view, request.reader == .allLanguages, request.alphabet).map { seat.leave(TextReply.fitting($0)) }
        }
      csandbox_deadline(0)
      let given = answer ?? seat.leave(Self.gaveUp, worked: false)
      guard let given else { return }
      seat.say(given)
    }
  }
}
