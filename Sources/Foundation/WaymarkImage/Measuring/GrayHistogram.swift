/// How many pixels have each of the 256 gray levels.
@usableFromInline
package struct GrayHistogram: Sendable {
  /// The number of pixels of each level.
  @usableFromInline package internal(set) var counts: [Int]

  /// Without a pixel.
  @inlinable
  package init() { counts = [Int](repeating: 0, count: 256) }

  /// That of a picture.
  @inlinable
  package init(_ view: ImageView) {
    self.init()
    for y in 0..<view.height {
      let row = view.row(y)
      for x in 0..<view.width { add(row[x]) }
    }
  }

  /// That of pixels in any order.
  @inlinable
  package init(_ pixels: some Sequence<UInt8>) {
    self.init()
    for pixel in pixels { add(pixel) }
  }

  /// Counts a pixel.
  @inlinable
  package mutating func add(_ level: UInt8) { counts[Int(level)] &+= 1 }

  /// Counts nothing any more, in the same memory.
  @inlinable
  package mutating func clear() {
    for level in 0..<256 { counts[level] = 0 }
  }

  /// How many pixels were counted.
  package var total: Int { counts.reduce(0, +) }

  /// The level of the pixel that stands behind `count` darker ones; nil where there are not so many.
  package func level(behind count: Int) -> Int? {
    var rest = count
    return counts.firstIndex { number in
      rest -= number
      return rest < 0
    }
  }

  /// The level of the pixel that stands before `count` lighter ones; nil where there are not so many.
  package func level(before count: Int) -> Int? {
    var rest = count
    return counts.lastIndex { number in
      rest -= number
      return rest < 0
    }
  }

  /// The lowest level with which at least `count` pixels are as dark; nil where there are not so many.
  package func level(reaching count: Int) -> Int? {
    var rest = count
    return counts.firstIndex { number in
      rest -= number
      return rest <= 0
    }
  }

  /// The threshold that separates two classes of levels best: the highest level of the lower one.
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
