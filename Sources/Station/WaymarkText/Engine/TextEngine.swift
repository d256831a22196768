import Glibc
package import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// The interface to the program that reads lines of text: started with the first line, ended when it is not needed. One
/// thread.
package final class TextEngine {
  /// Where Debian's packages put the models.
  package static let modelFolder = "/usr/share/tesseract-ocr/5/tessdata"
  /// The languages to read by default.
  package static let usualLanguages = ["eng", "deu"]
  /// How long one reading may take, in seconds: a line takes hundredths.
  private let limit: Double

  private let standing: PersistentWorker
  /// True if Waymark's own network knows all of the languages.
  private let isCovered: Bool

  /// - Parameters:
  ///   - languages: as Tesseract names its models, the one that is asked most often first.
  ///   - executable: the program, where it is not the installed one.
  ///   - limit: how long one reading may take, in seconds.
  ///   - startLimit: how long the program may take to load its networks, in seconds.
  /// - Throws: what is to be installed.
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
    standing = PersistentWorker(launcher, WorkerMonitor { _ in })
  }

  private static func isName(_ word: String) -> Bool {
    (2...24).contains(word.utf8.count) && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
  }

  /// The process that reads now.
  package var process: Int32? { standing.process }

  /// A reader of pictures whose lines this program reads.
  package func reader() -> TextReader {
    var reader = TextReader { try self.read($0, asksAll: $1, alphabet: $2) }
    reader.lattice = { try self.lattice($0) }
    return reader
  }

  /// Reads a line with Tesseract's networks; nothing where they are not there.
  ///
  /// - Throws: why it was lost. The next one is read by a program that is restarted.
  package func read(_ image: GrayImage, asksAll: Bool, alphabet: LineAlphabet) throws(TextError) -> [ReadSymbol] {
    try ask(
      image, asksAll ? .allLanguages : .firstLanguage, alphabet, for: TextReply.self, byteLimit: TextReply.byteLimit
    )?.symbols ?? []
  }

  /// Reads a line with Waymark's own network; nil where that gives it up, or does not know a language.
  ///
  /// - Throws: why it was lost. The next one is read by a program that is restarted.
  package func lattice(_ image: GrayImage) throws(TextError) -> LineLattice? {
    guard isCovered else { return nil }
    return try ask(image, .own, .any, for: LatticeReply.self, byteLimit: LatticeReply.byteLimit)?.lattice
  }

  private func ask<Reply: WireValue>(
    _ image: GrayImage, _ reader: TextRequest.Reader, _ alphabet: LineAlphabet, for reply: Reply.Type, byteLimit: Int
  ) throws(TextError) -> Reply? {
    guard image.width > 0, image.height > 0, max(image.width, image.height) <= LinePicture.sideLimit else { return nil }
    let request = TextRequest(width: image.width, height: image.height, reader: reader, alphabet: alphabet)
    let answer = standing.use { worker throws(WorkerFailure) -> Reply? in
      worker.arena.input.copyMemory(
        from: UnsafeRawBufferPointer(start: image.unsafeView.base, count: image.width * image.height))
      // A line that the engine gives up says nothing; the engine itself is well.
      guard case .success(let reply) = try worker.ask(request, for: reply, byteLimit: byteLimit, limit: limit) else {
        return nil
      }
      return reply
    }
    guard let answer else { throw Self.problem(standing.lastFailure) }
    return answer
  }

  /// Ends the program; the next line starts it again.
  package func end() { standing.end() }

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
