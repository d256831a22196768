package import WaymarkImage

/// The network that reads lines, and the memory to run it. Use it from one thread at a time.
///
/// Trained with connectionist temporal classification (A. Graves et al., 2006): for each column of the picture it returns the
/// likelihood of each character and of no character.
package final class LineNetwork {
  /// The name under which the model's file is stored.
  package static let modelName = "text-network"
  private static let version = 1
  /// The largest number of columns that one output position of the network describes.
  private static let columnLimit = 8
  /// The largest width of a picture in pixels.
  package static let widthLimit = 2400

  /// The supported languages, by the names of Tesseract's models.
  package static let languages: Set<String> = [
    "eng", "deu", "fra", "ita", "spa", "por", "cat", "nld", "dan", "nor", "swe", "fin", "isl", "est", "pol", "ces",
    "slk",
    "slv", "hrv", "hun", "ron", "tur", "gle", "sqi", "ltz", "glg", "eus", "afr",
  ]

  /// The supported characters; class 0 means no character.
  package let alphabet: [Character]
  private let temperature: Float
  private let network: LayerNetwork<IntegerKernel>
  private let runner: NetworkRunner<IntegerKernel>

  /// Reads a model file: version, height, the gray value for 0, the value of one gray level, the temperature of the softmax,
  /// the alphabet, the layers.
  ///
  /// - Throws: `ModelError` if the version is unsupported, a value is out of range, or the length does not match the layers.
  package init(_ file: ModelFile) throws(ModelError) {
    var numbers = ModelFile.Numbers(file)
    let version = Int(numbers.word())
    guard version == Self.version else {
      throw file.misfit("its layout is \(version), not \(Self.version)")
    }
    let (height, zero, step) = (Int(numbers.word()), Int(numbers.word()), Double(numbers.float()))
    temperature = numbers.float()
    guard height == LineLattice.height, temperature.isFinite, (0.05...20).contains(temperature) else {
      throw file.misfit("its height or its temperature is not one of a line")
    }
    alphabet = try numbers.alphabet(of: file)
    network = try LayerNetwork(&numbers, height: height, zero: zero, step: step, of: file)
    guard numbers.isEmpty else { throw file.misfit("\(numbers.count) bytes follow the last layer") }
    let classes = alphabet.count + 1
    guard network.outputs % classes == 0, (1...Self.columnLimit).contains(network.outputs / classes) else {
      throw file.misfit("it makes \(network.outputs) numbers of a column for \(alphabet.count) characters")
    }
    runner = NetworkRunner(network)
  }

  /// Reads a line, column by column.
  ///
  /// - Parameter view: The picture, at the height of the network; for another size the result is `nil`.
  package func read(_ view: ImageView) -> LineLattice? {
    guard view.height == network.height, (1...Self.widthLimit).contains(view.width) else { return nil }
    let values = runner.run(view)
    let classes = alphabet.count + 1
    let columns = stride(from: 0, to: values.count, by: classes).map { first in
      LineLattice.Column(logits: values[first..<(first + classes)], temperature: temperature)
    }
    return LineLattice(alphabet: alphabet, columns: columns)
  }
}

extension ModelFile.Numbers {
  /// The largest number of characters of an alphabet.
  private static let alphabetLimit = 1000

  /// Reads an alphabet: its length in bytes, then its characters.
  ///
  /// - Throws: `otherModel` for characters that are invisible or repeated.
  mutating func alphabet(of file: ModelFile) throws(ModelError) -> [Character] {
    let bytes = bytes(Int(word()))
    guard let text = String(validating: bytes, as: UTF8.self),
      (1...Self.alphabetLimit).contains(text.unicodeScalars.count),
      text.unicodeScalars.allSatisfy({ $0 == " " || !($0.properties.isWhitespace || $0.value < 0x20) }),
      Set(text.unicodeScalars).count == text.unicodeScalars.count, text.count == text.unicodeScalars.count
    else { throw file.misfit("its alphabet is invalid") }
    return Array(text)
  }
}
