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
