/// Why no code could be judged.
public enum ReadingFailure: String, Sendable, Hashable, Codable, CaseIterable {
  /// No code is in the picture.
  case nothingFound
  /// Only codes of other symbologies are in the picture.
  case notQR
  /// Parts of a structured append are missing.
  case incomplete
  /// A code is there but cannot be read.
  case codeNotReadable
}
