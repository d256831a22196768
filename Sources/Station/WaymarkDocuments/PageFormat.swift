package import WaymarkImage

/// A known format of paper or card. `PageShape` below estimates the shape of a page, and with it the format.
package enum PageFormat: String, Sendable, CaseIterable, Codable {
  /// ISO 216 A4. All sizes of the series have the same shape and cannot be distinguished in a picture.
  case a4 = "A4"
  /// ISO 216 A5, which is not detected but can be chosen by the user.
  case a5 = "A5"
  /// North American Letter.
  case letter = "Letter"
  /// ISO/IEC 7810 ID-1: cards.
  case id1 = "ID-1"
  /// A strip of paper at least twice as long as wide.
  case receipt = "receipt"

  /// The upright width and height in millimetres; `nil` if the format does not define them.
  package var millimetres: (width: Double, height: Double)? {
    switch self {
    case .a4: (210, 297)
    case .a5: (148, 210)
    case .letter: (215.9, 279.4)
    case .id1: (53.98, 85.6)
    case .receipt: nil
    }
  }

  /// Returns the format of a sheet by the ratio of its long to its short side: the nearest format within 4.5 %, or else a receipt
  /// for a ratio of at least 2; otherwise `nil`.
  package static func nearest(ratio: Double) -> PageFormat? {
    guard ratio.isFinite else { return nil }
    let known: [(PageFormat, Double)] = [(.letter, 279.4 / 215.9), (.a4, 297.0 / 210), (.id1, 85.6 / 53.98)]
    let best = known.min { abs($0.1 - ratio) < abs($1.1 - ratio) }
    if let best, abs(best.1 - ratio) < 0.045 * ratio { return best.0 }
    return ratio >= 2 ? .receipt : nil
  }
}

/// Estimates the shape of a page whose outline is seen in perspective.
package struct PageShape: Hashable, Sendable {
  /// The width divided by the height.
  package let aspect: Double
  /// The matching format; `nil` without a match.
  package let format: PageFormat?

  /// Estimates the shape of a page from its outline in a picture of `width` × `height` pixels, with the optical axis at its
  /// centre.
  ///
  /// The focal length is computed from the two vanishing points if both are near enough; otherwise a typical focal length is
  /// assumed. Z. Zhang, L. He, "Whiteboard scanning and image enhancement", Digital Signal Processing 17 (2007), section 4.
  package init(outline q: Quadrilateral, width: Double, height: Double) {
    let center = Point2(width - 1, height - 1) / 2
    // Most cameras of phones and kiosks see about 60 degrees along the picture's longer side.
    let usual = 0.87 * max(width, height)
    func homogeneous(_ p: Point2) -> Point3 { Point3((p.x - center.x) / usual, (p.y - center.y) / usual, 1) }
    let m1 = homogeneous(q.topLeft)
    let m2 = homogeneous(q.topRight)
    let m3 = homogeneous(q.bottomLeft)
    let m4 = homogeneous(q.bottomRight)
    let k2 = m1.cross(m4).dot(m3) / m2.cross(m4).dot(m3)
    let k3 = m1.cross(m4).dot(m2) / m3.cross(m4).dot(m2)
    let n2 = m2 * k2 - m1
    let n3 = m3 * k3 - m1
    var focal = 1.0
    if abs(n2.z) > 0.05, abs(n3.z) > 0.05 {
      let squared = -(n2.x * n3.x + n2.y * n3.y) / (n2.z * n3.z)
      // Outside the range of lenses of phones and webcams, the estimate is noise.
      if squared.isFinite, squared > 0.36, squared < 4 { focal = squared.squareRoot() }
    }
    func length(_ n: Point3) -> Double { ((n.x * n.x + n.y * n.y) / (focal * focal) + n.z * n.z).squareRoot() }
    let ratio = length(n2) / length(n3)
    let plain =
      (q.topLeft.distance(to: q.topRight) + q.bottomLeft.distance(to: q.bottomRight))
      / max(1e-9, q.topLeft.distance(to: q.bottomLeft) + q.topRight.distance(to: q.bottomRight))
    aspect = ratio.isFinite && ratio > 0.05 && ratio < 20 ? ratio : plain.isFinite && plain > 0 ? plain : 1
    format = PageFormat.nearest(ratio: max(aspect, 1 / aspect))
  }
}
