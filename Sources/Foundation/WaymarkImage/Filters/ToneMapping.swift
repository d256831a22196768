/// The number of pixels of each of the 256 gray levels. `ToneMapping` below inverts and equalises gray levels.
@usableFromInline
package struct GrayHistogram: Sendable {
  /// The number of pixels of each level.
  @usableFromInline package internal(set) var counts: [Int]

  @inlinable
  package init() { counts = [Int](repeating: 0, count: 256) }

  /// Creates the histogram of a picture.
  @inlinable
  package init(_ view: ImageView) {
    self.init()
    for y in 0..<view.height {
      let row = view.row(y)
      for x in 0..<view.width { add(row[x]) }
    }
  }

  /// Creates the histogram of pixels in any order.
  @inlinable
  package init(_ pixels: some Sequence<UInt8>) {
    self.init()
    for pixel in pixels { add(pixel) }
  }

  @inlinable
  package mutating func add(_ level: UInt8) { counts[Int(level)] &+= 1 }

  /// Sets all counts to 0, keeping the memory.
  @inlinable
  package mutating func clear() {
    for level in 0..<256 { counts[level] = 0 }
  }

  /// The number of pixels counted.
  package var total: Int { counts.reduce(0, +) }

  /// Returns the level of the pixel at index `count` when sorted from dark to light; `nil` if there are at most `count` pixels.
  package func level(behind count: Int) -> Int? {
    var rest = count
    return counts.firstIndex { number in
      rest -= number
      return rest < 0
    }
  }

  /// Returns the level of the pixel at index `count` when sorted from light to dark; `nil` if there are at most `count` pixels.
  package func level(before count: Int) -> Int? {
    var rest = count
    return counts.lastIndex { number in
      rest -= number
      return rest < 0
    }
  }

  /// The threshold that best separates two classes of levels: the highest level of the darker class.
  ///
  /// N. Otsu, "A threshold selection method from gray-level histograms", 1979.
  package var otsuThreshold: UInt8 {
    let total = Double(total)
    let sum = counts.enumerated().reduce(0) { $0 + Double($1.offset) * Double($1.element) }
    var (below, sumBelow, best, place) = (0.0, 0.0, -1.0, 127)
    for value in 0..<255 {
      below += Double(counts[value])
      sumBelow += Double(value) * Double(counts[value])
      guard below > 0, below < total else { continue }
      let difference = sumBelow / below - (sum - sumBelow) / (total - below)
      let between = below * (total - below) * difference * difference
      if between > best { (best, place) = (between, value) }
    }
    return UInt8(place)
  }
}

extension ImageView {
  /// True for a drawing rather than a photograph: the levels of more than nine tenths of the pixels differ from the
  /// darkest or the lightest level by at most a fifth of the contrast.
  package var isDrawn: Bool {
    let histogram = GrayHistogram(self)
    guard let darkest = histogram.level(behind: 0), let lightest = histogram.level(before: 0), lightest > darkest
    else { return false }
    let slack = (lightest - darkest) / 5
    let between = histogram.counts[(darkest + slack + 1)..<max(darkest + slack + 1, lightest - slack)].reduce(0, +)
    return 10 * between < width * height
  }
}

/// Inverts or equalises the gray levels of a picture.
package enum ToneMapping {
  package static func invert(_ view: ImageView) -> GrayImage {
    GrayImage(width: view.width, height: view.height) { pixels in
      guard let target = pixels.baseAddress else { return }
      for y in 0..<view.height {
        let source = view.row(y)
        let row = target + y &* view.width
        for x in 0..<view.width { row[x] = ~source[x] }
      }
    }
  }

  /// Equalises the histogram locally with limited contrast, in 8×8 tiles. A picture of fewer than 16 pixels a side is copied
  /// unchanged.
  ///
  /// K. Zuiderveld, "Contrast limited adaptive histogram equalization", Graphics Gems IV (1994), pages 474–485.
  ///
  /// - Parameter limit: the greatest count of a gray level in a tile, as a multiple of the mean count.
  package static func equalize(_ view: ImageView, limit: Double = 3) -> GrayImage {
    let tiles = 8
    let width = view.width
    let height = view.height
    guard width >= tiles * 2, height >= tiles * 2 else { return GrayImage(copying: view) }
    var maps = [UInt8](repeating: 0, count: tiles * tiles * 256)
    for ty in 0..<tiles {
      for tx in 0..<tiles {
        let (x0, x1) = (tx * width / tiles, (tx + 1) * width / tiles)
        let (y0, y1) = (ty * height / tiles, (ty + 1) * height / tiles)
        var histogram = GrayHistogram(view.cropped(x: x0, y: y0, width: x1 - x0, height: y1 - y0)).counts
        let area = (x1 - x0) * (y1 - y0)
        let clip = max(1, Int(limit * Double(area) / 256))
        var excess = 0
        for i in 0..<256 where histogram[i] > clip {
          excess += histogram[i] - clip
          histogram[i] = clip
        }
        var sum = 0
        // The clipped counts are distributed evenly; in a small tile this is less than one pixel per level.
        for i in 0..<256 {
          sum += histogram[i]
          maps[(ty * tiles + tx) * 256 + i] = UInt8(min(255, (sum + excess * (i + 1) / 256) * 255 / area))
        }
      }
    }
    return GrayImage(width: width, height: height) { pixels in
      guard let target = pixels.baseAddress else { return }
      maps.withUnsafeBufferPointer { maps in
        for y in 0..<height {
          // The position between the centres of tiles, in 1/256.
          let fy = max(0, (2 * y * tiles - height) * 128 / height)
          let ty = min(fy >> 8, tiles - 1)
          let by = min(ty + 1, tiles - 1)
          let wy = fy & 255
          let source = view.row(y)
          let row = target + y &* width
          for x in 0..<width {
            let fx = max(0, (2 &* x &* tiles &- width) &* 128 / width)
            let tx = min(fx >> 8, tiles - 1)
            let bx = min(tx + 1, tiles - 1)
            let wx = fx & 255
            let v = Int(source[x])
            let top =
              Int(maps[(ty &* tiles &+ tx) << 8 | v]) &* (256 - wx) &+ Int(maps[(ty &* tiles &+ bx) << 8 | v]) &* wx
            let bottom =
              Int(maps[(by &* tiles &+ tx) << 8 | v]) &* (256 - wx) &+ Int(maps[(by &* tiles &+ bx) << 8 | v]) &* wx
            row[x] = UInt8(truncatingIfNeeded: (top &* (256 - wy) &+ bottom &* wy) >> 16)
          }
        }
      }
    }
  }
}
