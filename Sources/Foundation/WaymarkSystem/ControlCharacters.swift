extension Unicode.Scalar {
  /// True for what acts on the text around it instead of showing: control characters of both blocks (C0, C1, DEL), separators of lines and
  /// paragraphs, and the embeddings, overrides and isolates by which text is written in another order than it is stored (UAX 9).
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
