import Glibc
import WaymarkImage

@testable import WaymarkBarcodes

/// A turn of a picture about its centre into a frame that holds all of it.
struct ImageRotation {
  private let cosine: Double
  private let sine: Double
  /// The size of the turned picture.
  private let width: Int
  private let height: Int
  private let center: Point2
  private let sourceCenter: Point2

  init(degrees: Double, of source: GrayImage) {
    let (w, h) = (Double(source.width), Double(source.height))
    let angle = degrees * .pi / 180
    (cosine, sine) = (cos(angle), sin(angle))
    width = Int((abs(w * cosine) + abs(h * sine)).rounded(.up))
    height = Int((abs(w * sine) + abs(h * cosine)).rounded(.up))
    center = Point2(Double(width - 1), Double(height - 1)) / 2
    sourceCenter = Point2(w - 1, h - 1) / 2
  }

  /// The place in the source of a pixel of the turned picture.
  func toSource(_ p: Point2) -> Point2 {
    let d = p - center
    return sourceCenter + Point2(cosine * d.x + sine * d.y, cosine * d.y - sine * d.x)
  }

  /// The turned picture, linear between pixels, white around.
  func apply(_ source: GrayImage) -> GrayImage {
    source.withView { view in
      GrayImage(width: width, height: height) { pixels in
        for y in 0..<height {
          for x in 0..<width {
            let p = toSource([Double(x), Double(y)])
            let isInside = p.x >= 0 && p.y >= 0 && p.x < Double(view.width - 1) && p.y < Double(view.height - 1)
            pixels[y * width + x] = isInside ? UInt8(view.sample(p)) : 255
          }
        }
      }
    }
  }
}
