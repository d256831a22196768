/// The number of pixels of each of the 256 gray levels.
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

  /// Returns the level of the pixel at index `count` when sorted from dark to light; `nil` if there are not more than `count`
  /// pixels.
  package func level(behind count: Int) -> Int? {
    var rest = count
    return counts.firstIndex { number in
      rest -= number
      return rest < 0
    }
  }

  /// Returns the level of the pixel at index `count` when sorted from light to dark; `nil` if there are not more than `count`
  /// pixels.
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
  /// True if more than nine tenths of the pixels are within a fifth of the contrast of the darkest or the lightest pixel: a
  /// drawing, not a photograph.
  package var isDrawn: Bool {
    let histogram = GrayHistogram(self)
    guard let darkest = histogram.level(behind: 0), let lightest = histogram.level(before: 0), lightest > darkest
    else { return false }
    let slack = (lightest - darkest) / 5
    let between = histogram.counts[(darkest + slack + 1)..<max(darkest + slack + 1, lightest - slack)].reduce(0, +)
    return 10 * between < width * height
  }
}
