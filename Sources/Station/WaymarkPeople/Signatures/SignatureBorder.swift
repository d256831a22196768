/// The border around a drawn signature: when, who, what for and the hash, so that the picture cannot be used for something else
/// without a trace.
struct SignatureBorder {
  /// Pixels of the area's own size around it.
  let margin: Int
  /// The height of a line of words.
  let lineHeight: Int
  /// The size of the letters.
  let letters: Double
  /// The words, a line each.
  let lines: [String]
  /// The size of the whole.
  let width: Int
  let height: Int

  init(_ signature: Signature) {
    let side = min(signature.width, signature.height)
    margin = max(8, side / 16)
    letters = Double(max(9, min(18, signature.width / 42)))
    lineHeight = Int(letters * 1.5)
    // A letter of a fixed font is 7/13 as wide as high.
    let columns = max(24, Int(Double(signature.width) / (letters * 7 / 13)))
    var lines = [
      signature.signer.isEmpty ? "Signed \(signature.time)" : "Signed \(signature.time) by \(signature.signer)"
    ]
    if !signature.purpose.isEmpty { lines.append("For: \(signature.purpose)") }
    lines.append("SHA-256 \(signature.hash)")
    self.lines = lines.flatMap { Self.wrapped($0, columns: columns) }
    width = signature.width + 2 * margin
    height = signature.height + 2 * margin + self.lines.count * lineHeight + margin / 2
  }

  /// Lines of at most so many letters, broken at spaces where there are some, at most four; the rest is told by an ellipsis.
  private static func wrapped(_ text: String, columns: Int) -> [String] {
    var rest = Array(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
    var lines: [String] = []
    while !rest.isEmpty {
      if lines.count == 3, rest.count > columns {
        lines.append(String(String.UnicodeScalarView(rest.prefix(columns - 1))) + "…")
        break
      }
      var count = min(columns, rest.count)
      if count < rest.count, let space = rest.prefix(count).lastIndex(of: " "), space > columns / 2 {
        count = space + 1
      }
      lines.append(String(String.UnicodeScalarView(rest.prefix(count))))
      rest.removeFirst(count)
    }
    return lines
  }
}
