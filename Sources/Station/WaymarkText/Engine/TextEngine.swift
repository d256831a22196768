import Glibc
package import WaymarkImage
import WaymarkSystem
import WaymarkWorker

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

  /// Reads a line with Waymark's own network; `nil` if it fails or does not support a language.
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

  /// The engine for the languages read last.
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

  /// Ends the program.
  package func end() { engine.end() }

  /// The id of the running process; `nil` if none is running or while it reads.
  package var process: Int32? { engine.process }
}
