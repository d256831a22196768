/// Floods the places of a grid from one to its neighbours; what was reached is not entered again, also by later floods.
@usableFromInline
package struct FloodFill: Sendable {
  /// A place of the grid.
  @usableFromInline
  package struct Place: Sendable {
    @usableFromInline package let x: Int
    @usableFromInline package let y: Int
    /// Row by row.
    @usableFromInline package let index: Int

    @inlinable
    package init(x: Int, y: Int, index: Int) {
      self.x = x
      self.y = y
      self.index = index
    }
  }

  /// The places that are next to one.
  @usableFromInline
  package enum Neighbours: Sendable {
    /// The four that share a side with it.
    case four
    /// All in the square that reaches so far to each side.
    case square(Int)
  }

  /// The step that a flood takes at a place.
  @usableFromInline
  package enum Step: Sendable {
    /// It goes on from there.
    case spread
    /// It goes on elsewhere.
    case halt
    /// It ends.
    case end
  }

  /// How a flood came to its end.
  @usableFromInline
  package enum Outcome: Sendable {
    /// All that can be reached was.
    case filled
    /// A step ended it.
    case ended
    /// It came to the border of the grid, and was to end there.
    case left
  }

  @usableFromInline package let width: Int
  @usableFromInline package let height: Int
  /// True for each place that was reached.
  package var isReached: [Bool] { reached }
  @usableFromInline var reached: [Bool]
  @usableFromInline var waiting: [Place] = []

  /// Nothing is reached.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
    reached = [Bool](repeating: false, count: width * height)
  }

  /// Begins a flood at a place of the grid, besides those where it begins already.
  ///
  /// - Returns: false if the place was reached before.
  @inlinable @discardableResult
  package mutating func begin(x: Int, y: Int) -> Bool {
    let index = y &* width &+ x
    guard !reached[index] else { return false }
    reached[index] = true
    waiting.append(Place(x: x, y: y, index: index))
    return true
  }

  /// Floods from where it begins.
  ///
  /// - Parameters:
  ///   - endsAtBorder: true if it ends once a neighbour of a place lies outside the grid.
  ///   - enters: whether it goes on from one place to a neighbour; asked of neighbours that were not reached yet.
  ///   - visit: called once with each place that is reached.
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
