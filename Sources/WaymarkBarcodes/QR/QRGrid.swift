import WaymarkGeometry
import WaymarkImage

/// Where the modules of a code lie in a picture: a homography from module coordinates (the first module covers 0 to 1),
/// and shifts that bend it to a surface that is not flat.
struct QRGrid {
  let layout: QRLayout
  var map: Homography
  /// Corrections at known places, in modules and pixels.
  var shifts: [(at: Point2, by: Point2)] = []

  /// The place of a point given in modules, in pixels.
  func place(_ x: Double, _ y: Double) -> Point2 {
    let p = map.apply(Point2(x, y))
    guard !shifts.isEmpty else { return p }
    // Inverse distance weights (D. Shepard, 1968), power four: local, and exact at the known places.
    var sum = Point2(0, 0)
    var total = 0.0
    for shift in shifts {
      let d = shift.at - Point2(x, y)
      let square = d.dot(d) + 0.25
      let weight = 1 / (square * square)
      sum += weight * shift.by
      total += weight
    }
    return p + sum / total
  }

  /// The outer corners of the code, in pixels.
  var corners: Quadrilateral {
    let s = Double(layout.side)
    return Quadrilateral(
      topLeft: map.apply([0, 0]), topRight: map.apply([s, 0]), bottomRight: map.apply([s, s]),
      bottomLeft: map.apply([0, s]))
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
