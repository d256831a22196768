import CKernels

extension ImageView {
  /// Twice the size, linear between pixels: each pixel becomes four, at a quarter of the way to its neighbours.
  package func doubled() -> GrayImage {
    GrayImage(width: width * 2, height: height * 2) { pixels in
      guard let target = pixels.baseAddress, width > 0, height > 0 else { return }
      ck_double(base, stride, target, 2 * width, Int32(clamping: width), Int32(clamping: height))
    }
  }
}

extension GrayImage {
  /// The picture with a border of one tone around it.
  package func framed(_ border: Int, tone: UInt8) -> GrayImage {
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
