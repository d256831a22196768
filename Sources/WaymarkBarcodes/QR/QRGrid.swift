import WaymarkGeometry
import WaymarkImage

/// Where the modules of a code lie in a picture: a homography from module coordinates (the first module covers 0 to 1),
/// and shifts that bend it to a surface that is not flat.
struct QRGrid {
  let layout: QRLayout
  var map: Homography
  /// What the alignment patterns say beyond the map.
  var mesh: QRMesh?

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

  /// The brightness at a place, linear between pixels; outside it is white.
  @inline(__always)
  static func sample(_ view: ImageView, _ p: Point2) -> Double {
    guard p.x >= 0, p.y >= 0, p.x < Double(view.width - 1), p.y < Double(view.height - 1) else { return 255 }
    let x = Int(p.x)
    let y = Int(p.y)
    let fx = p.x - Double(x)
    let fy = p.y - Double(y)
    let a = view.row(y) + x
    let b = a + view.stride
    let top = Double(a[0]) * (1 - fx) + Double(a[1]) * fx
    let bottom = Double(b[0]) * (1 - fx) + Double(b[1]) * fx
    return top * (1 - fy) + bottom * fy
  }
}

/// Shifts in pixels at the crossings of lines, linear between them and level outside.
struct QRMesh {
  /// The lines, in modules, the same in both directions.
  let lines: [Double]
  /// Row by row.
  var shifts: [Point2]

  mutating func scale(by factor: Double) { shifts = shifts.map { $0 * factor } }

  func shift(_ x: Double, _ y: Double) -> Point2 {
    let (i, fx) = segment(x)
    let (j, fy) = segment(y)
    let n = lines.count
    let top = shifts[j * n + i] * (1 - fx) + shifts[j * n + i + 1] * fx
    let bottom = shifts[(j + 1) * n + i] * (1 - fx) + shifts[(j + 1) * n + i + 1] * fx
    return top * (1 - fy) + bottom * fy
  }

  private func segment(_ value: Double) -> (index: Int, share: Double) {
    var i = 0
    while i + 2 < lines.count, value > lines[i + 1] { i += 1 }
    return (i, min(max((value - lines[i]) / (lines[i + 1] - lines[i]), 0), 1))
  }
}
