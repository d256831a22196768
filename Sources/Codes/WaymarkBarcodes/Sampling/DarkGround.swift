import WaymarkImage

/// The upright rectangles of a picture whose ground is as dark as the dark modules of a code, for codes printed on a dark page
/// without a quiet zone.
///
/// The ground is the opening of the dark pixels by a square that is larger than any dark block inside a code (J. Serra, "Image
/// Analysis and Mathematical Morphology", 1982). If the outer side of a symbol is one dark line, such as the L of a Data Matrix or
/// the first bar of an EAN, this line is invisible on the ground and is missing; its width is known from the other modules.
struct DarkGround {
  /// A copy of the surroundings of a rectangle in which the ground is light.
  struct Part {
    var picture: GrayImage
    /// The position of the top left corner of the part in the picture; negative if it is outside.
    var origin: Point2
    /// The symbologies that may be read with the sides that were added.
    var wanted: Set<Symbology>
  }

  /// The largest number of rectangles; pages with more are photographs.
  private static let most = 4
  /// The side of the square, and the width of the light margin, in modules: the longest dark side of a finder pattern has seven.
  private static let (block, margin) = (10, 12)
  /// The least difference of the dark and the light pixels, in gray levels.
  private static let contrast = 48

  private let view: ImageView
  /// The tone that replaces the ground: the mean of the light pixels.
  private let light: UInt8
  /// The width of a module in pixels.
  private let module: Int
  /// The width of the border of ground that surrounds `isGround`, in pixels.
  private let border: Int
  private let columns: Int
  private let isGround: [Bool]

  /// - Returns: `nil` if the picture is small, its border is not dark, or it has little contrast or few edges.
  init?(_ view: ImageView) {
    guard view.width >= 32, view.height >= 32, let tones = Self.tones(view) else { return nil }
    let last = (x: view.width - 1, y: view.height - 1)
    let rim: [UInt8] =
      (0...last.x).flatMap { [view[$0, 0], view[$0, last.y]] }
      + (0...last.y).flatMap { [view[0, $0], view[last.x, $0]] }
    guard 10 * rim.count(where: { $0 <= tones.middle }) >= 9 * rim.count,
      let module = Self.module(view, tones.middle)
    else { return nil }
    self.view = view
    (light, self.module) = (tones.light, module)
    let border = Self.block * module
    self.border = border
    let (columns, rows) = (view.width + 2 * border, view.height + 2 * border)
    self.columns = columns
    var dark = [Bool](repeating: true, count: columns * rows)
    for y in 0..<view.height {
      for x in 0..<view.width { dark[(y + border) * columns + x + border] = view[x, y] <= tones.middle }
    }
    // The erosion marks the last pixel of each window whose pixels are all dark; the dilation then fills these windows.
    let side = Self.block * module
    for (count, step, lines, stride) in [(columns, 1, rows, columns), (rows, columns, columns, 1)] {
      for line in 0..<lines {
        var run = 0
        for i in 0..<count {
          let at = line * stride + i * step
          run = dark[at] ? run + 1 : 0
          dark[at] = run >= side
        }
      }
    }
    for (count, step, lines, stride) in [(columns, 1, rows, columns), (rows, columns, columns, 1)] {
      for line in 0..<lines {
        var left = 0
        for i in (0..<count).reversed() {
          let at = line * stride + i * step
          left = dark[at] ? side : left - 1
          dark[at] = left > 0
        }
      }
    }
    isGround = dark
  }

  /// Returns the mean of the light pixels, and the threshold midway between the means of dark and light pixels (T. Ridler and S. Calvard,
  /// "Picture thresholding using an iterative selection method", IEEE Trans. SMC 8 (1978)); `nil` if the contrast is low.
  private static func tones(_ view: ImageView) -> (middle: UInt8, light: UInt8)? {
    var counts = [Int](repeating: 0, count: 256)
    for y in stride(from: 0, to: view.height, by: 2) { for x in 0..<view.width { counts[Int(view[x, y])] += 1 } }
    func mean(_ range: Range<Int>) -> Int? {
      let count = range.reduce(0) { $0 + counts[$1] }
      return count == 0 ? nil : range.reduce(0) { $0 + counts[$1] * $1 } / count
    }
    var middle = 128
    for _ in 0..<8 {
      guard let low = mean(0..<(middle + 1)), let high = mean((middle + 1)..<256) else { return nil }
      guard (low + high) / 2 != middle else {
        return high - low >= contrast ? (UInt8(middle), UInt8(high)) : nil
      }
      middle = (low + high) / 2
    }
    return nil
  }

  /// Returns the width of a module: a quarter of the runs between two edges are not wider. `nil` if there are few runs.
  private static func module(_ view: ImageView, _ middle: UInt8) -> Int? {
    var counts = [Int](repeating: 0, count: 64)
    func add(_ count: Int, _ pixel: (Int) -> UInt8) {
      var (last, begin) = (pixel(0) <= middle, -1)
      for i in 1..<count where (pixel(i) <= middle) != last {
        if begin >= 0, i - begin < counts.count { counts[i - begin] += 1 }
        (last, begin) = (!last, i)
      }
    }
    for y in stride(from: 1, to: view.height, by: 3) { add(view.width) { view[$0, y] } }
    for x in stride(from: 1, to: view.width, by: 3) { add(view.height) { view[x, $0] } }
    let all = counts.reduce(0, +)
    guard all >= 40 else { return nil }
    var sum = 0
    return counts.firstIndex { count in
      sum += count
      return 4 * sum >= all
    }
  }

  /// Returns the parts to read: each rectangle alone, with the outer bars of a 1-D code, and with the L of a Data Matrix at each corner.
  func parts(_ wanted: Set<Symbology>) -> [Part] {
    let bars = wanted.filter { !$0.isMatrix }
    return rectangles().flatMap { box -> [Part] in
      var parts = [part(box, (0, 0, 0, 0), wanted)]
      if !bars.isEmpty {
        parts += [part(box, (module, 0, module, 0), bars), part(box, (0, module, 0, module), bars)]
      }
      if wanted.contains(.dataMatrix) {
        for (left, right) in [(module, 0), (0, module)] {
          for (top, bottom) in [(0, module), (module, 0)] {
            parts.append(part(box, (left, top, right, bottom), [.dataMatrix]))
          }
        }
      }
      return parts
    }
  }

  /// The columns and rows of a rectangle in the picture.
  private typealias Box = (x: Range<Int>, y: Range<Int>)

  /// Returns the boxes of the regions beside the ground that are nearly upright rectangles, the largest first.
  private func rectangles() -> [Box] {
    var flood = FloodFill(width: columns, height: isGround.count / columns)
    var found: [Box] = []
    for seed in isGround.indices where !isGround[seed] {
      guard flood.begin(x: seed % columns, y: seed / columns) else { continue }
      var (low, high, area) = ((x: Int.max, y: Int.max), (x: 0, y: 0), 0)
      flood.run { _, to in
        !isGround[to.index]
      } visit: { place in
        low = (min(low.x, place.x), min(low.y, place.y))
        high = (max(high.x, place.x), max(high.y, place.y))
        area += 1
        return .spread
      }
      let (width, height) = (high.x - low.x + 1, high.y - low.y + 1)
      guard min(width, height) >= 8 * module, 10 * area >= 8 * width * height else { continue }
      found.append(((low.x - border)..<(high.x + 1 - border), (low.y - border)..<(high.y + 1 - border)))
    }
    return Array(found.sorted { $0.x.count * $0.y.count > $1.x.count * $1.y.count }.prefix(Self.most))
  }

  /// Returns a copy of a box on a light ground.
  ///
  /// - Parameter added: the width of the original ground that is kept on each side, in pixels.
  private func part(
    _ box: Box, _ added: (left: Int, top: Int, right: Int, bottom: Int), _ wanted: Set<Symbology>
  ) -> Part {
    let margin = Self.margin * module
    let (x0, y0) = (box.x.lowerBound - margin, box.y.lowerBound - margin)
    let (width, height) = (box.x.count + 2 * margin, box.y.count + 2 * margin)
    let columns = (box.x.lowerBound - added.left)..<(box.x.upperBound + added.right)
    let rows = (box.y.lowerBound - added.top)..<(box.y.upperBound + added.bottom)
    let picture = GrayImage(width: width, height: height) { pixels in
      pixels.update(repeating: light)
      for y in rows {
        for x in columns {
          let (u, v) = (min(max(0, x), view.width - 1), min(max(0, y), view.height - 1))
          pixels[(y - y0) * width + x - x0] = view[u, v]
        }
      }
    }
    return Part(picture: picture, origin: [Double(x0), Double(y0)], wanted: wanted)
  }
}
