import WaymarkImage

/// The square in a corner of a QR code: dark and light rings of 1:1:3:1:1 modules (ISO/IEC 18004 clause 6.3.3).
struct FinderPattern {
  var center: Point2
  /// The size of a module in pixels along the rows and along the columns of the picture.
  var moduleX: Double
  var moduleY: Double
  /// How many rows of its octave it covers, by those that saw it.
  var hits: Int
  /// The octave of the picture on which it was seen best; places and sizes are in pixels of the whole picture.
  var octave = 0
  /// How many of sixteen looks around the centre saw what they should.
  var rings: Int

  /// Its dark ring, where that stands apart from its surroundings; `nil` also before it was looked for.
  var ring: FinderRing?

  var module: Double { (moduleX * moduleY).squareRoot() }

  /// A module along a direction, by the extents along rows and columns, which overstate a turned square.
  func module(along direction: Point2) -> Point2 {
    let d = direction / max(1e-9, direction.length)
    let x = d.x / moduleX
    let y = d.y / moduleY
    return d * (max(abs(d.x), abs(d.y)) / max(1e-9, (x * x + y * y).squareRoot()))
  }

  /// The same in a picture of `factor` times the size.
  func scaled(by factor: Double) -> FinderPattern {
    var other = self
    other.center = (center + 0.5) * factor - 0.5
    other.moduleX *= factor
    other.moduleY *= factor
    other.ring = ring?.scaled(by: factor)
    return other
  }
}
