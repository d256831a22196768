public import WaymarkSystem

/// Why a picture could not be read, made or written.
public typealias ImageError = Problem<ImageErrorCode>

/// The codes of `ImageError`.
public enum ImageErrorCode: String, ProblemCode, CaseIterable {
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
  /// The file cannot be written.
  case cannotWrite
}
