import CKernels

/// A picture at decreasing sizes: 1, 2/3, 1/2, 1/3, 1/4 … of the frame, and on request from 2 and 4/3 of the frame. `FrameReducer`
/// below halves a large frame until it is small enough.
///
/// The half-steps by 2/3 are as in S. Leutenegger, M. Chli, R. Siegwart, "BRISK", ICCV 2011, section 3.1; each whole step is the
/// mean of 2×2 pixels. All levels have the same stride, so that offsets between pixels are the same on every level. Buffers are
/// kept between frames, so that nothing is allocated while the size of the frame stays the same. Use it from one thread at a time.
package final class GrayPyramid {
  private struct Level {
    var offset: Int
    var width: Int
    var height: Int
    var scale: Double
    var stride: Int
  }

  /// The number of readable rows and bytes around every level, 2 in a compact pyramid; their contents are undefined.
  package static let margin = 32
  private let margin: Int
  private let isCompact: Bool

  private var levels: [Level] = []
  private var buffer: PixelBuffer
  private var size = (width: -1, height: -1, count: 0)
  /// The distance between rows of every level, in bytes; in a compact pyramid, of level 0 only.
  package private(set) var stride = 0

  /// - Parameter compact: true to give each level its own stride and a small margin, for pyramids that are stored: this takes less
  ///   than half the memory.
  package init(compact: Bool = false) {
    isCompact = compact
    margin = compact ? 2 : Self.margin
    buffer = PixelBuffer(capacity: 0)
  }

  /// The number of levels. Level 0 is the frame itself.
  package var count: Int { levels.count }

  /// Returns a level, valid until the next `update`. The rows and bytes of the margin around it may be read.
  package func level(_ index: Int) -> ImageView {
    let l = levels[index]
    return ImageView(base: UnsafePointer(buffer.bytes + l.offset), width: l.width, height: l.height, stride: l.stride)
  }

  /// Returns the offset of a level's first pixel, in bytes, in a plane with the layout of the pyramid's memory.
  package func offset(_ index: Int) -> Int { levels[index].offset }

  /// The size of a plane with the layout of the pyramid's memory, in bytes.
  package private(set) var planeSize = 0

  /// Returns the size of a level relative to the frame: the point `x` of the frame is at `(x + ½)·scale − ½` on the level.
  package func scale(_ index: Int) -> Double { levels[index].scale }

  /// Computes the levels of a frame.
  ///
  /// - Parameters:
  ///   - levels: the greatest number of levels; fewer if a side would be shorter than `minimumSide`.
  package func update(_ frame: ImageView, levels wanted: Int, minimumSide: Int = 24) {
    if size != (frame.width, frame.height, wanted) { layOut(frame.width, frame.height, wanted, minimumSide) }
    makeLevels { ck_copy(frame.base, frame.stride, $0, stride, Int32(frame.width), Int32(frame.height)) }
  }

  /// Computes the levels of a frame at double size: level 0 is twice the frame, level 1 is 4/3 of the frame, and so on.
  package func updateDoubled(_ frame: ImageView, levels wanted: Int) {
    let (w, h) = (2 * frame.width, 2 * frame.height)
    if size != (w, h, -wanted) { layOut(w, h, wanted, doubled: true) }
    guard frame.width > 0, frame.height > 0 else { return }
    makeLevels { ck_double(frame.base, frame.stride, $0, stride, Int32(frame.width), Int32(frame.height)) }
  }

  /// Computes all levels from the first one.
  ///
  /// - Parameter first: writes the pixels of level 0.
  private func makeLevels(first: (UnsafeMutablePointer<UInt8>) -> Void) {
    for (i, l) in levels.enumerated() {
      let target = buffer.bytes + l.offset
      guard i > 0 else {
        first(target)
        continue
      }
      let source = levels[max(0, i - 2)]
      let make = i == 1 ? ck_two_thirds : ck_halve
      make(buffer.bytes + source.offset, source.stride, target, l.stride, Int32(l.width), Int32(l.height))
    }
  }

  /// Reserves memory for frames of up to this size, without writing to it.
  package func reserve(width: Int, height: Int, levels wanted: Int, minimumSide: Int = 24) {
    layOut(width, height, wanted, minimumSide, blank: false)
    size = (-1, -1, 0)
    levels.removeAll(keepingCapacity: true)
  }

  private func layOut(
    _ width: Int, _ height: Int, _ wanted: Int, _ minimumSide: Int = 24, doubled: Bool = false, blank: Bool = true
  ) {
    size = (width, height, doubled ? -wanted : wanted)
    stride = (width + 2 * margin + 63) & ~63
    levels.removeAll(keepingCapacity: true)
    var offset = margin * stride + margin
    let base = doubled ? 2.0 : 1.0
    for i in 0..<max(1, wanted) {
      let (w, h, s): (Int, Int, Double)
      switch i {
      case 0: (w, h, s) = (width, height, base)
      // Groups of three pixels become two; remaining pixels at the right and the bottom are dropped.
      case 1: (w, h, s) = (width / 3 * 2, height / 3 * 2, base * 2 / 3)
      default: (w, h, s) = (levels[i - 2].width / 2, levels[i - 2].height / 2, levels[i - 2].scale / 2)
      }
      if i > 0, min(w, h) < minimumSide { break }
      let own = isCompact && i > 0 ? (w + 2 * margin + 15) & ~15 : stride
      levels.append(Level(offset: offset, width: w, height: h, scale: s, stride: own))
      offset += (h + margin) * own
    }
    planeSize = offset + margin * stride
    if buffer.capacity < planeSize { buffer = PixelBuffer(capacity: planeSize) }
    if blank { buffer.bytes.update(repeating: 0, count: planeSize) }
  }
}

// MARK: - Reduced frames

/// Halves a frame until its long side is at most 1,000 pixels; keeps its memory for the next frame.
package struct FrameReducer {
  private var buffers: [PixelBuffer] = []

  /// Creates a reducer without allocating memory.
  package init() {}

  /// Returns the reduced frame, valid until the next call, and its size relative to the frame.
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
