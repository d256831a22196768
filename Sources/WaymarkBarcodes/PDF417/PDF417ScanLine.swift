import WaymarkGeometry
import WaymarkImage

/// The edges between dark and light along a line through a picture, between pixels.
struct PDF417ScanLine {
  /// Distances from the start of the line, in pixels; the first edge is that to dark.
  private(set) var edges: [Double] = []
  let start: Point2
  let direction: Point2

  /// - Parameters:
  ///   - window: the level between dark and light is the middle between the darkest and the lightest within so many pixels
  ///     to either side.
  ///   - across: how many pixels to either side the line is averaged over.
  init(_ view: ImageView, from a: Point2, to b: Point2, window: Double, across: Double = 0) {
    let length = a.distance(to: b)
    start = a
    direction = length > 0 ? (b - a) / length : Point2(1, 0)
    guard length >= 8, length < 100_000 else { return }
    let step = 0.5
    let count = Int(length / step)
    let upright = Point2(-direction.y, direction.x)
    let lanes: [Double] = across >= 1 ? [-across, 0, across] : [0]
    let reach = max(2, Int(window / step))
    // The darkest and the lightest of blocks, so that a window costs the same whatever its size.
    let block = max(1, reach / 2)
    let blocks = (count + block - 1) / block
    let isRow = lanes.count == 1 && a == [0, a.y.rounded()] && b.y == a.y && view.holds(row: a.y, to: b.x)
    let values = [Double](unsafeUninitializedCapacity: count) { values, filled in
      if isRow {
        // A row from its beginning has its samples in pixels and half way between.
        let row = view.row(Int(a.y))
        for i in 0..<count {
          let x = i >> 1
          values[i] = i & 1 == 0 ? Double(row[x]) : (Double(row[x]) + Double(row[x + 1])) / 2
        }
      } else {
        for i in 0..<count {
          let p = a + direction * (Double(i) * step)
          var sum = 0.0
          for lane in lanes { sum += view.sample(p + upright * lane) }
          values[i] = sum / Double(lanes.count)
        }
      }
      filled = count
    }
    var low = [Double](repeating: 255, count: blocks)
    var high = [Double](repeating: 0, count: blocks)
    for b in 0..<blocks {
      for i in (b * block)..<min(count, (b + 1) * block) {
        low[b] = min(low[b], values[i])
        high[b] = max(high[b], values[i])
      }
    }
    var dark = false
    var previous = 0.0
    for b in 0..<blocks {
      var (l, h) = (255.0, 0.0)
      for n in max(0, b - 2)...min(blocks - 1, b + 2) {
        l = min(l, low[n])
        h = max(h, high[n])
      }
      // Where there is no contrast it is light.
      let isFlat = h - l < 16
      let level = (l + h) / 2
      for i in (b * block)..<min(count, (b + 1) * block) {
        let excess = isFlat ? 1 : values[i] - level
        if (excess < 0) != dark {
          dark.toggle()
          let share = abs(excess) / max(1e-9, abs(excess) + abs(previous))
          edges.append((Double(i) - (i > 0 ? share : 0)) * step)
        }
        previous = excess
      }
    }
    // An element that is dark to the end of the picture ends there.
    if dark { edges.append(Double(count) * step) }
  }

  /// The widths of the runs between edges; run 0 is dark.
  var widths: [Double] { zip(edges, edges.dropFirst()).map { $1 - $0 } }

  func place(_ edge: Int) -> Point2 { start + direction * edges[edge] }
}

extension ImageView {
  /// Returns whether a row, given as a number without a fraction, and all of it up to some place lie inside.
  fileprivate func holds(row y: Double, to x: Double) -> Bool {
    y >= 0 && y < Double(height) && x >= 0 && x <= Double(width - 1)
  }
}
