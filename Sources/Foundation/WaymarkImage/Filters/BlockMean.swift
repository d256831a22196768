/// The mean brightness around each block of a picture: the local threshold between dark and light.
///
/// After ZXing's hybrid binarizer: the mean of each block of 8×8 pixels, smoothed over 5×5 blocks. Blocks without contrast use the
/// level of their neighbours; otherwise noise on white paper would turn into speckles.
@usableFromInline
package struct BlockMean: Sendable {
  /// The side of a block, in pixels.
  @inlinable
  package static var side: Int { 8 }
  /// The number of whole blocks in a row, at least one.
  @usableFromInline package let columns: Int
  /// The number of whole blocks in a column, at least one.
  @usableFromInline package let rows: Int
  /// The level of each block, row by row.
  @usableFromInline package internal(set) var levels: [UInt8]

  /// The default of `flat` in `init(_:flat:)`, in gray levels.
  package static let plain: UInt8 = 24

  /// - Parameter flat: a block has no edge if its gray levels differ by at most this value.
  package init(_ view: ImageView, flat: UInt8 = Self.plain) {
    let side = Self.side
    columns = max(1, view.width / side)
    rows = max(1, view.height / side)
    var means = [UInt8](repeating: 0, count: columns * rows)
    levels = means
    guard view.width >= side, view.height >= side else {
      levels = [UInt8](repeating: Self.mean(of: view), count: columns * rows)
      return
    }
    for by in 0..<rows {
      for bx in 0..<columns {
        var sum = SIMD8<UInt16>(repeating: 0)
        var low = SIMD8<UInt8>(repeating: 255)
        var high = SIMD8<UInt8>(repeating: 0)
        for y in 0..<side {
          let p = UnsafeRawPointer(view.row(by &* side &+ y) + bx &* side).loadUnaligned(as: SIMD8<UInt8>.self)
          sum &+= SIMD8<UInt16>(truncatingIfNeeded: p)
          low = pointwiseMin(low, p)
          high = pointwiseMax(high, p)
        }
        var mean = UInt8(truncatingIfNeeded: sum.wrappedSum() / 64)
        let least = low.min()
        if high.max() &- least <= flat {
          // A block without an edge gets a level below all its pixels, so that all of them are light, unless its neighbours above
          // and to the left show that it is inside a dark area. For faint edges (small `flat`), the level is only a little lower,
          // because half the value would lower the levels of the neighbours too much.
          mean = flat < Self.plain ? least &- min(least, flat) : least / 2
          if bx > 0, by > 0 {
            let i = by &* columns &+ bx
            let around =
              (UInt16(means[i &- columns]) &+ 2 &* UInt16(means[i &- 1]) &+ UInt16(means[i &- columns &- 1])) / 4
            if UInt16(least) < around { mean = UInt8(truncatingIfNeeded: around) }
          }
        }
        means[by &* columns &+ bx] = mean
      }
    }
    smooth(means)
  }

  /// Returns the levels multiplied by a factor of at most 1, so that fewer pixels are dark.
  package func lowered(to share: Double) -> BlockMean {
    var other = self
    for i in levels.indices { other.levels[i] = UInt8(Double(levels[i]) * share) }
    return other
  }

  /// Sets the levels to the means of 5×5 blocks; near a border, of the five outermost rows or columns.
  private mutating func smooth(_ means: [UInt8]) {
    let (wide, high) = (min(5, columns), min(5, rows))
    /// Returns the first of the five rows or columns that are averaged for row or column `i`.
    func first(_ i: Int, _ count: Int) -> Int { min(max(i, 2), max(2, count - 3)) - 2 }
    // The sums of five rows for each column, updated from row to row.
    var sums = [UInt32](repeating: 0, count: columns)
    var top = -1
    let area = UInt32(wide * high)
    means.withUnsafeBufferPointer { means in
      levels.withUnsafeMutableBufferPointer { levels in
        for by in 0..<rows {
          let wanted = first(by, rows)
          if wanted != top {
            for x in 0..<columns {
              var sum: UInt32 = 0
              for y in wanted..<(wanted &+ high) { sum &+= UInt32(means[y &* columns &+ x]) }
              sums[x] = sum
            }
            top = wanted
          }
          var left = 0
          var sum: UInt32 = 0
          for x in 0..<wide { sum &+= sums[x] }
          for bx in 0..<columns {
            let wanted = first(bx, columns)
            if wanted != left {
              sum = sum &+ sums[wanted &+ wide &- 1] &- sums[left]
              left = wanted
            }
            levels[by &* columns &+ bx] = UInt8(truncatingIfNeeded: sum / area)
          }
        }
      }
    }
  }

  private static func mean(of view: ImageView) -> UInt8 {
    var sum = 0
    for y in 0..<view.height { for x in 0..<view.width { sum += Int(view[x, y]) } }
    return UInt8(sum / max(1, view.width * view.height))
  }

  /// The threshold of a block.
  @inlinable @inline(__always)
  package subscript(column: Int, row: Int) -> UInt8 { levels[row &* columns &+ column] }

  /// True if a pixel is darker than its surroundings.
  @inlinable @inline(__always)
  package func isDark(_ view: ImageView, _ x: Int, _ y: Int) -> Bool {
    view[x, y] <= self[min(x / Self.side, columns &- 1), min(y / Self.side, rows &- 1)]
  }

  /// Returns the fraction of pixels at which a run of dark or light pixels starts, sampled in every eighth row.
  package func busyness(of view: ImageView) -> Double {
    guard view.width > 0, view.height > 0 else { return 0 }
    var runs = [Int32](repeating: 0, count: view.width + 3)
    var starts = 0
    var looked = 0
    for y in stride(from: Self.side / 2, to: view.height, by: Self.side) {
      starts += edges(of: view, row: y, into: &runs) - 1
      looked += view.width
    }
    return Double(starts) / Double(max(1, looked))
  }

  /// Writes the columns at which the runs of a row start, alternately light and dark, then the end of the row. The first run is
  /// light and may be empty.
  ///
  /// - Returns: the number of values written.
  package func edges(of view: ImageView, row y: Int, into edges: inout [Int32]) -> Int {
    let side = Self.side
    let source = view.row(y)
    let line = min(y / side, rows &- 1) &* columns
    return edges.withUnsafeMutableBufferPointer { edges in
      levels.withUnsafeBufferPointer { levels in
        edges[0] = 0
        var count = 1
        var dark = false
        for bx in 0..<columns {
          let level = levels[line &+ bx]
          var x = bx &* side
          let end = bx &+ 1 == columns ? view.width : x &+ side
          if x &+ side <= end {
            var changes = Self.changes(UnsafeRawPointer(source + x), level, isDark: &dark)
            while changes != 0 {
              edges[count] = Int32(truncatingIfNeeded: x &+ changes.trailingZeroBitCount >> 3)
              count &+= 1
              changes &= changes &- 1
            }
            x &+= side
          }
          while x < end {
            if (source[x] <= level) != dark {
              dark.toggle()
              edges[count] = Int32(truncatingIfNeeded: x)
              count &+= 1
            }
            x &+= 1
          }
        }
        edges[count] = Int32(truncatingIfNeeded: view.width)
        return count &+ 1
      }
    }
  }

  /// Returns the changes between dark and light in a block's row of eight pixels: bit 8·i + 7 is set if pixel i differs
  /// from the one before it.
  ///
  /// Compares eight bytes in one word (H. Warren, "Hacker's Delight", 2nd edition, section 2-18).
  ///
  /// - Parameter isDark: true if the pixel before the first is dark; on return, true if the last pixel is dark.
  @inline(__always)
  private static func changes(_ pixels: UnsafeRawPointer, _ level: UInt8, isDark: inout Bool) -> UInt64 {
    let high: UInt64 = 0x8080_8080_8080_8080
    let x = UInt64(littleEndian: pixels.loadUnaligned(as: UInt64.self))
    let y = 0x0101_0101_0101_0101 &* UInt64(level)
    // A pixel x is dark if x ≤ y; the low seven bits decide if the high bits are equal.
    let darks = ((~x & y) | (~(x ^ y) & ((y | high) &- (x & ~high)))) & high
    let before = darks &<< 8 | (isDark ? 0x80 : 0)
    isDark = darks >> 63 != 0
    return darks ^ before
  }

  /// Returns a picture that is black where `view` is darker than its surroundings, else white.
  ///
  /// - Parameter border: the width of a white border, in pixels.
  package func threshold(_ view: ImageView, border: Int = 0) -> GrayImage {
    mapped(view, border: border) { $0 > $1 ? 255 : 0 }
  }

  /// Returns a gray picture whose differences from the block's level are multiplied by `gain`, so that edges keep their
  /// subpixel position.
  package func stretch(_ view: ImageView, gain: Int) -> GrayImage {
    mapped(view) { pixel, level in
      UInt8(truncatingIfNeeded: min(max(0, (Int(pixel) &- Int(level)) &* gain &+ 128), 255))
    }
  }

  /// Returns a picture with a white border in which each pixel is computed by `tone` from the pixel and the level of its
  /// block.
  @inline(__always)
  private func mapped(
    _ view: ImageView, border: Int = 0, _ tone: (_ pixel: UInt8, _ level: UInt8) -> UInt8
  ) -> GrayImage {
    let wide = view.width + 2 * border
    return GrayImage(width: wide, height: view.height + 2 * border) { pixels in
      guard let target = pixels.baseAddress else { return }
      if border > 0 { pixels.update(repeating: .max) }
      let side = Self.side
      for y in 0..<view.height {
        let source = view.row(y)
        let first = (y &+ border) &* wide &+ border
        let row = target + first
        let line = min(y / side, rows &- 1) &* columns
        var x = 0
        for bx in 0..<columns {
          let level = levels[line &+ bx]
          let end = bx &+ 1 == columns ? view.width : x &+ side
          while x < end {
            row[x] = tone(source[x], level)
            x &+= 1
          }
        }
      }
    }
  }
}
