/// The sums of all values above and to the left of each place (F. Crow, "Summed-area tables for texture mapping", 1984): the sum over any
/// rectangle takes four of them.
@usableFromInline
package struct IntegralImage<Sum: AdditiveArithmetic & Sendable>: Sendable {
  @usableFromInline package let width: Int
  @usableFromInline package let height: Int
  /// One row and one column more than the picture has.
  @usableFromInline let sums: [Sum]

  /// - Parameter value: the value at a place; asked row by row. `Sum` must hold the sum of all.
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

  /// The sum over the columns `x` and the rows `y`, which lie in the picture.
  @inlinable
  package func sum(x: Range<Int>, y: Range<Int>) -> Sum {
    let line = width + 1
    let (top, bottom) = (y.lowerBound * line, y.upperBound * line)
    return sums[bottom + x.upperBound] - sums[top + x.upperBound] - sums[bottom + x.lowerBound]
      + sums[top + x.lowerBound]
  }

  /// The sum over what lies in the picture no further than `reach` from a place, across and down, and how many values these are.
  @inlinable
  package func window(_ x: Int, _ y: Int, reach: Int) -> (sum: Sum, count: Int) {
    let columns = max(0, x - reach)..<min(width, x + reach + 1)
    let rows = max(0, y - reach)..<min(height, y + reach + 1)
    return (sum(x: columns, y: rows), columns.count * rows.count)
  }
}
