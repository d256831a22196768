import WaymarkImage

/// An alternating side of a Data Matrix symbol, opposite to the L. `DataMatrixTimingSearch` below looks for it, and
/// `DataMatrixSpacing` has the widths of columns and rows that two such sides show.
struct DataMatrixTiming {
  /// The points of the changes between dark and light, in pixels; the first is at the inner edge of the L.
  var changes: [Point2]

  /// The number of modules, including the last one, which is light like the surroundings.
  var modules: Int { changes.count + 1 }
}

// MARK: - Spacing

/// The starts of columns and rows of different widths, as on paper that was fed unevenly through its printer.
struct DataMatrixSpacing {
  /// The position of each line between columns, in modules of a map with even columns; `rows` has the positions of the lines
  /// between rows.
  private let columns: [Double]
  private let rows: [Double]

  /// - Parameter map: the map from modules to pixels for even modules.
  /// - Returns: `nil` if the alternating sides do not show every module.
  init?(_ size: DataMatrixSize, _ map: Homography, _ search: DataMatrixTimingSearch) {
    let (columns, rows) = (Double(size.columns), Double(size.rows))
    func lines(_ count: Double, _ place: (_ along: Double, _ aside: Double) -> Point2) -> [Double]? {
      for aside in [0.5, 0.3, 0.7] {
        let lines = [0] + search.changes(upTo: count) { map.apply(place($0, aside)) } + [count]
        let isEach = lines.enumerated().allSatisfy { i, line in
          abs(line - Double(i)) < 1 + 0.15 * count && (i == 0 || line - lines[i - 1] > 0.3)
        }
        if lines.count == Int(count) + 1, isEach { return lines }
      }
      return nil
    }
    guard let across = lines(columns, { [$0, $1] }), let down = lines(rows, { [columns - $1, $0] }) else { return nil }
    (self.columns, self.rows) = (across, down)
  }

  func place(_ x: Double, _ y: Double) -> Point2 { [Self.place(columns, x), Self.place(rows, y)] }

  private static func place(_ lines: [Double], _ value: Double) -> Double {
    let i = min(max(0, Int(value)), lines.count - 2)
    return lines[i] + (lines[i + 1] - lines[i]) * (value - Double(i))
  }
}

// MARK: - Search

/// Looks for the timing patterns of a symbol whose L is known.
struct DataMatrixTimingSearch {
  let view: ImageView
  let levels: BlockMean
  let inverted: Bool

  /// The number of rounds in which the points along a border are sampled.
  private static let turns = 4

  /// Returns the thickness of the dark stroke along a border, in pixels, from the points with light behind the stroke: there it is
  /// one module thick. `nil` if there is light behind it at less than a quarter of the points.
  ///
  /// - Parameters:
  ///   - places: points along the border, if it is not straight; otherwise empty.
  ///   - inward: the unit vector into the symbol.
  func thickness(from a: Point2, to b: Point2, along places: [Point2], inward: Point2) -> Double? {
    let length = a.distance(to: b)
    let samples = places.isEmpty ? min(120, max(16, Int(length / 1.5))) : places.count
    let most = length / 5
    /// Returns the depth of the dark area at a point on the border, to a quarter of a pixel; `nil` if it is light at once,
    /// or dark throughout.
    func depth(_ p: Point2) -> Double? {
      var depth = 0.5
      guard isDark(p + inward * depth) else { return nil }
      repeat { depth += 0.5 } while depth < most && isDark(p + inward * depth)
      if !isDark(p + inward * (depth - 0.25)) { depth -= 0.25 }
      return depth < most ? depth : nil
    }
    var found: [Double] = []
    // If hardly a point of the first round has light behind the stroke, there is nothing to measure.
    for first in 0..<Self.turns {
      for i in stride(from: first, to: samples, by: Self.turns) {
        let p = places.isEmpty ? a + (b - a) * (0.05 + 0.9 * Double(i) / Double(samples - 1)) : places[i]
        if let depth = depth(p) { found.append(depth) }
      }
      if first == 0, found.count < samples / 32 { return nil }
    }
    guard found.count >= samples / 4 else { return nil }
    found.sort()
    return found[found.count / 5]
  }

  /// Returns the longest and most even timing pattern that starts at the end of one side of the L; `nil` without a pattern.
  ///
  /// - Parameters:
  ///   - end: the end of the side of the L; the pattern starts at its inner edge.
  ///   - back: the vector of one module from this end along the side towards the corner, in pixels.
  ///   - along: the vector of one module in the approximate direction of the pattern, in pixels.
  ///   - length: the approximate length of the pattern, in pixels.
  ///   - isShaded: true if the light modules are as dark as the local mean, so that the threshold is computed from the
  ///     darkest and the lightest samples along the line.
  func pattern(
    from end: Point2, back: Point2, along: Point2, length: Double, isShaded: Bool = false
  ) -> DataMatrixTiming? {
    var best: (timing: DataMatrixTiming, quality: Double)?
    let module = along.length
    let step = 0.3 * module / max(length, module)
    let fan = min(isShaded ? 24 : 60, Int(0.5 / max(0.004, step)))
    for offset in [0.5, 0.3, 0.7] {
      let origin = end + back * offset
      for i in -fan...fan {
        var direction = along + back * (Double(i) * step)
        direction /= direction.length
        let walked =
          isShaded
          ? runs(origin, direction, module: module, most: 1.4 * length)
          : walk(origin, direction, module: module, most: 2.2 * length)
        guard let found = walked else { continue }
        let quality = Double(found.timing.modules) * (1 - found.irregularity)
        if quality > best?.quality ?? 0 { best = (found.timing, quality) }
      }
    }
    return best?.timing
  }

  /// Returns alternating runs along a line, up to the first whose length differs much from the preceding runs, and their
  /// irregularity from 0 to 0.9; `nil` if there are fewer than five runs.
  private func walk(
    _ origin: Point2, _ direction: Point2, module: Double, most: Double
  ) -> (timing: DataMatrixTiming, irregularity: Double)? {
    var changes: [Point2] = []
    var (last, expected, irregular) = (0.0, module, 0.0)
    var dark = true
    let step = min(1, module / 6)
    var t = 0.3 * module
    guard isDark(origin + direction * t) else { return nil }
    var previous = excess(origin + direction * t)
    while t < most {
      t += step
      let value = excess(origin + direction * t)
      if (value < 0) != dark {
        // The edge between two samples is interpolated linearly.
        let at = t - step * abs(value) / max(1e-9, abs(value) + abs(previous))
        let ratio = (at - last) / expected
        guard ratio > 0.4, ratio < 1.8 else { break }
        irregular += abs(ratio - 1)
        changes.append(origin + direction * at)
        last = at
        dark.toggle()
        // The pitch is computed from pairs of runs, because ink spread makes dark runs longer and light runs shorter.
        if changes.count >= 3 {
          let pair = (at - (changes[changes.count - 3] - origin).dot(direction)) / 2
          expected = 0.6 * expected + 0.4 * pair
        }
      } else if t - last > 1.9 * expected {
        break
      }
      previous = value
    }
    // The pattern ends with a dark module.
    if dark == false, changes.count.isMultiple(of: 2) { changes.removeLast() }
    if changes.count.isMultiple(of: 2), !changes.isEmpty { changes.removeLast() }
    guard changes.count >= 5 else { return nil }
    return (DataMatrixTiming(changes: changes), min(0.9, irregular / Double(changes.count)))
  }

  /// Returns alternating runs like `walk`, with the threshold in the middle between the darkest and the lightest samples
  /// near by; `nil` also for a symbol light on dark.
  private func runs(
    _ origin: Point2, _ direction: Point2, module: Double, most: Double
  ) -> (timing: DataMatrixTiming, irregularity: Double)? {
    guard !inverted else { return nil }
    let first = 0.3 * module
    var changes: [Double] = []
    var (isFirst, expected, irregular) = (true, module, 0.0)
    _ = ScanLine(
      view, from: origin + direction * first, to: origin + direction * most, window: 2.2 * module
    ) { edge in
      if isFirst {
        isFirst = false
        return edge < 0.5 * module
      }
      let at = first + edge
      let ratio = (at - (changes.last ?? 0)) / expected
      guard ratio > 0.4, ratio < 1.8 else { return false }
      irregular += abs(ratio - 1)
      changes.append(at)
      if changes.count >= 3 { expected = 0.6 * expected + 0.2 * (at - changes[changes.count - 3]) }
      return true
    }
    if changes.count.isMultiple(of: 2), !changes.isEmpty { changes.removeLast() }
    guard changes.count >= 5 else { return nil }
    let timing = DataMatrixTiming(changes: changes.map { origin + direction * $0 })
    return (timing, min(0.9, irregular / Double(changes.count)))
  }

  /// Returns the parameters, from 0 to `count`, at which the tone changes along a path.
  func changes(upTo count: Double, _ place: (Double) -> Point2) -> [Double] {
    var changes: [Double] = []
    var previous = excess(place(0.3))
    for t in stride(from: 0.4, through: count - 0.3, by: 0.1) {
      let value = excess(place(t))
      if (value < 0) != (previous < 0) {
        changes.append(t - 0.1 * abs(value) / max(1e-9, abs(value) + abs(previous)))
      }
      previous = value
    }
    return changes
  }

  /// Returns the difference between the gray level at a point and the local threshold; negative if the point has the tone of
  /// the L.
  @inline(__always)
  func excess(_ p: Point2) -> Double {
    let isInside = p.x >= 0 && p.y >= 0 && p.x < Double(view.width &- 1) && p.y < Double(view.height &- 1)
    let x = isInside ? Int(p.x) : min(max(0, Int(p.x)), view.width - 1)
    let y = isInside ? Int(p.y) : min(max(0, Int(p.y)), view.height - 1)
    let level = levels[min(x / BlockMean.side, levels.columns - 1), min(y / BlockMean.side, levels.rows - 1)]
    let value = (isInside ? view.bilinear(inside: p) : view.sample(p)) - (Double(level) + 0.5)
    return inverted ? -value : value
  }

  @inline(__always)
  func isDark(_ p: Point2) -> Bool { excess(p) < 0 }
}
