/// The connected areas of a mask, as runs of pixels in rows that touch (A. Rosenfeld, J. Pfaltz, "Sequential operations in digital picture
/// processing", 1966). Keeps its memory from mask to mask.
@usableFromInline
package struct ComponentLabels: Sendable {
  /// Pixels of a row that belong to one area.
  @usableFromInline
  package struct Run: Sendable {
    @usableFromInline package var y: Int32
    @usableFromInline package var from: Int32
    /// Behind the last pixel.
    @usableFromInline package var to: Int32
    /// The area; areas are counted by their first pixels, row by row.
    @usableFromInline package var component: Int32

    @usableFromInline
    init(y: Int32, from: Int32, to: Int32, component: Int32) {
      self.y = y
      self.from = from
      self.to = to
      self.component = component
    }
  }

  /// From left to right, row by row.
  package var runs: [Run] { found }
  /// How many areas there are.
  @usableFromInline package private(set) var count = 0
  @usableFromInline var found: [Run] = []

  package init() {}

  /// Finds the areas of a mask.
  ///
  /// - Parameters:
  ///   - isEightConnected: true if pixels that only share a corner touch.
  ///   - isSet: whether a pixel, counted row by row, belongs to the mask.
  @inlinable
  package mutating func label(width: Int, height: Int, isEightConnected: Bool, isSet: (Int) -> Bool) {
    found.removeAll(keepingCapacity: true)
    let reach: Int32 = isEightConnected ? 1 : 0
    var previous = 0..<0
    for y in 0..<height {
      let start = found.count
      let row = y &* width
      var x = 0
      while x < width {
        if isSet(row &+ x) {
          let from = x
          while x < width, isSet(row &+ x) { x &+= 1 }
          // Each is its own area until it touches another one; the area is named by its first run.
          found.append(Run(y: Int32(y), from: Int32(from), to: Int32(x), component: Int32(found.count)))
        } else {
          x &+= 1
        }
      }
      var k = previous.lowerBound
      for i in start..<found.count {
        while k < previous.upperBound, found[k].to &+ reach <= found[i].from { k += 1 }
        var j = k
        while j < previous.upperBound, found[j].from < found[i].to &+ reach {
          let (a, b) = (root(i), root(j))
          if a != b { found[max(a, b)].component = Int32(min(a, b)) }
          j += 1
        }
      }
      previous = start..<found.count
    }
    number()
  }

  /// The first run of the area of a run, as far as it is known.
  @usableFromInline
  mutating func root(_ index: Int) -> Int {
    var i = index
    while Int(found[i].component) != i {
      found[i].component = found[Int(found[i].component)].component
      i = Int(found[i].component)
    }
    return i
  }

  /// Numbers the areas instead of naming them by runs.
  @usableFromInline
  mutating func number() {
    count = 0
    for i in found.indices {
      // The first run of an area stands before the others, which find its number there.
      let first = Int(found[i].component)
      if first == i {
        found[i].component = Int32(count)
        count += 1
      } else {
        found[i].component = found[first].component
      }
    }
  }
}
