/// "This corner of the frame looks like that feature of the library."
struct FeatureMatch {
  /// The corner's place among the frame's features.
  var query: Int32
  /// The feature's place in the library.
  var place: UInt32
  var anchor: UInt16
  /// Hamming distance.
  var distance: UInt16
}
