import WaymarkGeometry
import WaymarkImage

extension ImageView {
  /// The brightness at a place, linear between pixels; outside it is white.
  @inline(__always)
  func sample(_ p: Point2) -> Double {
    // A pixel reaches half its width beyond its middle.
    let (right, bottom) = (Double(width - 1), Double(height - 1))
    guard p.x >= -0.5, p.y >= -0.5, p.x < right + 0.5, p.y < bottom + 0.5, width > 1, height > 1 else { return 255 }
    let px = min(max(p.x, 0), right)
    let py = min(max(p.y, 0), bottom)
    let x = min(Int(px), width &- 2)
    let y = min(Int(py), height &- 2)
    let fx = px - Double(x)
    let fy = py - Double(y)
    let a = row(y) + x
    let b = a + stride
    let top = Double(a[0]) * (1 - fx) + Double(a[1]) * fx
    let below = Double(b[0]) * (1 - fx) + Double(b[1]) * fx
    return top * (1 - fy) + below * fy
  }
}
