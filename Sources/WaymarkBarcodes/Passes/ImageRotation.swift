import Glibc
import WaymarkGeometry

/// A turn of a picture about its centre into a frame that holds all of it.
struct ImageRotation {
  let cosine: Double
  let sine: Double
  /// The size of the turned picture.
  let width: Int
  let height: Int
  private let center: Point2
  private let sourceCenter: Point2

  init(degrees: Double, width w: Int, height h: Int) {
    let angle = degrees * .pi / 180
    cosine = cos(angle)
    sine = sin(angle)
    width = Int((abs(Double(w) * cosine) + abs(Double(h) * sine)).rounded(.up))
    height = Int((abs(Double(w) * sine) + abs(Double(h) * cosine)).rounded(.up))
    center = Point2(Double(width - 1), Double(height - 1)) / 2
    sourceCenter = Point2(Double(w - 1), Double(h - 1)) / 2
  }

  /// The place in the source of a pixel of the turned picture.
  func toSource(_ p: Point2) -> Point2 {
    let d = p - center
    return sourceCenter + Point2(cosine * d.x + sine * d.y, cosine * d.y - sine * d.x)
  }
}
