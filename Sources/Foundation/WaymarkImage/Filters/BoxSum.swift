/// What sums over squares are made of: numbers and vectors of numbers, for which the standard library has no protocol in common.
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

/// Sums over squares of places: a box blur, to be divided by the number of places. Beyond the border values go on as they end.
@usableFromInline
package enum BoxSum {
  /// `target` = the sums over 2·`radius`+1 places across and down of `values`; `scratch` is overwritten. All three have `width` × `height`
  /// values, and none is another one.
  @inlinable
  package static func sum<T: Summable>(
    _ values: UnsafePointer<T>, into target: UnsafeMutablePointer<T>, scratch: UnsafeMutablePointer<T>, width: Int,
    height: Int, radius: Int
  ) {
    guard width > 0, height > 0 else { return }
    for y in 0..<height { across(values + y &* width, into: scratch + y &* width, width, radius) }
    // Down, a row at a time: each row's sums are those of the row above, plus a row and less one.
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

  /// The sums over 2·`radius`+1 places across and down.
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
