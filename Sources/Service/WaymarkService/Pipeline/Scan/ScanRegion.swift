package import WaymarkImage

/// A part of the picture, as shares of its width and height. A code counts when its centre lies inside.
package struct ScanRegion: Hashable, Sendable {
  /// The left edge.
  package let x: Double
  /// The upper edge.
  package let y: Double
  /// The width.
  package let width: Double
  /// The height.
  package let height: Double

  /// The whole picture.
  package static let whole = ScanRegion(x: 0, y: 0, width: 1, height: 1)

  private init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// A region from four shares: x, y, width, height. Nil when they are not four, or reach outside the picture.
  package init?(_ shares: [Double]) {
    guard shares.count == 4, shares.allSatisfy(\.isFinite), shares[0] >= 0, shares[1] >= 0, shares[2] > 0,
      shares[3] > 0, shares[0] + shares[2] <= 1 + 1e-9, shares[1] + shares[3] <= 1 + 1e-9
    else { return nil }
    self.init(x: shares[0], y: shares[1], width: shares[2], height: shares[3])
  }

  /// Returns whether a point, in pixels of a picture of that size, lies inside.
  package func contains(_ point: Point2, in size: PictureSize) -> Bool {
    // Pixel centres stand at whole numbers, so the picture begins half a pixel before the first.
    let share = (point + 0.5) / Point2(Double(size.width), Double(size.height))
    return share.x >= x && share.y >= y && share.x <= x + width && share.y <= y + height
  }

  /// The middle, in pixels of a picture of that size.
  package func center(in size: PictureSize) -> Point2 {
    Point2((x + width / 2) * Double(size.width), (y + height / 2) * Double(size.height)) - 0.5
  }
}

/// Width and height of a picture in pixels.
package struct PictureSize: Hashable, Sendable {
  package let width: Int
  package let height: Int

  /// A size from its numbers.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
