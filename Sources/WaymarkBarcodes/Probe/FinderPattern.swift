import WaymarkGeometry

/// The square in a corner of a QR code: dark and light rings of 1:1:3:1:1 modules (ISO/IEC 18004 clause 6.3.3).
struct FinderPattern {
  var center: Point2
  /// The size of a module in pixels along the rows and along the columns of the picture.
  var moduleX: Double
  var moduleY: Double
  /// How many rows saw it.
  var hits: Int
  /// How many of sixteen looks around the centre saw what they should.
  var rings: Int

  var module: Double { (moduleX * moduleY).squareRoot() }
}
