import CKernels
import WaymarkImage

/// Other sizes of a picture.
enum Resampling {
  /// Twice the size, linear between pixels: each pixel becomes four, at a quarter of the way to its neighbours.
  static func double(_ view: ImageView) -> GrayImage {
    GrayImage(width: view.width * 2, height: view.height * 2) { pixels in
      guard let target = pixels.baseAddress, view.width > 0, view.height > 0 else { return }
      ck_double(
        view.base, view.stride, target, 2 * view.width, Int32(clamping: view.width), Int32(clamping: view.height))
    }
  }

  /// Turned by `degrees` about its centre, large enough to hold it all, white around.
  static func rotate(_ view: ImageView, degrees: Double) -> (image: GrayImage, map: ImageRotation) {
    let map = ImageRotation(degrees: degrees, width: view.width, height: view.height)
    let image = GrayImage(width: map.width, height: map.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      // 16.16 fixed point, linear between pixels.
      let sx = Int(map.cosine * 65536)
      let sy = Int(-map.sine * 65536)
      for y in 0..<map.height {
        let start = map.toSource([0, Double(y)])
        var u = Int(start.x * 65536)
        var v = Int(start.y * 65536)
        let row = target + y &* map.width
        for x in 0..<map.width {
          let iu = u >> 16
          let iv = v >> 16
          if iu >= 0, iv >= 0, iu &+ 1 < view.width, iv &+ 1 < view.height {
            let value = Bilinear.fixed(
              view.row(iv) + iu, stride: view.stride, fx: (u & 0xFFFF) >> 8, fy: (v & 0xFFFF) >> 8, bits: 8)
            row[x] = UInt8(truncatingIfNeeded: value >> 16)
          } else {
            row[x] = 255
          }
          u &+= sx
          v &+= sy
        }
      }
    }
    return (image, map)
  }
}

extension GrayImage {
  /// The picture with a border of one tone around it.
  func framed(_ border: Int, tone: UInt8) -> GrayImage {
    let (wide, high) = (width + 2 * border, height + 2 * border)
    return GrayImage(width: wide, height: high) { pixels in
      guard let target = pixels.baseAddress else { return }
      pixels.update(repeating: tone)
      withView { view in
        for y in 0..<view.height {
          (target + (y + border) * wide + border).update(from: view.row(y), count: view.width)
        }
      }
    }
  }
}
