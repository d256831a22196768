public import WaymarkSystem

/// An error of libraries and reference pictures.
public typealias AnchorError = Problem<AnchorErrorCode>

/// The codes of `AnchorError`.
public enum AnchorErrorCode: String, ProblemCode, CaseIterable {
  /// A file cannot be opened or read.
  case cannotOpen
  /// A file cannot be written.
  case cannotWrite
  /// The file is not a library of anchors.
  case notALibrary
  /// The library was made by a newer release, or by an older one whose format is no longer read.
  case unsupportedVersion
  /// The library is cut off or its bytes were changed.
  case damaged
  /// No anchor has this name, or another anchor already has it.
  case unknownName
  /// Two anchors would have the same name.
  case duplicateName
  /// There are more anchors than a library can hold.
  case tooManyAnchors
  /// The picture is too small or too elongated to be an anchor, or a name or width is not usable.
  case unusablePicture
}
