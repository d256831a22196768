package import WaymarkImage

/// Room for the features of one picture; kept and refilled, so that a frame allocates nothing.
///
/// Owned by one extractor and used from its thread only.
package final class FeatureSet {
  /// Of how many leading bits the projection is kept: it tells how sure the bits of an index key are.
  static let marginCount = 24

  package let capacity: Int
  package private(set) var count = 0
  /// `capacity` features.
  package let features: UnsafeMutablePointer<Feature>
  /// Four words a feature.
  package let descriptors: UnsafeMutablePointer<UInt64>
  /// `marginCount` projections a feature, in 1/1024.
  package let margins: UnsafeMutablePointer<Int16>

  package init(capacity: Int) {
    self.capacity = capacity
    features = .allocate(capacity: capacity)
    features.initialize(
      repeating: Feature(x: 0, y: 0, scale: 1, direction: 0, level: 0, score: 0), count: capacity)
    descriptors = .allocate(capacity: 4 * capacity)
    descriptors.initialize(repeating: 0, count: 4 * capacity)
    margins = .allocate(capacity: Self.marginCount * capacity)
    margins.initialize(repeating: 0, count: Self.marginCount * capacity)
  }

  deinit {
    features.deallocate()
    descriptors.deallocate()
    margins.deallocate()
  }

  package func removeAll() { count = 0 }

  /// Drops the features of which `predicate` is true; the others keep their order.
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

  /// Takes one more feature and returns its place; `nil` when there is no room.
  package func append(_ feature: Feature) -> Int? {
    guard count < capacity else { return nil }
    features[count] = feature
    count += 1
    return count - 1
  }

  /// Moves every feature.
  package func move(_ place: (Point2) -> Point2) {
    for i in 0..<count {
      let p = place(Point2(Double(features[i].x), Double(features[i].y)))
      (features[i].x, features[i].y) = (Float(p.x), Float(p.y))
    }
  }

  package func descriptor(_ index: Int) -> UnsafeMutablePointer<UInt64> { descriptors + 4 * index }
}
