import WaymarkImage

/// A place where brightness changes in one direction only, again and again: perhaps the bars of a 1-D code.
struct BarRegion {
  var center: Point2
  /// Across the bars: the direction in which the code is read, of unit length.
  var direction: Point2
  /// The extent along `direction`, in pixels.
  var length: Double
  /// The extent along the bars, in pixels.
  var height: Double
  /// The share of change that is along `direction`, 0 to 1.
  var coherence: Double
  /// The mean square of differences between neighbours, in gray levels squared.
  var energy: Double

  /// The same in a picture of `factor` times the size.
  func scaled(by factor: Double) -> BarRegion {
    var other = self
    other.center = (center + 0.5) * factor - 0.5
    other.length *= factor
    other.height *= factor
    return other
  }

  /// Along the bars.
  var upright: Point2 { Point2(-direction.y, direction.x) }

  /// The rectangle it covers.
  var corners: Quadrilateral {
    let u = direction * (length / 2)
    let v = upright * (height / 2)
    return Quadrilateral(
      topLeft: center - u - v, topRight: center + u - v, bottomRight: center + u + v, bottomLeft: center - u + v)
  }
}

extension BarRegion {
  /// The region of a code that was read, by its corners.
  init(covering corners: Quadrilateral) {
    let across = corners.topRight - corners.topLeft
    let length = max(1, across.length)
    self.init(
      center: corners.center, direction: across / length, length: length,
      height: max(8, corners.topLeft.distance(to: corners.bottomLeft)), coherence: 1, energy: 0)
  }
}
