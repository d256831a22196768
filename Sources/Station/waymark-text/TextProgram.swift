import CTesseract
import CTextModel
import Glibc
import WaymarkImage
import WaymarkText
import WaymarkWorker

/// The program that reads lines of text with Waymark's own network, and with Tesseract's networks if they are installed. `waymark`
/// starts it as a worker.
@main
enum TextProgram {
  private static let modelFolder = TextEngine.modelFolder

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, arguments[1] == WorkerMain.argument else {
      let words = Array("waymark-text is started by waymark; see waymark text --help\n".utf8)
      _ = write(STDERR_FILENO, words, words.count)
      exit(64)
    }
    let languages = arguments[2]
    let first = String(languages.prefix { $0 != "+" })
    let network = network()
    let words = try? WordNetwork(ModelFile(waymark_word_network, name: WordNetwork.modelName))
    var readers: (all: OpaquePointer, first: OpaquePointer)?
    // If Waymark's own network supports the languages, one language of Tesseract reads as much as several, in less time and memory.
    let isCovered =
      network != nil && languages.split(separator: "+").map(String.init).allSatisfy(LineNetwork.languages.contains)
    if ctesseract_load() == 0, let one = ctesseract_open(modelFolder, first),
      let all = isCovered || languages == first ? one : ctesseract_open(modelFolder, languages)
    {
      readers = (all, one)
    }
    // Tesseract opens files when it reads its first line. The sandbox prevents this later, so a line is read now.
    if let readers {
      GrayImage(width: 80, height: 40, value: 255).withView { view in
        _ = read(view, readers.all, .any)
        _ = read(view, readers.first, .any)
      }
    }
    TextEngineMain.run(
      problem: network == nil && readers == nil ? ENOENT : 0,
      lattice: { $0.height == WordNetwork.height ? words?.read($0) : network?.read($0) }
    ) {
      view, asksAll, alphabet in
      readers.flatMap { read(view, asksAll ? $0.all : $0.first, alphabet) }
    }
    exit(69)
  }

  /// Returns the network of lines embedded in this program; nil if it is damaged.
  private static func network() -> LineNetwork? {
    try? LineNetwork(ModelFile(waymark_text_network, name: LineNetwork.modelName))
  }

  private static func read(_ view: ImageView, _ reader: OpaquePointer, _ alphabet: LineAlphabet) -> [ReadSymbol]? {
    let limit = 512
    var found = [ctesseract_symbol](repeating: ctesseract_symbol(), count: limit)
    let count = ctesseract_read(
      reader, view.base, Int32(view.width), Int32(view.height), alphabet.characters, &found, Int32(limit))
    guard count >= 0 else { return nil }
    return found.prefix(Int(count)).map { symbol in
      var choices: [ReadSymbol.Choice] = []
      withUnsafeBytes(of: symbol.choices) { bytes in
        for choice in bytes.bindMemory(to: ctesseract_choice.self).prefix(Int(symbol.choice_count)) {
          choices.append(.init(text(choice), share(choice)))
        }
      }
      let left = LinePicture.share(of: Double(symbol.left), in: view.width)
      let right = LinePicture.share(of: Double(symbol.right), in: view.width)
      return ReadSymbol(
        text(symbol.best), confidence: share(symbol.best), choices: choices, span: min(left, right)...max(left, right),
        beginsWord: symbol.begins_word != 0)
    }
  }

  private static func text(_ choice: ctesseract_choice) -> String {
    withUnsafeBytes(of: choice.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func share(_ choice: ctesseract_choice) -> Double {
    choice.confidence.isFinite ? min(1, max(0, Double(choice.confidence) / 100)) : 0
  }
}
