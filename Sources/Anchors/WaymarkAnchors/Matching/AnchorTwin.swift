package import WaymarkImage

/// Two pictures of a library of which one is found in the other.
package struct AnchorTwin: Hashable, Sendable {
  /// Their indices in the library.
  package var first: Int
  package var second: Int
  /// Pixels of the first → pixels of the second, where they are alike.
  package var map: Homography

  package init(first: Int, second: Int, map: Homography) {
    (self.first, self.second, self.map) = (first, second, map)
  }
}
