public import WaymarkSystem

/// An error in reading or writing a library, or in compiling a reference picture.
public typealias AnchorError = Problem<AnchorErrorCode>

/// The codes of `AnchorError`, by which programs distinguish its cases.
public enum AnchorErrorCode: String, ProblemCode, CaseIterable {
  /// A library, picture or calibration does not exist or cannot be read.
  case cannotOpen
  /// A library cannot be written.
  case cannotWrite
  /// The file is not a library of anchors.
  case notALibrary
  /// The library was built by a newer release, or by an older release whose format is no longer supported.
  case unsupportedVersion
  /// The library is cut off or its bytes were changed, or the program's descriptor model is corrupt.
  case damaged
  /// The library has no anchor with this name.
  case unknownName
  /// Two anchors of a library to be written have the same name.
  case duplicateName
  /// A library would have more than 65,534 anchors, or more features than its limit.
  case tooManyAnchors
  /// A picture is too small, too elongated or has too few corners to be an anchor, or its name, width or radius is invalid.
  case unusablePicture
}
