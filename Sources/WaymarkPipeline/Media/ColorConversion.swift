import WaymarkImage

/// From the cameras' YUV forms to RGB, for people to look at.
///
/// ITU-R BT.601, limited range, which is what UVC cameras deliver unless they say otherwise; 16.16 fixed point.
enum ColorConversion {
  /// The picture in colour; `nil` for compressed or damaged ones.
  static func rgb(_ picture: EncodedPicture) -> RGBImage? {
    let layout = picture.layout
    let (width, height, stride) = (layout.width, layout.height, layout.bytesPerLine)
    guard let needed = layout.frameBytes, width > 1, height > 1 else { return nil }
    return picture.withBytes { raw -> RGBImage? in
      guard raw.count >= needed, let bytes = raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return nil }
      let plane = stride * height
      return RGBImage(width: width, height: height) { target in
        for y in 0..<height {
          for x in 0..<width {
            let luma: UInt8
            let cb: UInt8
            let cr: UInt8
            let row: Int = y &* stride
            let even: Int = x & ~1
            switch layout.format {
            case .yuyv, .uyvy:
              let first: Int = layout.format == .yuyv ? 0 : 1
              let pair: Int = row &+ 2 &* even
              luma = bytes[pair &+ first &+ 2 &* (x & 1)]
              cb = bytes[pair &+ 1 &- first]
              cr = bytes[pair &+ 3 &- first]
            case .nv12, .nv21:
              luma = bytes[row &+ x]
              let pair: Int = plane &+ (y / 2) &* stride &+ even
              let swap: Int = layout.format == .nv12 ? 0 : 1
              cb = bytes[pair &+ swap]
              cr = bytes[pair &+ 1 &- swap]
            case .yuv420:
              luma = bytes[row &+ x]
              let half: Int = (stride + 1) / 2
              let rows: Int = (height + 1) / 2
              let at: Int = plane &+ (y / 2) &* half &+ x / 2
              cb = bytes[at]
              cr = bytes[at &+ half &* rows]
            case .grey, .mjpeg:
              luma = bytes[row &+ x]
              cb = 128
              cr = 128
            }
            store(luma, cb, cr, gray: layout.format == .grey, to: target, at: 3 &* (y &* width &+ x))
          }
        }
      }
    }
  }

  @inline(__always)
  private static func store(
    _ luma: UInt8, _ cb: UInt8, _ cr: UInt8, gray: Bool, to target: UnsafeMutableBufferPointer<UInt8>, at: Int
  ) {
    if gray {
      target[at] = luma
      target[at &+ 1] = luma
      target[at &+ 2] = luma
      return
    }
    let y = 76_309 &* (Int32(luma) &- 16)
    let (u, v) = (Int32(cb) &- 128, Int32(cr) &- 128)
    target[at] = UInt8(clamping: (y &+ 104_597 &* v &+ 32_768) >> 16)
    target[at &+ 1] = UInt8(clamping: (y &- 25_675 &* u &- 53_279 &* v &+ 32_768) >> 16)
    target[at &+ 2] = UInt8(clamping: (y &+ 132_201 &* u &+ 32_768) >> 16)
  }
}
