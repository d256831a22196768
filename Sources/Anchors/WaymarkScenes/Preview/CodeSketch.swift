package import WaymarkImage

/// Draws a code's place holder.
package enum CodeSketch {
  /// A square with the three corners of a QR code.
  package static func draw() -> RGBImage {
    let module = 20
    let modules = 21
    let image = GrayImage(width: module * modules, height: module * modules) { out in
      for i in out.indices {
        let (x, y) = (i % (module * modules) / module, i / (module * modules) / module)
        let (u, v) = (min(x, modules - 1 - x), min(y, modules - 1 - y))
        let isFinder = u < 7 && v < 7 && !(x > modules / 2 && y > modules / 2)
        let ring = max(abs(u - 3), abs(v - 3))
        out[i] = isFinder && ring != 2 ? 90 : 235
      }
    }
    return RGBImage(image)
  }
}
