package import WaymarkImage

/// A corner of a picture with its size and direction. Its descriptor is at the same index in the `FeatureSet`.
///
/// The file has the features of a frame (`Feature`, `FeatureSet`), the features of a library (`AnchorFeature`), and
/// `ScratchMemory`.
package struct Feature: Sendable {
  /// The position in pixels of the picture, with pixel centres at integers.
  package var x: Float
  package var y: Float
  /// The number of pixels of the picture per pixel of the level on which the corner was found.
  package var scale: Float
  /// The direction in steps of 2π / `directions`, clockwise on a screen from +x.
  package var direction: UInt8
  /// The level of the pyramid on which the corner was found.
  package var level: UInt8
  /// The FAST-9 score: the greatest difference in gray levels by which nine contiguous pixels of the circle are all brighter, or
  /// all darker, than the centre.
  package var score: UInt8

  package static let directions = 128
}

/// The storage for the features of one picture, reused so that a frame allocates nothing.
///
/// Owned by one extractor and used on its thread only.
package final class FeatureSet {
  /// The number of leading bits whose projections are kept, because they show how certain the bits of an index key are.
  static let marginCount = 24

  private let memory = ScratchMemory()
  package let capacity: Int
  package private(set) var count = 0
  /// The features: `count` of them are valid, with room for `capacity`.
  package let features: UnsafeMutablePointer<Feature>
  /// The descriptors, four words per feature.
  package let descriptors: UnsafeMutablePointer<UInt64>
  /// The projections, `marginCount` per feature, in 1/1024.
  package let margins: UnsafeMutablePointer<Int16>

  package init(capacity: Int) {
    self.capacity = capacity
    features = memory.allocate(capacity)
    features.initialize(
      repeating: Feature(x: 0, y: 0, scale: 1, direction: 0, level: 0, score: 0), count: capacity)
    descriptors = memory.allocate(4 * capacity)
    descriptors.initialize(repeating: 0, count: 4 * capacity)
    margins = memory.allocate(Self.marginCount * capacity)
    margins.initialize(repeating: 0, count: Self.marginCount * capacity)
  }

  package func removeAll() { count = 0 }

  /// Removes the features for which `predicate` is true; the other features keep their order.
  package func removeAll(where predicate: (Feature) -> Bool) {
    var kept = 0
    for i in 0..<count where !predicate(features[i]) {
      if kept != i {
        features[kept] = features[i]
        (descriptors + 4 * kept).update(from: descriptors + 4 * i, count: 4)
        (margins + Self.marginCount * kept).update(from: margins + Self.marginCount * i, count: Self.marginCount)
      }
      kept += 1
    }
    count = kept
  }

  /// Appends a feature and returns its index; `nil` if the capacity is reached.
  package func append(_ feature: Feature) -> Int? {
    guard count < capacity else { return nil }
    features[count] = feature
    count += 1
    return count - 1
  }

  package func move(_ place: (Point2) -> Point2) {
    for i in 0..<count {
      let p = place(Point2(Double(features[i].x), Double(features[i].y)))
      (features[i].x, features[i].y) = (Float(p.x), Float(p.y))
    }
  }

  package func descriptor(_ index: Int) -> UnsafeMutablePointer<UInt64> { descriptors + 4 * index }
}

/// A feature of an anchor as stored in a library: eight bytes, without padding.
package struct AnchorFeature: Sendable, Equatable {
  /// The anchor's index in the library.
  package var anchor: UInt16
  /// The position on the reference in 1/64 pixels, with pixel centres at integers.
  package var x64: UInt16
  var y64: UInt16
  /// The view and level from which the feature was extracted: an index into `ViewCatalog.linears`.
  package var view: UInt8
  /// The direction on that level in steps of 2π / `Feature.directions`.
  package var direction: UInt8

  /// The kind of view from which a feature was extracted: one of `ViewCatalog.views`, of the close views (`ViewCatalog.details`) or
  /// of the grazing views (`ViewCatalog.grazing`).
  package enum Kind: Int, CaseIterable, Sendable { case usual, near, grazing }

  package var kind: Kind {
    Int(view) < ViewCatalog.firstDetail ? .usual : Int(view) < ViewCatalog.firstGrazing ? .near : .grazing
  }

  @inline(__always)
  package var position: SIMD2<Float> { SIMD2(Float(x64), Float(y64)) * (1 / 64) }
}

/// Memory for intermediate values that is freed with its owner.
final class ScratchMemory {
  private var blocks: [UnsafeMutableRawPointer] = []

  /// Returns uninitialized memory for trivial values.
  func allocate<T>(_ capacity: Int) -> UnsafeMutablePointer<T> {
    let block = UnsafeMutablePointer<T>.allocate(capacity: capacity)
    blocks.append(UnsafeMutableRawPointer(block))
    return block
  }

  deinit {
    for block in blocks { block.deallocate() }
  }
}
