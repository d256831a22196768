import CKernels

/// Halves a frame until its long side is at most 1,000 pixels, in memory that is taken once.
package struct FrameReducer {
  private var buffers: [PixelBuffer] = []

  /// A reducer without memory yet.
  package init() {}

  /// The frame as it is to be searched, valid until the next call, and its size relative to the frame.
  package mutating func reduce(_ frame: ImageView) -> (ImageView, scale: Double) {
    var view = frame
    var scale = 1.0
    var step = 0
    while max(view.width, view.height) > 1000 {
      let (w, h) = (view.width / 2, view.height / 2)
      guard w > 0, h > 0 else { break }
      if buffers.count <= step { buffers.append(PixelBuffer(capacity: w * h)) }
      if buffers[step].capacity < w * h { buffers[step] = PixelBuffer(capacity: w * h) }
      ck_halve(view.base, view.stride, buffers[step].bytes, w, Int32(w), Int32(h))
      view = ImageView(base: UnsafePointer(buffers[step].bytes), width: w, height: h, stride: w)
      scale /= 2
      step += 1
    }
    return (view, scale)
  }
}
