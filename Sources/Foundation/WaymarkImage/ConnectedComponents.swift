/// Flood fill on a grid. A cell that was reached is not entered again, even by later floods. `ComponentLabels` below
/// labels all components of a mask.
@usableFromInline
package struct FloodFill: Sendable {
  /// A cell of the grid.
  @usableFromInline
  package struct Place: Sendable {
    @usableFromInline package let x: Int
    @usableFromInline package let y: Int
    /// The index of the cell, row by row.
    @usableFromInline package let index: Int

    @inlinable
    package init(x: Int, y: Int, index: Int) {
      self.x = x
      self.y = y
      self.index = index
    }
  }

  /// The cells adjacent to a cell.
  @usableFromInline
  package enum Neighbours: Sendable {
    /// The four cells that share a side with a cell.
    case four
    /// All cells of the square that extends this far to each side of a cell.
    case square(Int)
  }

  /// The decision about a cell that was reached.
  @usableFromInline
  package enum Step: Sendable {
    /// The flood spreads from the cell.
    case spread
    /// The flood does not spread from the cell.
    case halt
    /// The flood ends.
    case end
  }

  /// The reason for the end of a flood.
  @usableFromInline
  package enum Outcome: Sendable {
    /// All reachable cells were visited.
    case filled
    /// `visit` returned `end`.
    case ended
    /// The flood reached the border of the grid, and `endsAtBorder` was true.
    case left
  }

  @usableFromInline package let width: Int
  @usableFromInline package let height: Int
  /// True for each cell that was reached, row by row.
  package var isReached: [Bool] { reached }
  @usableFromInline var reached: [Bool]
  @usableFromInline var waiting: [Place] = []

  /// Creates a grid without reached cells.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    reached = [Bool](repeating: false, count: width * height)
  }

  /// Adds a cell where the next flood begins.
  ///
  /// - Returns: false if the cell was reached before.
  @inlinable @discardableResult
  package mutating func begin(x: Int, y: Int) -> Bool {
    let index = y &* width &+ x
    guard !reached[index] else { return false }
    reached[index] = true
    waiting.append(Place(x: x, y: y, index: index))
    return true
  }

  /// Floods from the cells added by `begin`.
  ///
  /// - Parameters:
  ///   - endsAtBorder: true to end the flood when a neighbour of a cell is outside the grid.
  ///   - enters: returns true if the flood spreads from a cell to a neighbour that was not reached yet.
  ///   - visit: called once with each cell that is reached.
  @inlinable @discardableResult
  package mutating func run(
    _ neighbours: Neighbours = .four, endsAtBorder: Bool = false, enters: (_ from: Place, _ to: Place) -> Bool,
    visit: (Place) -> Step = { _ in .spread }
  ) -> Outcome {
    while let place = waiting.popLast() {
      switch visit(place) {
      case .spread: break
      case .halt: continue
      case .end:
        waiting.removeAll(keepingCapacity: true)
        return .ended
      }
      switch neighbours {
      case .four:
        if endsAtBorder, place.x == 0 || place.y == 0 || place.x == width &- 1 || place.y == height &- 1 {
          waiting.removeAll(keepingCapacity: true)
          return .left
        }
        if place.x > 0 { tryNext(place, x: place.x &- 1, y: place.y, enters) }
        if place.x &+ 1 < width { tryNext(place, x: place.x &+ 1, y: place.y, enters) }
        if place.y > 0 { tryNext(place, x: place.x, y: place.y &- 1, enters) }
        if place.y &+ 1 < height { tryNext(place, x: place.x, y: place.y &+ 1, enters) }
      case .square(let reach):
        if endsAtBorder, min(place.x, place.y) < reach || place.x + reach >= width || place.y + reach >= height {
          waiting.removeAll(keepingCapacity: true)
          return .left
        }
        for y in max(0, place.y - reach)...min(height - 1, place.y + reach) {
          for x in max(0, place.x - reach)...min(width - 1, place.x + reach) { tryNext(place, x: x, y: y, enters) }
        }
      }
    }
    return .filled
  }

  @inlinable @inline(__always)
  mutating func tryNext(_ from: Place, x: Int, y: Int, _ enters: (Place, Place) -> Bool) {
    let next = Place(x: x, y: y, index: y &* width &+ x)
    guard !reached[next.index], enters(from, next) else { return }
    reached[next.index] = true
    waiting.append(next)
  }
}

// MARK: - Connected components

/// Labels the connected components of a mask, as runs of pixels in rows (A. Rosenfeld, J. Pfaltz, "Sequential operations in digital
/// picture processing", 1966). Reuses its memory for the next mask.
@usableFromInline
package struct ComponentLabels: Sendable {
  /// Consecutive pixels of a row in one component.
  @usableFromInline
  package struct Run: Sendable {
    @usableFromInline package var y: Int32
    @usableFromInline package var from: Int32
    /// The end of the run, exclusive.
    @usableFromInline package var to: Int32
    /// The index of the component; components are numbered by their first pixels, row by row.
    @usableFromInline package var component: Int32

    @usableFromInline
    init(y: Int32, from: Int32, to: Int32, component: Int32) {
      self.y = y
      self.from = from
      self.to = to
      self.component = component
    }
  }

  /// The runs, from left to right, row by row.
  package var runs: [Run] { found }
  /// The number of components.
  @usableFromInline package private(set) var count = 0
  @usableFromInline var found: [Run] = []

  package init() {}

  /// Finds the components of a mask.
  ///
  /// - Parameters:
  ///   - isEightConnected: true if pixels that share only a corner are connected.
  ///   - isSet: returns true if the pixel at an index, row by row, belongs to the mask.
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
          // A union-find forest. Until `number` is called, `component` is the index of an earlier run of the same component, or of
          // the run itself.
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

  /// Returns the root of a run in the union-find forest: the first of the runs known to be connected with it.
  @usableFromInline
  mutating func root(_ index: Int) -> Int {
    var i = index
    while Int(found[i].component) != i {
      found[i].component = found[Int(found[i].component)].component
      i = Int(found[i].component)
    }
    return i
  }

  /// Sets `component` of each run to the number of its component, counted by first runs.
  @usableFromInline
  mutating func number() {
    count = 0
    for i in found.indices {
      // The first run of a component precedes all its other runs, which read the component's number there.
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
