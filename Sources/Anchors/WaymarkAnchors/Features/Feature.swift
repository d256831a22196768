/// A corner of a picture with its size and direction. Its descriptor lies beside it in the `FeatureSet`.
package struct Feature: Sendable {
  /// Where it is, in pixels of the picture.
  package var x: Float
  /// Where it is, in pixels of the picture.
  package var y: Float
  /// Pixels of the picture per pixel of the level it was found on.
  package var scale: Float
  /// Its direction in steps of 2π / `directions`, clockwise on a screen from +x.
  package var direction: UInt8
  /// The level of the pyramid it was found on.
  package var level: UInt8
  /// How far its ring differs from its centre, in gray levels (FAST score).
  package var score: UInt8

  /// How many directions are told apart.
  package static let directions = 128
}
