import WaymarkImage

/// The lines of text on an approximately upright page, as the lowest ink ("feet") of their characters. Bent lines are found, too,
/// which a finder of straight lines would break.
struct TextBaselines {
  /// The feet of the characters of each line, from left to right, in pixels.
  private(set) var lines: [[Point2]] = []
  /// The median height of the characters in pixels, weighted by their width.
  private(set) var height = 0.0

  /// The largest number of connected components of ink that are examined, which limits the time; a page of text has fewer.
  private static let pieceLimit = 8000
  /// The least length of a line as a share of the page's width; half of this share for a line of at least `leastPieces` components.
  private static let leastPieces = 6
  private static let leastReach = 0.12

  /// The bounding box of a connected component of ink: a character, or several that touch.
  private struct Piece {
    var left = Int32.max
    var right = Int32.min
    var top = Int32.max
    var bottom = Int32.min

    var width: Int { Int(right - left) + 1 }
    var height: Int { Int(bottom - top) + 1 }
  }

  /// Finds the lines of a page in black (0) and white (255).
  init(in page: GrayImage) {
    var labels = ComponentLabels()
    page.withView { view in
      labels.label(width: view.width, height: view.height, isEightConnected: true) { view.base[$0] == 0 }
    }
    var pieces = [Piece](repeating: Piece(), count: labels.count)
    for run in labels.runs {
      let i = Int(run.component)
      pieces[i].left = min(pieces[i].left, run.from)
      pieces[i].right = max(pieces[i].right, run.to - 1)
      pieces[i].top = min(pieces[i].top, run.y)
      pieces[i].bottom = run.y
    }
    // Specks, pictures and rules are not text.
    let tallest = page.height / 16
    let possible = pieces.indices.filter {
      let piece = pieces[$0]
      return piece.height >= 3 && piece.height <= tallest && piece.width <= page.width / 3
        && piece.width <= 30 * piece.height && piece.height <= 12 * piece.width
    }
    guard (Self.leastPieces...Self.pieceLimit).contains(possible.count) else { return }
    // Weighted by width, because dots are numerous but are not characters.
    let sizes = possible.map { (height: pieces[$0].height, width: pieces[$0].width) }.sorted { $0.height < $1.height }
    var half = sizes.reduce(0) { $0 + $1.width } / 2
    let usual =
      sizes.first {
        half -= $0.width
        return half <= 0
      }?.height ?? 0
    height = Double(usual)
    let written = possible.filter { 2 * pieces[$0].height > usual && pieces[$0].height < 4 * usual }
    let chains = Self.chains(written.map { pieces[$0] })
    lines = feet(of: chains.map { $0.map { written[$0] } }, pieces, labels.runs, width: page.width)
  }

  /// Returns chains of neighbouring components, each from left to right, as indices of `pieces`.
  private static func chains(_ pieces: [Piece]) -> [[Int]] {
    let order = pieces.indices.sorted { pieces[$0].left < pieces[$1].left }
    var next = [Int?](repeating: nil, count: pieces.count)
    var before: [(from: Int, cost: Double)?] = Array(repeating: nil, count: pieces.count)
    for (k, i) in order.enumerated() {
      let piece = pieces[i]
      var best: (to: Int, cost: Double)?
      for j in order[(k + 1)...] {
        let other = pieces[j]
        let gap = Int(other.left - piece.right)
        let (tall, low) = (max(piece.height, other.height), min(piece.height, other.height))
        if gap > 3 * piece.height { break }
        guard 2 * gap <= 5 * tall, 4 * gap > -low, tall <= 3 * low else { continue }
        let shared = Int(min(piece.bottom, other.bottom) - max(piece.top, other.top)) + 1
        guard 2 * shared > low else { continue }
        let cost = Double(max(0, gap)) + 2 * Double(abs(piece.bottom - other.bottom))
        if cost < best?.cost ?? .infinity { best = (j, cost) }
      }
      guard let best else { continue }
      // A component continues only one component, the nearest.
      if let known = before[best.to] {
        guard best.cost < known.cost else { continue }
        next[known.from] = nil
      }
      next[i] = best.to
      before[best.to] = (i, best.cost)
    }
    return order.filter { before[$0] == nil }.map { start in
      Array(sequence(first: start) { next[$0] })
    }
  }

  /// Returns the lowest ink of each component of a chain; for joined characters, the lowest ink of every part as wide as a
  /// character. Chains that are too short for a line are left out.
  private func feet(of chains: [[Int]], _ pieces: [Piece], _ runs: [ComponentLabels.Run], width: Int) -> [[Point2]] {
    var parts = [Int](repeating: 0, count: pieces.count)
    var starts = parts
    var count = 0
    let long = chains.filter { chain in
      guard let first = chain.first, let last = chain.last else { return false }
      let reach = Double(pieces[last].right - pieces[first].left) / Double(width)
      return reach >= Self.leastReach || chain.count >= Self.leastPieces && reach >= Self.leastReach / 2
    }
    for i in long.joined() {
      parts[i] = max(1, Int(Double(pieces[i].width) / (1.3 * height)))
      starts[i] = count
      count += parts[i]
    }
    var lowest = [Int32](repeating: -1, count: count)
    for run in runs where parts[Int(run.component)] > 0 {
      let i = Int(run.component)
      let scale = { (x: Int32) in Int(x - pieces[i].left) * parts[i] / pieces[i].width }
      for part in scale(run.from)...scale(run.to - 1) { lowest[starts[i] + part] = run.y }
    }
    return long.map { chain in
      chain.flatMap { i in
        (0..<parts[i]).compactMap { part -> Point2? in
          let y = lowest[starts[i] + part]
          guard y >= 0 else { return nil }
          let x = Double(pieces[i].left) + (Double(part) + 0.5) * Double(pieces[i].width) / Double(parts[i]) - 0.5
          return Point2(x, Double(y) + 0.5)
        }
      }
    }
  }
}
