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
  ///   - goesOn: told of every edge as it is found, as a distance from the start; the line ends with the edge for which it says false.
  ///     Hardly anything beyond it is sampled.
  init(
    _ view: ImageView, from a: Point2, to b: Point2, window: Double,
    while goesOn: (Double) -> Bool = { _ in true }
  ) {
    let length = a.distance(to: b)
    start = a
    direction = length > 0 ? (b - a) / length : Point2(1, 0)
    guard length >= 8, length < 100_000 else { return }
    let step = 0.5
    let count = Int(length / step)
    // The darkest and the lightest of blocks, so that a window costs the same whatever its size.
    let block = max(1, max(2, Int(window / step)) / 2)
    let samples = Samples(view, from: a, to: b, direction, step: step)
    edges = withUnsafeTemporaryAllocation(of: Int32.self, capacity: count + 2 * ((count + block - 1) / block)) {
      room in
      Self.edges(samples, count: count, block: block, in: room, while: goesOn)
    }
  }

  /// Lines of less contrast show nothing, in gray levels.
  private static let least: Int32 = 16

  /// - Parameters:
  ///   - count: the number of samples.
  ///   - block: how many of them make a block.
  ///   - room: for every sample, and for two numbers of every block.
  private static func edges(
    _ samples: Samples, count: Int, block: Int, in room: UnsafeMutableBufferPointer<Int32>,
    while goesOn: (Double) -> Bool
  ) -> [Double] {
    let blocks = (count + block - 1) / block
    let (low, high) = (count, count + blocks)
    var sampled = 0
    var edges: [Double] = []
    var dark = false
    // How much lighter than the level the sample before is, twice; where there is no contrast it is light.
    var previous: Int32 = 0
    let light: Int32 = 2 << Samples.bits
    for b in 0..<blocks {
      // A block's level is that of it and two blocks to either side.
      while sampled <= min(blocks - 1, b + 2) {
        let range = (sampled * block)..<min(count, (sampled + 1) * block)
        samples.fill(range, of: room)
        var (l, h) = (Int32.max, Int32(0))
        for i in range {
          l = min(l, room[i])
          h = max(h, room[i])
        }
        (room[low + sampled], room[high + sampled]) = (l, h)
        sampled += 1
      }
      var (l, h) = (Int32.max, Int32(0))
      for n in max(0, b - 2)...min(blocks - 1, b + 2) {
        l = min(l, room[low + n])
        h = max(h, room[high + n])
      }
      let isFlat = h &- l < least << Samples.bits
      let end = min(count, (b + 1) * block)
      var i = b * block
      while true {
        // To the next change.
        let first = i
        if isFlat { i = dark ? i : end } else { while i < end, (2 &* room[i] < l &+ h) == dark { i &+= 1 } }
        if i > first { previous = isFlat ? light : 2 &* room[i &- 1] &- (l &+ h) }
        guard i < end else { break }
        let excess = isFlat ? light : 2 &* room[i] &- (l &+ h)
        dark.toggle()
        let share = Double(abs(excess)) / max(1e-9, Double(abs(excess)) + Double(abs(previous)))
        let edge = (Double(i) - (i > 0 ? share : 0)) * samples.step
        edges.append(edge)
        if !goesOn(edge) { return edges }
        previous = excess
        i &+= 1
      }
    }
    // An element that is dark to the end of the picture ends there.
    if dark {
      edges.append(Double(count) * samples.step)
      _ = goesOn(Double(count) * samples.step)
    }
    return edges
  }

  /// The brightness along a line, every half pixel, in gray levels times 2^`bits`.
  private struct Samples {
    /// Twice a sample is a whole number of 32 bits.
    static let bits = 21
    let view: ImageView
    let start: Point2
    let direction: Point2
    let step: Double
    /// The row whose pixels are the samples, and the means of two of them those between; `nil` for any other line.
    private let row: Int?
    /// True if all samples have four pixels of the picture around them.
    private let isInside: Bool

    init(_ view: ImageView, from start: Point2, to end: Point2, _ direction: Point2, step: Double) {
      (self.view, self.start, self.direction, self.step) = (view, start, direction, step)
      let isRow = start == [0, end.y.rounded()] && view.holds(row: start.y, to: end.x)
      row = isRow && start.y == end.y ? Int(start.y) : nil
      isInside = [start, end].allSatisfy { p in
        // A little less, as places along the line are rounded.
        p.x >= 0.01 && p.y >= 0.01 && p.x < Double(view.width) - 1.01 && p.y < Double(view.height) - 1.01
      }
    }

    func fill(_ range: Range<Int>, of values: UnsafeMutableBufferPointer<Int32>) {
      if let row {
        let pixels = view.row(row)
        for i in range {
          let x = i >> 1
          values[i] = (Int32(pixels[x]) &+ Int32(pixels[x &+ (i & 1)])) &<< 20
        }
      } else if isInside {
        // Places have 32 bits behind the point, of which eleven weigh pixels.
        let one = 4_294_967_296.0
        let (dx, dy) = (Int(direction.x * step * one), Int(direction.y * step * one))
        var (x, y) = (Int(start.x * one) &+ range.lowerBound &* dx, Int(start.y * one) &+ range.lowerBound &* dy)
        for i in range {
          let (fx, fy) = ((x >> 21) & 2047, (y >> 21) & 2047)
          let value = Bilinear.fixed(view.row(y >> 32) + (x >> 32), stride: view.stride, fx: fx, fy: fy, bits: 11)
          values[i] = Int32(truncatingIfNeeded: value >> 1)
          x &+= dx
          y &+= dy
        }
      } else {
        let one = Double(1 << Self.bits)
        for i in range { values[i] = Int32(view.sample(start + direction * (Double(i) * step)) * one) }
      }
    }
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
