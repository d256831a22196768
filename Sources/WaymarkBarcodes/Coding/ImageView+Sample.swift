import WaymarkGeometry
import WaymarkImage

extension ImageView {
  /// The part of a line that lies in the picture; `nil` where that is shorter than eight pixels.
  func segment(from p: Point2, direction d: Point2, length: Double) -> (Point2, Point2)? {
    var (t0, t1) = (0.0, length)
    for (at, by, size) in [(p.x, d.x, Double(width) - 0.51), (p.y, d.y, Double(height) - 0.51)] {
      if abs(by) < 1e-9 {
        guard at >= -0.49, at <= size else { return nil }
        continue
      }
      let (a, b) = ((-0.49 - at) / by, (size - at) / by)
      t0 = max(t0, min(a, b))
      t1 = min(t1, max(a, b))
    }
    return t0 + 8 < t1 ? (p + d * t0, p + d * t1) : nil
  }

  /// The brightness at a place, linear between pixels; outside it is white.
  @inline(__always)
  func sample(_ p: Point2) -> Double {
    // A pixel reaches half its width beyond its middle.
    let (right, bottom) = (Double(width - 1), Double(height - 1))
    guard p.x >= -0.5, p.y >= -0.5, p.x < right + 0.5, p.y < bottom + 0.5, width > 1, height > 1 else { return 255 }
    return bilinear(p)
  }
}
