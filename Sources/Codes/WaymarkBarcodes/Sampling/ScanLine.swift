import WaymarkImage

/// The edges between dark and light along a line through a picture, at subpixel positions.
struct ScanLine {
  /// The distances of the edges from the start of the line, in pixels; the first edge is from light to dark.
  private(set) var edges: [Double] = []
  let start: Point2
  let direction: Point2

  /// Finds the edges from `a` to `b`; none if the line is shorter than eight pixels.
  ///
  /// - Parameters:
  ///   - window: the radius in pixels of the neighbourhood that determines the threshold: the middle between its darkest and its
  ///   lightest sample.
  ///   - continues: receives every edge as it is found, as a distance from the start. If it returns false, this edge is the last, and
  ///   little beyond it is sampled.
  init(
    _ view: ImageView, from a: Point2, to b: Point2, window: Double,
    while continues: (Double) -> Bool = { _ in true }
  ) {
    let length = a.distance(to: b)
    start = a
    direction = length > 0 ? (b - a) / length : Point2(1, 0)
    guard length >= 8, length < 100_000 else { return }
    let step = 0.5
    let count = Int(length / step)
    // The extremes are computed by blocks, so that the cost does not depend on the size of the window.
    let block = max(1, max(2, Int(window / step)) / 2)
    let samples = Samples(view, from: a, to: b, direction, step: step)
    edges = withUnsafeTemporaryAllocation(of: Int32.self, capacity: count + 2 * ((count + block - 1) / block)) {
      room in
      Self.edges(samples, count: count, block: block, in: room, while: continues)
    }
  }

  /// The least contrast of a neighbourhood with edges, in gray levels.
  private static let least: Int32 = 16

  /// - Parameters:
  ///   - count: the number of samples.
  ///   - block: the number of samples per block.
  ///   - room: memory for one number per sample and two numbers per block.
  private static func edges(
    _ samples: Samples, count: Int, block: Int, in room: UnsafeMutableBufferPointer<Int32>,
    while continues: (Double) -> Bool
  ) -> [Double] {
    let blocks = (count + block - 1) / block
    let (low, high) = (count, count + blocks)
    var sampled = 0
    var edges: [Double] = []
    var dark = false
    // Twice the difference of the previous sample to the threshold; without contrast the line is light.
    var previous: Int32 = 0
    let light: Int32 = 2 << Samples.bits
    for b in 0..<blocks {
      // The threshold of a block is taken from it and two blocks on either side.
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
        // Advances to the next change.
        let first = i
        if isFlat { i = dark ? i : end } else { while i < end, (2 &* room[i] < l &+ h) == dark { i &+= 1 } }
        if i > first { previous = isFlat ? light : 2 &* room[i &- 1] &- (l &+ h) }
        guard i < end else { break }
        let excess = isFlat ? light : 2 &* room[i] &- (l &+ h)
        dark.toggle()
        let share = Double(abs(excess)) / max(1e-9, Double(abs(excess)) + Double(abs(previous)))
        let edge = (Double(i) - (i > 0 ? share : 0)) * samples.step
        edges.append(edge)
        if !continues(edge) { return edges }
        previous = excess
        i &+= 1
      }
    }
    // A dark element at the end of the line ends there.
    if dark {
      edges.append(Double(count) * samples.step)
      _ = continues(Double(count) * samples.step)
    }
    return edges
  }

  /// The brightness along a line, sampled every half pixel, in gray levels times 2^`bits`.
  private struct Samples {
    /// The number of fractional bits of a sample: twice a sample must fit into 32 bits.
    static let bits = 21
    let view: ImageView
    let start: Point2
    let direction: Point2
    let step: Double
    /// The row of pixels along which the line runs, if it does: every other sample is then a pixel, and the rest are means of two
    /// pixels. `nil` for any other line.
    private let row: Int?
    /// True if the four pixels around each sample are inside the picture.
    private let isInside: Bool

    init(_ view: ImageView, from start: Point2, to end: Point2, _ direction: Point2, step: Double) {
      (self.view, self.start, self.direction, self.step) = (view, start, direction, step)
      let isRow = start == [0, end.y.rounded()] && view.holds(row: start.y, to: end.x)
      row = isRow && start.y == end.y ? Int(start.y) : nil
      isInside = [start, end].allSatisfy { p in
        // With a margin, because positions along the line are rounded.
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
        // Positions are fixed-point numbers with 32 fractional bits, of which eleven weight the pixels.
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

  /// The widths of the runs between edges, in pixels; run 0 is dark.
  var widths: [Double] { zip(edges, edges.dropFirst()).map { $1 - $0 } }

  func place(_ edge: Int) -> Point2 { start + direction * edges[edge] }
}

extension ImageView {
  /// Returns whether a row with an integer index, and its pixels from the start up to a column, are inside the picture.
  fileprivate func holds(row y: Double, to x: Double) -> Bool {
    y >= 0 && y < Double(height) && x >= 0 && x <= Double(width - 1)
  }
}
