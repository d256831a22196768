package import WaymarkImage

/// An anchor ready to be put into a library.
package struct CompiledAnchor: Sendable {
  /// In how many views the detector was shown the anchor, and in how many it found it.
  package struct Trial: Sendable, Hashable {
    package var views: Int
    package var found: Int
  }

  package var name: String
  package var physicalWidth: Double?
  /// Of the cylinder that the picture is wrapped round, in metres; set only with a physical width. What is compiled does not depend on it.
  package var radius: Double?
  /// The reference, its long side 480 pixels by convention.
  package var image: GrayImage
  /// The same at exactly twice its size, where the picture has that much detail.
  package var detail: GrayImage?
  /// The features, the most useful first; `anchor` is set when the library is written.
  package var features: [AnchorFeature]
  /// How many of each kind were asked for when it was compiled, in the order of `AnchorFeature.Kind`; there may be fewer.
  package var asked: [Int] = [0, 0, 0]
  /// Four words a feature.
  package var descriptors: [UInt64]
  /// The expected share of simulated views in which it is found, 0…1.
  var recall: Double
  /// How many of its corners are found again in each simulated view; not kept in the library.
  package var sightings: [Int]
  /// The detector's own result, where it was asked; not kept in the library.
  package var trial: Trial?
  /// The reasons that speak against the picture; not kept in the library.
  package var reasons: [AnchorQuality.Reason]

  /// Leaves no more features of each kind than these, in the order of `AnchorFeature.Kind`, the most useful ones.
  package mutating func keep(_ limits: [Int]) {
    asked = zip(asked, limits).map(min)
    var counts = limits
    let kept = features.indices.filter { i in
      counts[features[i].kind.rawValue] -= 1
      return counts[features[i].kind.rawValue] >= 0
    }
    guard kept.count < features.count else { return }
    descriptors = kept.flatMap { descriptors[(4 * $0)..<(4 * $0 + 4)] }
    features = kept.map { features[$0] }
  }

  /// The pixels that a library keeps.
  package var pixels: GrayImage { detail ?? image }

  package var quality: AnchorQuality { AnchorQuality(score: Int((100 * recall).rounded()), reasons: reasons) }
}
