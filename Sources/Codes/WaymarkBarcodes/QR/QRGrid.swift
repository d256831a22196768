import WaymarkImage

/// Where the modules of a code lie in a picture: a homography from module coordinates (the first module covers 0 to 1),
/// and shifts that bend it to a surface that is not flat.
struct QRGrid {
  let layout: QRLayout
  var map: Homography
  /// The deviation of the alignment patterns from the map.
  var mesh: GridMesh?

  /// The place of a point given in modules, in pixels.
  func place(_ x: Double, _ y: Double) -> Point2 {
    let p = map.apply(Point2(x, y))
    guard let mesh else { return p }
    return p + mesh.shift(x, y)
  }

  /// The same in a picture of `factor` times the size.
  func scaled(by factor: Double) -> QRGrid {
    var other = self
    other.map = Homography.resize(Point2(factor, factor)) * map
    other.mesh?.scale(by: factor)
    return other
  }

  /// The outer corners of the code, in pixels.
  var corners: Quadrilateral {
    let s = Double(layout.side)
    return Quadrilateral(
      topLeft: place(0, 0), topRight: place(s, 0), bottomRight: place(s, s), bottomLeft: place(0, s))
  }
}
