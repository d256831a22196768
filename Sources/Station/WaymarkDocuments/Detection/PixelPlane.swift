/// Working memory for one plane of bytes, rows without gaps; grows, never shrinks, belongs to one detector.
///
/// Sixteen readable bytes lie before and behind the pixels, so that neighbours of the outermost ones may be read.
final class PixelPlane {
  private(set) var width = 0
  private(set) var height = 0
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity = 0

  private static let margin = 16

  init() { memory = .allocate(capacity: 2 * Self.margin) }

  deinit { memory.deallocate() }

  /// The first pixel.
  var pixels: UnsafeMutablePointer<UInt8> { memory + Self.margin }

  /// Makes room for `width` × `height` pixels, whose values are undefined.
  func resize(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
    guard width * height > capacity else { return }
    capacity = width * height
    memory.deallocate()
    memory = .allocate(capacity: capacity + 2 * Self.margin)
    memory.initialize(repeating: 0, count: capacity + 2 * Self.margin)
  }
}

/// Gray-level morphology: a closing takes dark marks off bright paper and leaves straight outlines where they are.
enum Morphology {
  /// `target` = the closing of `source` (maximum, then minimum, over squares of 2·`radius`+1 pixels); `scratch` is overwritten.
  static func close(_ source: PixelPlane, radius: Int, into target: PixelPlane, scratch: PixelPlane) {
    let (w, h) = (source.width, source.height)
    target.resize(w, h)
    scratch.resize(w, h)
    columns(source, scratch, radius) { $0 > $1 ? $0 : $1 }
    rows(scratch, target, radius, outside: 0) { $0 > $1 ? $0 : $1 }
    columns(target, scratch, radius) { $0 < $1 ? $0 : $1 }
    rows(scratch, target, radius, outside: 255) { $0 < $1 ? $0 : $1 }
  }

  @inline(__always)
  private static func columns(_ from: PixelPlane, _ to: PixelPlane, _ radius: Int, _ better: (UInt8, UInt8) -> UInt8) {
    let (w, h) = (from.width, from.height)
    for y in 0..<h {
      let out = to.pixels + y &* w
      let first = max(0, y - radius)
      out.update(from: from.pixels + first &* w, count: w)
      for line in (first + 1)..<max(first + 1, min(h, y + radius + 1)) {
        let row = from.pixels + line &* w
        for x in 0..<w { out[x] = better(out[x], row[x]) }
      }
    }
  }

  @inline(__always)
  private static func rows(
    _ from: PixelPlane, _ to: PixelPlane, _ radius: Int, outside: UInt8, _ better: (UInt8, UInt8) -> UInt8
  ) {
    let (w, h) = (from.width, from.height)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: w + 2 * radius) { line in
      guard let line = line.baseAddress else { return }
      for i in 0..<radius {
        line[i] = outside
        line[w + radius + i] = outside
      }
      for y in 0..<h {
        (line + radius).update(from: from.pixels + y &* w, count: w)
        let out = to.pixels + y &* w
        out.update(from: line, count: w)
        for shift in 1..<max(2, 2 * radius + 1) {
          let other = line + shift
          for x in 0..<w { out[x] = better(out[x], other[x]) }
        }
      }
    }
  }
}
