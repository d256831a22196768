import WaymarkImage

extension LinearLine {
  /// The runs along a row of a picture; `nil` where it has fewer than two dark ones.
  ///
  /// - Parameters:
  ///   - row: of a picture in which bars stand upright.
  ///   - window: how many pixels to either side tell dark from light.
  init?(_ view: ImageView, row: Int, window: Double = 60) {
    let y = Double(row)
    let line = PDF417ScanLine(view, from: [0, y], to: [Double(view.width) - 1, y], window: window)
    var edges = line.edges
    if !edges.count.isMultiple(of: 2) { edges.removeLast() }
    guard edges.count >= 4 else { return nil }
    self.init(edges: edges, length: Double(view.width))
  }

  /// The runs along a row by its turns: an edge lies where brightness is in the middle between two turns, so that bars that melt into
  /// their neighbours keep theirs. `nil` where it has fewer than two dark runs.
  ///
  /// - Parameters:
  ///   - row: of a picture in which bars stand upright.
  ///   - share: of the contrast near by, by how much brightness must turn.
  init?(turnsOf view: ImageView, row: Int, share: Double = 0.18) {
    let pixels = view.row(row)
    let width = view.width
    guard width >= 8 else { return nil }
    // Contrast by blocks, so that its cost does not grow with their reach.
    let block = 24
    let ranges = stride(from: 0, to: width, by: block).map { from in
      let part = UnsafeBufferPointer(start: pixels + from, count: min(block, width - from))
      return (low: Int(part.min() ?? 0), high: Int(part.max() ?? 0))
    }
    // So little is noise.
    let noise = 6
    let least = ranges.indices.map { b in
      let near = ranges[max(0, b - 2)...min(ranges.count - 1, b + 2)]
      let contrast = near.reduce(0) { max($0, $1.high) } - near.reduce(255) { min($0, $1.low) }
      return max(noise, Int(share * Double(contrast)))
    }
    var turns: [(at: Int, level: Int)] = []
    var (extreme, isRising) = ((at: 0, level: Int(pixels[0])), true)
    for x in 1..<width {
      let level = Int(pixels[x])
      if isRising ? level >= extreme.level : level <= extreme.level {
        extreme = (x, level)
      } else if abs(level - extreme.level) >= least[x / block] {
        turns.append(extreme)
        extreme = (x, level)
        isRising.toggle()
      }
    }
    turns.append(extreme)
    var edges: [Double] = []
    for (from, to) in zip(turns, turns.dropFirst()) {
      let middle = Double(from.level + to.level) / 2
      let isFalling = to.level < from.level
      let crossing = (from.at..<to.at).first { (Double(pixels[$0 + 1]) < middle) == isFalling }
      guard let x = crossing else { return nil }
      let step = Double(pixels[x + 1]) - Double(pixels[x])
      edges.append(step == 0 ? Double(x) : Double(x) + min(max((middle - Double(pixels[x])) / step, 0), 1))
    }
    if !edges.count.isMultiple(of: 2) { edges.removeLast() }
    guard edges.count >= 4 else { return nil }
    self.init(edges: edges, length: Double(width))
  }
}
