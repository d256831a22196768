package import WaymarkImage

/// Makes pictures smaller for people to look at: each pixel is the mean of what it covers.
package enum PictureScaler {
  /// `image` at a width of at most `width` pixels, its shape kept.
  package static func fit(_ image: RGBImage, width: Int) -> RGBImage {
    guard width > 0, width < image.width else { return image }
    let height = max(1, (image.height * width + image.width / 2) / image.width)
    return image.withBytes { source in
      RGBImage(width: width, height: height) { target in
        for y in 0..<height {
          let y0 = y * image.height / height
          let y1 = max(y0 + 1, (y + 1) * image.height / height)
          for x in 0..<width {
            let x0 = x * image.width / width
            let x1 = max(x0 + 1, (x + 1) * image.width / width)
            var sums = SIMD4<UInt32>()
            for row in y0..<y1 {
              var at = 3 &* (row &* image.width &+ x0)
              for _ in x0..<x1 {
                sums &+= SIMD4(UInt32(source[at]), UInt32(source[at &+ 1]), UInt32(source[at &+ 2]), 0)
                at &+= 3
              }
            }
            let count = UInt32((y1 - y0) * (x1 - x0))
            let at = 3 * (y * width + x)
            target[at] = UInt8((sums.x + count / 2) / count)
            target[at + 1] = UInt8((sums.y + count / 2) / count)
            target[at + 2] = UInt8((sums.z + count / 2) / count)
          }
        }
      }
    }
  }
}
