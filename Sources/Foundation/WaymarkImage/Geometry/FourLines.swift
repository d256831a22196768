/// The quadrilaterals that four of several lines make.
///
/// It only enumerates: which lines may meet at a corner, how well a side is seen and which quadrilateral counts is decided by whoever asks.
@usableFromInline
package struct FourLines: Sendable {
  /// Four lines, each crossing the next one, and the last the first.
  @usableFromInline
  package struct Found: Sendable {
    /// The indices of the lines that make the top, right, bottom and left side of `corners`, in this order.
    @usableFromInline package var lines: SIMD4<Int>
    @usableFromInline package var corners: Quadrilateral
    /// The sum of what `side` gave for the four sides.
    @usableFromInline package var support: Double

    @usableFromInline
    init(lines: SIMD4<Int>, corners: Quadrilateral, support: Double) {
      self.lines = lines
      self.corners = corners
      self.support = support
    }
  }

  /// The corner where one line ends and the next one begins, row by row; not finite where there is none.
  @usableFromInline let corners: [Point2]
  @usableFromInline let count: Int

  /// - Parameters:
  ///   - count: how many lines there are.
  ///   - corner: where the first line is followed by the second one, clockwise; `nil` where it cannot be. Lines without a direction cross
  ///     either way alike.
  @inlinable
  package init(count: Int, corner: (Int, Int) -> Point2?) {
    self.count = count
    var corners = [Point2](repeating: Point2(.nan, .nan), count: count * count)
    for i in 0..<count {
      for k in 0..<count where k != i {
        if let p = corner(i, k) { corners[i * count + k] = p }
      }
    }
    self.corners = corners
  }

  /// Calls `body` with each quadrilateral: once, where its lines follow each other either way alike.
  ///
  /// - Parameters:
  ///   - isDirected: true if lines follow each other one way only.
  ///   - side: how well the stretch of a line between the corners with two others is seen; `nil` where it is not a side.
  @inlinable
  package func forEach(
    isDirected: Bool, side: (_ line: Int, _ from: Int, _ to: Int) -> Double?, _ body: (Found) -> Void
  ) {
    let n = count
    guard n >= 4 else { return }
    // Lines that lead from `i` to `j`, and from there back.
    var (there, back) = ([(line: Int, support: Double)](), [(line: Int, support: Double)]())
    corners.withUnsafeBufferPointer { corners in
      @inline(__always) func isCorner(_ a: Int, _ b: Int) -> Bool { corners[a &* n &+ b].x == corners[a &* n &+ b].x }
      for i in 0..<(n - 1) {
        for j in (i + 1)..<n {
          there.removeAll(keepingCapacity: true)
          back.removeAll(keepingCapacity: true)
          // `i` is the line of the lowest index, so that each four come once.
          for k in (i + 1)..<n where k != j {
            if isCorner(i, k), isCorner(k, j), let support = side(k, i, j) { there.append((k, support)) }
            if isDirected, isCorner(j, k), isCorner(k, i), let support = side(k, j, i) { back.append((k, support)) }
          }
          let closing = isDirected ? back : there
          for x in closing.indices {
            let d = closing[x]
            for y in (isDirected ? 0 : x + 1)..<there.count {
              let b = there[y]
              guard d.line != b.line, let first = side(i, d.line, b.line), let third = side(j, b.line, d.line) else {
                continue
              }
              body(
                Found(
                  lines: SIMD4(i, b.line, j, d.line),
                  corners: Quadrilateral(
                    topLeft: corners[d.line &* n &+ i], topRight: corners[i &* n &+ b.line],
                    bottomRight: corners[b.line &* n &+ j], bottomLeft: corners[j &* n &+ d.line]),
                  support: b.support + d.support + first + third))
            }
          }
        }
      }
    }
  }
}
