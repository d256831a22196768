// Sums over squares (`BoxSum`) and over any rectangle (`IntegralImage`).

/// A number or a vector of numbers that can be summed. The standard library has no protocol for both.
@usableFromInline
package protocol Summable {
  static var zero: Self { get }
  func plus(_ other: Self) -> Self
  func minus(_ other: Self) -> Self
}

extension Float: Summable {
  @inlinable @inline(__always) package func plus(_ other: Float) -> Float { self + other }
  @inlinable @inline(__always) package func minus(_ other: Float) -> Float { self - other }
}

extension SIMD4<Float>: Summable {
  @inlinable @inline(__always) package func plus(_ other: Self) -> Self { self + other }
  @inlinable @inline(__always) package func minus(_ other: Self) -> Self { self - other }
}

/// Sums over squares of elements: a box blur before division by the number of elements. The border is repeated.
@usableFromInline
package enum BoxSum {
  /// Writes the sums of `values` over squares of 2·`radius` + 1 elements a side to `target`; `scratch` is overwritten. The three buffers
  /// have `width` × `height` values and do not overlap.
  @inlinable
  package static func sum<T: Summable>(
    _ values: UnsafePointer<T>, into target: UnsafeMutablePointer<T>, scratch: UnsafeMutablePointer<T>, width: Int,
    height: Int, radius: Int
  ) {
    guard width > 0, height > 0 else { return }
    for y in 0..<height { across(values + y &* width, into: scratch + y &* width, width, radius) }
    // The vertical sums are computed a row at a time: the sums of the row above, plus the entering row, minus the
    // leaving row.
    if radius == 1 {
      for y in 0..<height {
        let (above, here) = (scratch + max(0, y &- 1) &* width, scratch + y &* width)
        let (below, out) = (scratch + min(height &- 1, y &+ 1) &* width, target + y &* width)
        for x in 0..<width { out[x] = above[x].plus(here[x]).plus(below[x]) }
      }
      return
    }
    for x in 0..<width { target[x] = .zero }
    for k in -radius...radius {
      let row = scratch + min(max(k, 0), height &- 1) &* width
      for x in 0..<width { target[x] = target[x].plus(row[x]) }
    }
    for y in 1..<max(1, height) {
      let (before, out) = (target + (y &- 1) &* width, target + y &* width)
      let next = scratch + min(y &+ radius, height &- 1) &* width
      let last = scratch + max(y &- radius &- 1, 0) &* width
      for x in 0..<width { out[x] = before[x].plus(next[x].minus(last[x])) }
    }
  }

  @inlinable
  static func across<T: Summable>(
    _ row: UnsafePointer<T>, into out: UnsafeMutablePointer<T>, _ width: Int, _ radius: Int
  ) {
    if radius == 1, width > 1 {
      out[0] = row[0].plus(row[0]).plus(row[1])
      for x in 1..<(width &- 1) { out[x] = row[x &- 1].plus(row[x]).plus(row[x &+ 1]) }
      out[width &- 1] = row[width &- 2].plus(row[width &- 1]).plus(row[width &- 1])
      return
    }
    var sum = T.zero
    for k in -radius...radius { sum = sum.plus(row[min(max(k, 0), width &- 1)]) }
    for x in 0..<width {
      out[x] = sum
      sum = sum.plus(row[min(x &+ radius &+ 1, width &- 1)].minus(row[max(x &- radius, 0)]))
    }
  }

  /// Returns the sums over squares of 2·`radius` + 1 elements a side.
  @inlinable
  package static func sums<T: Summable>(of values: [T], width: Int, height: Int, radius: Int) -> [T] {
    precondition(values.count == width * height && radius >= 0)
    var (target, scratch) = (values, values)
    values.withUnsafeBufferPointer { values in
      target.withUnsafeMutableBufferPointer { target in
        scratch.withUnsafeMutableBufferPointer { scratch in
          guard let values = values.baseAddress, let target = target.baseAddress, let scratch = scratch.baseAddress
          else { return }
          sum(values, into: target, scratch: scratch, width: width, height: height, radius: radius)
        }
      }
    }
    return target
  }
}

/// The sums of all values above and to the left of each element (F. Crow, "Summed-area tables for texture mapping", 1984). The sum
/// over any rectangle follows from four of them.
@usableFromInline
package struct IntegralImage<Sum: AdditiveArithmetic & Sendable>: Sendable {
  @usableFromInline package let width: Int
  @usableFromInline package let height: Int
  /// The sums, with one row and one column more than the picture.
  @usableFromInline let sums: [Sum]

  /// - Parameter value: returns the value of an element; called row by row. `Sum` must be able to represent the sum of all values.
  @inlinable
  package init(width: Int, height: Int, _ value: (_ x: Int, _ y: Int) -> Sum) {
    self.width = width
    self.height = height
    let line = width + 1
    var sums = [Sum](repeating: .zero, count: line * (height + 1))
    sums.withUnsafeMutableBufferPointer { sums in
      for y in 0..<height {
        var row = Sum.zero
        for x in 0..<width {
          row += value(x, y)
          sums[(y &+ 1) &* line &+ x &+ 1] = sums[y &* line &+ x &+ 1] + row
        }
      }
    }
    self.sums = sums
  }

  /// Returns the sum over the columns `x` and the rows `y`, which must be inside the picture.
  @inlinable
  package func sum(x: Range<Int>, y: Range<Int>) -> Sum {
    let line = width + 1
    let (top, bottom) = (y.lowerBound * line, y.upperBound * line)
    return sums[bottom + x.upperBound] - sums[top + x.upperBound] - sums[bottom + x.lowerBound]
      + sums[top + x.lowerBound]
  }

  /// Returns the sum and the number of the values in the square of 2·`reach` + 1 elements a side around (x, y), clipped to the picture.
  @inlinable
  package func window(_ x: Int, _ y: Int, reach: Int) -> (sum: Sum, count: Int) {
    let columns = max(0, x - reach)..<min(width, x + reach + 1)
    let rows = max(0, y - reach)..<min(height, y + reach + 1)
    return (sum(x: columns, y: rows), columns.count * rows.count)
  }
}
