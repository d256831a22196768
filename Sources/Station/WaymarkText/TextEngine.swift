import CSandbox
import Glibc
package import WaymarkImage
import WaymarkSystem
package import WaymarkWorker

/// The client of waymark-text, the program that reads lines of text. The program is started with the first line. Use it from one
/// thread at a time; `TextEngineHost` below shares it between threads and ends it when it is idle.
package final class TextEngine {
  /// The folder into which Debian's packages install the models.
  package static let modelFolder = "/usr/share/tesseract-ocr/5/tessdata"
  /// The languages to read by default.
  package static let usualLanguages = ["eng", "deu"]
  /// The time limit for one line in seconds; a line usually takes hundredths.
  private let limit: Double

  private let persistent: PersistentWorker
  /// True if Waymark's own network supports all of the languages.
  private let isCovered: Bool

  /// - Parameters:
  ///   - languages: The languages by the names of Tesseract's models, the main one first.
  ///   - executable: The path of the program; `nil` for the installed one.
  ///   - limit: The time limit for one line in seconds.
  ///   - startLimit: The time limit for loading the networks, in seconds.
  /// - Throws: `textEngineMissing` if the program is not installed; `textLanguageMissing` if a model is not, or its name is
  ///   invalid.
  package init(
    languages: [String] = usualLanguages, executable: String? = nil, limit: Double = 5, startLimit: Double = 10
  ) throws(TextError) {
    self.limit = limit
    guard (1...4).contains(languages.count), languages.allSatisfy(Self.isName) else {
      throw TextError(
        .textLanguageMissing, "The languages are not valid model names.", hint: "Write up to four, such as eng+deu.")
    }
    guard let program = executable ?? CompanionProgram.path("waymark-text") else {
      throw TextError(
        .textEngineMissing, "Reading text needs the program waymark-text, which is not installed.",
        hint: "apt install waymark-text")
    }
    isCovered = languages.allSatisfy(LineNetwork.languages.contains)
    for language in languages where !isCovered && access("\(Self.modelFolder)/\(language).traineddata", R_OK) != 0 {
      throw TextError(
        .textLanguageMissing, "The model of the language \(language) is not installed.",
        hint: "apt install tesseract-ocr-\(language.map { $0 == "_" ? "-" : String($0) }.joined())")
    }
    var launcher = WorkerLauncher(
      executable: program, arguments: ["waymark-text", WorkerLauncher.argument, languages.joined(separator: "+")])
    launcher.startLimit = startLimit
    persistent = PersistentWorker(launcher, WorkerMonitor { _ in })
  }

  private static func isName(_ word: String) -> Bool {
    (2...24).contains(word.utf8.count) && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
  }

  /// The id of the running process; `nil` if none is running.
  package var process: Int32? { persistent.process }

  /// Returns a reader of pictures whose lines are read by this program.
  package func reader() -> TextReader {
    var reader = TextReader { try self.read($0, asksAll: $1, alphabet: $2) }
    reader.lattice = { try self.lattice($0) }
    reader.words = { try self.lattice($0) }
    return reader
  }

  /// Reads a line with Tesseract's networks; empty if they are not installed.
  ///
  /// - Parameters:
  ///   - asksAll: True to use the networks of all languages, false for the first language's alone.
  ///   - alphabet: The characters to which the reading is limited.
  /// - Throws: `TextError` if the line was lost. The next line is read by a restarted program.
  package func read(_ image: GrayImage, asksAll: Bool, alphabet: LineAlphabet) throws(TextError) -> [ReadSymbol] {
    try ask(
      image, asksAll ? .allLanguages : .firstLanguage, alphabet, for: TextReply.self, byteLimit: TextReply.byteLimit
    )?.symbols ?? []
  }

  /// Reads a line with the network of lines or, for a picture of the height of `WordNetwork`, with the network of words; `nil` if
  /// it fails or does not support a language.
  ///
  /// - Throws: `TextError` if the line was lost. The next line is read by a restarted program.
  package func lattice(_ image: GrayImage) throws(TextError) -> LineLattice? {
    guard isCovered else { return nil }
    return try ask(image, .own, .any, for: LatticeReply.self, byteLimit: LatticeReply.byteLimit)?.lattice
  }

  private func ask<Reply: WireValue>(
    _ image: GrayImage, _ reader: TextRequest.Reader, _ alphabet: LineAlphabet, for reply: Reply.Type, byteLimit: Int
  ) throws(TextError) -> Reply? {
    guard image.width > 0, image.height > 0, max(image.width, image.height) <= LinePicture.sideLimit else { return nil }
    let request = TextRequest(width: image.width, height: image.height, reader: reader, alphabet: alphabet)
    let answer = persistent.use { worker throws(WorkerFailure) -> Reply? in
      worker.arena.input.copyMemory(
        from: UnsafeRawBufferPointer(start: image.unsafeView.base, count: image.width * image.height))
      // A failed line is empty; the engine continues.
      guard case .success(let reply) = try worker.ask(request, for: reply, byteLimit: byteLimit, limit: limit) else {
        return nil
      }
      return reply
    }
    guard let answer else { throw Self.problem(persistent.lastFailure) }
    return answer
  }

  /// Ends the program; the next line starts it again.
  package func end() { persistent.end() }

  private static func problem(_ failure: WorkerFailure?) -> TextError {
    let cause = failure.map { "\($0.message)" }
    if case .cannotStart = failure {
      return TextError(
        .textEngineFailed, "The program that reads text cannot be started.",
        hint: "apt install --reinstall waymark-text libtesseract5", cause: cause)
    }
    return TextError(
      .textEngineFailed, "The program that reads text did not answer and was stopped.",
      hint: "It is restarted for the next line.", cause: cause)
  }
}

/// Shares the program that reads text; it is started with the first line and ended after some idle time.
package final class TextEngineHost: Sendable {
  /// Creates the engine for languages.
  package typealias MakeEngine = @Sendable (_ languages: [String]) throws(TextError) -> sending TextEngine

  /// Keeps the engine for the languages read last; ends it when others are read.
  private final class Installed: RestartableProcess {
    private var engine: TextEngine?
    private var languages: [String] = []

    var process: Int32? { engine?.process }

    func end() { engine?.end() }

    func engine(_ wanted: [String], _ makeEngine: MakeEngine) throws(TextError) -> TextEngine {
      if let engine, languages == wanted { return engine }
      end()
      let made = try makeEngine(wanted)
      (engine, languages) = (made, wanted)
      return made
    }
  }

  /// The time in seconds for which the program stays after its last line.
  package static let idleTime = 30.0
  private let engine = IdleWorker(Installed(), idleTime: TextEngineHost.idleTime)
  private let makeEngine: MakeEngine

  /// Creates a host of the installed program: a frame waits at most two seconds for a line, and three for the program's start.
  package convenience init() {
    self.init { languages throws(TextError) in try TextEngine(languages: languages, limit: 2, startLimit: 3) }
  }

  /// - Parameter makeEngine: Creates the engine for languages when they are read first.
  package init(makeEngine: @escaping MakeEngine) { self.makeEngine = makeEngine }

  /// Checks that the languages can be read.
  ///
  /// - Throws: `TextError` if the program or the model of a language is not installed.
  package func check(_ languages: [String]) throws(TextError) { _ = try makeEngine(languages) }

  /// Reads a line. Blocks.
  ///
  /// - Parameter now: The current time in seconds.
  /// - Throws: `TextError` if the line was lost.
  package func read(
    _ image: GrayImage, asksAll: Bool, alphabet: LineAlphabet, languages: [String], now: Double
  ) throws -> [ReadSymbol] {
    try engine.use(now: now) { [makeEngine] in
      try $0.engine(languages, makeEngine).read(image, asksAll: asksAll, alphabet: alphabet)
    }
  }

  /// Reads a line with Waymark's own network; `nil` if it does not support a language. Blocks.
  ///
  /// - Parameter now: The current time in seconds.
  /// - Throws: `TextError` if the line was lost.
  package func lattice(_ image: GrayImage, languages: [String], now: Double) throws -> LineLattice? {
    try engine.use(now: now) { [makeEngine] in try $0.engine(languages, makeEngine).lattice(image) }
  }

  /// Ends the program if it was idle for `idleTime`.
  ///
  /// - Returns: The seconds until the next call is due; `nil` if no program is running.
  package func rest(now: Double) -> Double? { engine.rest(now: now) }

  package func end() { engine.end() }

  /// The id of the running process; `nil` if none is running or while it reads.
  package var process: Int32? { engine.process }
}

// MARK: - Messages

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

  /// Returns a reply within its limits: the first characters of a longer line, without characters that cannot be displayed or have
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

// MARK: - The program

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
