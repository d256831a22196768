import CKernels

/// A picture at falling sizes: 1, 2/3, 1/2, 1/3, 1/4 … of the frame, and 4/3 and 2 times it on request.
///
/// The half-steps by 2/3 are those of S. Leutenegger, M. Chli, R. Siegwart, "BRISK", ICCV 2011, section 3.1; each
/// whole step is the mean of 2×2 pixels. All levels have the same stride, so that offsets between pixels hold on every
/// level. Buffers are kept between frames: as long as the size of the frame stays the same, nothing is allocated.
/// To be used from one thread at a time.
package final class GrayPyramid {
  private struct Level {
    var offset: Int
    var width: Int
    var height: Int
    var scale: Double
    var stride: Int
  }

  /// Rows and bytes around every level that may be read although they hold nothing of meaning.
  package static let margin = 32
  private let margin: Int
  private let isCompact: Bool

  private var levels: [Level] = []
  private var buffer: PixelBuffer
  private var size = (width: -1, height: -1, count: 0)
  /// The distance between rows, in bytes, of every level; of the first one in a compact pyramid.
  package private(set) var stride = 0

  /// - Parameter compact: every level with a stride of its own and hardly any margin, for pyramids that are kept: less than
  ///   half the memory.
  package init(compact: Bool = false) {
    isCompact = compact
    margin = compact ? 2 : Self.margin
    buffer = PixelBuffer(capacity: 0)
  }

  /// How many levels there are. Level 0 is the frame itself.
  package var count: Int { levels.count }

  /// A level; valid until the next `update`. Around it, `margin` rows and bytes may be read.
  package func level(_ index: Int) -> ImageView {
    let l = levels[index]
    return ImageView(base: UnsafePointer(buffer.bytes + l.offset), width: l.width, height: l.height, stride: l.stride)
  }

  /// Where the first pixel of a level lies in a plane that is laid out like the pyramid's own memory.
  package func offset(_ index: Int) -> Int { levels[index].offset }

  /// The bytes that a plane of the same layout needs.
  package private(set) var planeSize = 0

  /// The size of a level relative to the frame: a frame point `x` stands at `(x + ½)·scale − ½` on the level.
  package func scale(_ index: Int) -> Double { levels[index].scale }

  /// Takes a frame.
  ///
  /// - Parameters:
  ///   - levels: the most levels to make; fewer are made when a side would fall below `minimumSide`.
  package func update(_ frame: ImageView, levels wanted: Int, minimumSide: Int = 24) {
    if size != (frame.width, frame.height, wanted) { layOut(frame.width, frame.height, wanted, minimumSide) }
    for (i, l) in levels.enumerated() {
      let target = buffer.bytes + l.offset
      switch i {
      case 0: ck_copy(frame.base, frame.stride, target, stride, Int32(l.width), Int32(l.height))
      case 1:
        ck_two_thirds(
          buffer.bytes + levels[0].offset, levels[0].stride, target, l.stride, Int32(l.width), Int32(l.height))
      default:
        ck_halve(
          buffer.bytes + levels[i - 2].offset, levels[i - 2].stride, target, l.stride, Int32(l.width), Int32(l.height))
      }
    }
  }

  /// Takes a frame doubled: level 0 is twice the frame, level 1 is 4/3 of it, and so on.
  package func updateDoubled(_ frame: ImageView, levels wanted: Int, minimumSide: Int = 24) {
    let (w, h) = (2 * frame.width, 2 * frame.height)
    if size != (w, h, -wanted) { layOut(w, h, wanted, minimumSide, doubled: true) }
    for (i, l) in levels.enumerated() {
      let target = buffer.bytes + l.offset
      switch i {
      case 0:
        guard frame.width > 0, frame.height > 0 else { return }
        ck_double(frame.base, frame.stride, target, stride, Int32(frame.width), Int32(frame.height))
      case 1:
        ck_two_thirds(
          buffer.bytes + levels[0].offset, levels[0].stride, target, l.stride, Int32(l.width), Int32(l.height))
      default:
        ck_halve(
          buffer.bytes + levels[i - 2].offset, levels[i - 2].stride, target, l.stride, Int32(l.width), Int32(l.height))
      }
    }
  }

  /// Takes the memory for frames of up to this size, without touching it.
  package func reserve(width: Int, height: Int, levels wanted: Int, minimumSide: Int = 24) {
    layOut(width, height, wanted, minimumSide, blank: false)
    size = (-1, -1, 0)
    levels.removeAll(keepingCapacity: true)
  }

  private func layOut(
    _ width: Int, _ height: Int, _ wanted: Int, _ minimumSide: Int, doubled: Bool = false, blank: Bool = true
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
      // Whole groups of three pixels become two; what is left at the right and the bottom is not covered.
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
