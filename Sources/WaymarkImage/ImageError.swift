/// Why a picture could not be read, made or written.
public struct ImageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Stable words for programs.
  public enum Code: String, Sendable, CaseIterable {
    /// No bytes at all.
    case emptyFile
    /// Not one of the formats known here, nor one that is refused by name.
    case unknownFormat
    /// A format that is known by name but not read.
    case unsupportedFormat
    /// The right format, but a kind of it that is not read.
    case unsupportedVariant
    /// More pixels than the limit allows.
    case tooManyPixels
    /// More bytes than the limit allows.
    case fileTooLarge
    /// The contents contradict the format, or end early.
    case damagedPicture
    /// The memory for it cannot be had.
    case outOfMemory
    /// A picture that cannot be written in the format asked for.
    case cannotEncode
    /// The file cannot be opened or read.
    case cannotOpen
  }

  /// A stable word for programs.
  public let code: Code
  /// What happened.
  public let message: String
  /// What to do about it.
  public let hint: String

  /// An error with all it has to say.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message and the hint.
  public var description: String { "\(message). \(hint)" }
}
