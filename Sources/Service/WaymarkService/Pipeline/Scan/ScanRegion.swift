package import WaymarkImage

/// A rectangle of the picture whose codes are kept, as fractions of its width and height. A code is in the region if its centre is inside.
package struct ScanRegion: Hashable, Sendable {
  package let x: Double
  package let y: Double
  package let width: Double
  package let height: Double

  package static let whole = ScanRegion(x: 0, y: 0, width: 1, height: 1)

  private init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Creates a region from four fractions: x, y, width and height. Nil for another number of fractions, or if the region exceeds
  /// the picture.
  package init?(_ shares: [Double]) {
    guard shares.count == 4, shares.allSatisfy(\.isFinite), shares[0] >= 0, shares[1] >= 0, shares[2] > 0,
      shares[3] > 0, shares[0] + shares[2] <= 1 + 1e-9, shares[1] + shares[3] <= 1 + 1e-9
    else { return nil }
    self.init(x: shares[0], y: shares[1], width: shares[2], height: shares[3])
  }

  /// Returns whether a point, in pixels of a picture of that size, is inside the region.
  package func contains(_ point: Point2, in size: PictureSize) -> Bool {
    // Pixel centres have integer coordinates, so the picture begins at -0.5.
    let share = (point + 0.5) / Point2(Double(size.width), Double(size.height))
    return share.x >= x && share.y >= y && share.x <= x + width && share.y <= y + height
  }

  /// Returns the centre of the region, in pixels of a picture of that size.
  package func center(in size: PictureSize) -> Point2 {
    Point2((x + width / 2) * Double(size.width), (y + height / 2) * Double(size.height)) - 0.5
  }
}

/// The size of a picture, in pixels.
package struct PictureSize: Hashable, Sendable {
  package let width: Int
  package let height: Int
}
