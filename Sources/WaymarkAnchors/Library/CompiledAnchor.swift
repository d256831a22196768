package import WaymarkImage

/// An anchor ready to be put into a library.
package struct CompiledAnchor: Sendable {
  package var name: String
  package var physicalWidth: Double?
  package var image: GrayImage
  /// The features, the most useful first; `anchor` is set when the library is written.
  package var features: [AnchorFeature]
  /// Four words a feature.
  package var descriptors: [UInt64]
  package var quality: AnchorQuality
}
