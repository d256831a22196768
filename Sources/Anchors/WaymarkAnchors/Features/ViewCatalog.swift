import WaymarkImage

/// A 2×2 matrix with the rows (`a`, `b`) and (`c`, `d`): the linear part of a map between pictures, such as from a
/// reference to a view. `ViewCatalog` below has the views.
package struct Linear2: Sendable, Equatable {
  package var a: Float
  package var b: Float
  package var c: Float
  package var d: Float

  package init(_ a: Float, _ b: Float, _ c: Float, _ d: Float) {
    (self.a, self.b, self.c, self.d) = (a, b, c, d)
  }

  @inline(__always)
  package func apply(_ x: Float, _ y: Float) -> SIMD2<Float> { SIMD2(a * x + b * y, c * x + d * y) }

  /// Returns the vector that the matrix maps to `v`.
  func inverse(_ v: SIMD2<Float>) -> SIMD2<Float> {
    SIMD2(d * v.x - b * v.y, a * v.y - c * v.x) / determinant
  }

  package func scaled(by s: Float) -> Self { Self(s * a, s * b, s * c, s * d) }

  @inline(__always)
  package var determinant: Float { a * d - b * c }

  @inline(__always)
  package static func * (l: Self, r: Self) -> Self {
    Self(l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c, l.c * r.b + l.d * r.d)
  }

  /// Returns a rotation by `angle` radians, clockwise on a screen, with a scaling.
  package static func turn(_ angle: Double, scale: Double = 1) -> Self {
    let (c, s) = (Float(scale * Double.cosine(angle)), Float(scale * Double.sine(angle)))
    return Self(c, -s, s, c)
  }
}

/// The views of a reference from which its features are taken, the same for every anchor.
///
/// A view is the reference rotated by `azimuth`, then compressed by `tilt`: the picture that a distant camera sees whose axis makes
/// an angle of arccos(1 / tilt) with the normal of the reference. Tilts and azimuths are spaced as in J.-M. Morel, G. Yu, "ASIFT",
/// SIAM J. Imaging Sciences 2 (2009), section 3.3: tilt by √2, azimuth by about 72° / tilt. The descriptor covers rotations within
/// the frame, the pyramid covers sizes.
package enum ViewCatalog {
  /// One view of the reference: rotated by `azimuth`, then compressed along x by `tilt`.
  package struct View: Sendable {
    package var tilt: Double
    /// The azimuth in radians.
    var azimuth: Double

    /// Reference pixels → view pixels, without the translation.
    package var linear: Linear2 {
      let (c, s) = (Double.cosine(azimuth), Double.sine(azimuth))
      return Linear2(Float(c / tilt), Float(-s / tilt), Float(s), Float(c))
    }
  }

  /// The number of levels of each view's pyramid.
  package static let levels = 7

  package static let views: [View] = {
    var views = [View(tilt: 1, azimuth: 0)]
    for (tilt, count) in [(2.0.squareRoot(), 4), (2.0, 6), (8.0.squareRoot(), 8)] {
      for k in 0..<count { views.append(View(tilt: tilt, azimuth: Double.pi * Double(k) / Double(count))) }
    }
    return views
  }()

  /// The size of each level relative to its view.
  package static let scales: [Double] = (0..<levels).map { i in
    let half = Double(1 << (i / 2))
    return i % 2 == 0 ? 1 / half : 2 / (3 * half)
  }

  /// The sizes, relative to the reference, at which a picture with more pixels is also compiled, for a close camera that sees it
  /// straight on.
  package static let details: [Double] = [2, 4.0 / 3]

  /// The index of the first of `details` in `linears`.
  static let firstDetail = views.count * levels

  /// The views at grazing angles, up to 80°.
  static let grazing: [View] = [(4.0, 10), (32.0.squareRoot(), 14)].flatMap { tilt, count in
    (0..<count).map { View(tilt: tilt, azimuth: Double.pi * Double($0) / Double(count)) }
  }

  /// The sizes of the grazing views. Sizes above 1 are used only if the picture has enough pixels.
  static let grazingScales: [Double] = [2, 4.0 / 3, 1, 2.0 / 3]

  /// The index of the first of `grazing` in `linears`.
  static let firstGrazing = firstDetail + details.count

  /// The maps from reference pixels to pixels of a view's level, indexed by `view * levels + level`, followed by the maps of
  /// `details` and `grazing`.
  static let linears: [Linear2] =
    views.flatMap { view in scales.map { view.linear.scaled(by: Float($0)) } }
    + details.map { Linear2(Float($0), 0, 0, Float($0)) }
    + grazing.flatMap { view in grazingScales.map { view.linear.scaled(by: Float($0)) } }

  /// Returns the size at which a feature was extracted, relative to the reference's view.
  package static func scale(of view: UInt8) -> Double {
    let view = Int(view)
    if view < firstDetail { return scales[view % levels] }
    if view < firstGrazing { return details[view - firstDetail] }
    return grazingScales[(view - firstGrazing) % grazingScales.count]
  }
}
