/// The colour behind transparent pictures.
public enum PictureBackground: UInt8, Sendable {
  /// As paper has it.
  case white = 255
  /// As a dark screen has it.
  case black = 0
}
