package import WaymarkImage

/// An anchor as the compiler makes it and `LibraryWriter` writes it into a library.
package struct CompiledAnchor: Sendable {
  /// The number of test views shown to the detector, and the number of views in which the detector found the anchor.
  package struct Trial: Sendable, Hashable {
    package var views: Int
    package var found: Int
  }

  package var name: String
  package var physicalWidth: Double?
  /// The radius in metres of the cylinder round which the picture is wrapped; set only with a physical width. It does not
  /// influence the compilation.
  package var radius: Double?
  /// The reference, its long side 480 pixels by convention.
  package var image: GrayImage
  /// The picture at exactly twice the reference's size; `nil` if the original picture lacks the pixels.
  package var detail: GrayImage?
  /// The features, the most useful first; `anchor` is set when the library is written.
  package var features: [AnchorFeature]
  /// The number of features of each kind requested at compilation, in the order of `AnchorFeature.Kind`; `features` may have fewer.
  package var asked: [Int] = [0, 0, 0]
  /// The descriptors, four words per feature.
  package var descriptors: [UInt64]
  /// The expected share of simulated views in which the anchor is found, 0…1.
  var recall: Double
  /// The number of corners found again in each simulated view; not stored in the library.
  package var sightings: [Int]
  /// The result of the test with the detector, if made; not stored in the library.
  package var trial: Trial?
  /// The weaknesses of the picture; not stored in the library.
  package var reasons: [AnchorQuality.Reason]

  /// Keeps the most useful features of each kind.
  ///
  /// - Parameter limits: The most features of each kind, in the order of `AnchorFeature.Kind`.
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

  /// The pixels that a library stores.
  package var pixels: GrayImage { detail ?? image }

  package var quality: AnchorQuality { AnchorQuality(score: Int((100 * recall).rounded()), reasons: reasons) }
}

extension GrayImage {
  /// Returns whether two pictures have the same pixels.
  package func isSame(as other: GrayImage) -> Bool {
    guard (width, height) == (other.width, other.height) else { return false }
    return withView { one in
      other.withView { two in
        (0..<height).allSatisfy { y in
          UnsafeBufferPointer(start: one.row(y), count: width).elementsEqual(
            UnsafeBufferPointer(start: two.row(y), count: width))
        }
      }
    }
  }
}
