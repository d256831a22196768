package import WaymarkGeometry
package import WaymarkImage

/// Finds lines of text: pieces of ink of one size that stand beside each other, in any direction, dark on light or light on dark.
package struct LineFinder: Sendable {
  /// More lines are not told.
  package var lineLimit = 40
  /// The long side of the picture that is searched, in pixels.
  private static let workSize = 900.0
  /// How much more pairs must speak for another direction than for the upright one.
  private static let uprightPrior = 2.5

  package init() {}

  /// The outlines of lines in the order in which they are read; the whole picture where it holds one line that fills it, or none.
  package func lines(in view: ImageView) -> [Quadrilateral] {
    let whole = Self.outline(of: view)
    guard view.width >= 8, view.height >= 8 else { return [whole] }
    let scale = min(1, Self.workSize / Double(max(view.width, view.height)))
    let small = GrayImage(copying: view).resized(
      width: max(8, Int(Double(view.width) * scale)), height: max(8, Int(Double(view.height) * scale)))
    let plane = small.withView { InkPlane($0) }.softened(0.7)
    var (best, weight) = ([Line](), 0.0)
    for isLight in [false, true] {
      let (found, contrast) = Self.search(plane, isLight: isLight)
      // Between letters paper is lighter than what is around it, too, but by little.
      let own = found.reduce(0) { $0 + $1.weight } * contrast
      if own > weight * (isLight ? 1.3 : 1) { (best, weight) = (found, own) }
    }
    let factor = Point2(1 / scale, 1 / scale)
    let toPicture = Homography.resize(factor)
    let tallest = best.map(\.height).max() ?? 0
    // A picture of a line, cut out: what its neighbours leave at the borders is no line.
    // One that is wider than high holds no line across itself.
    let isWide = 10 * plane.width > 13 * plane.height
    let isBand =
      best.isEmpty || (Double(plane.height) < 3.4 * tallest && (isWide || best.allSatisfy { abs($0.angle) < 0.3 }))
    if isBand { return [whole] }
    return best.sorted { $0.order < $1.order }.prefix(lineLimit).map { toPicture.apply($0.outline) }
  }

  static func outline(of view: ImageView) -> Quadrilateral {
    let (right, bottom) = (Double(view.width) - 1, Double(view.height) - 1)
    return Quadrilateral(
      topLeft: Point2(0, 0), topRight: Point2(right, 0), bottomRight: Point2(right, bottom),
      bottomLeft: Point2(0, bottom))
  }

  private struct Line {
    var outline: Quadrilateral
    var height: Double
    var angle: Double
    var weight: Double
    var order: Double
  }

  /// Lines of one polarity, and by how much their ink differs from what is around it, in the mean.
  private static func search(_ plane: InkPlane, isLight: Bool) -> (lines: [Line], contrast: Double) {
    let (mask, contrast) = ink(plane, isLight: isLight)
    let found = InkPiece.find(mask, width: plane.width, height: plane.height).pieces
    let limit = Double(plane.height) * 0.9
    let pieces = found.filter { piece in
      let (w, h) = (piece.width, piece.height)
      return piece.area >= 3 && max(w, h) >= 3 && Double(h) <= limit && w <= plane.width * 9 / 10
        && max(w, h) <= 40 * min(w, h)
        && max(w, h) <= 260
    }
    guard (1...4000).contains(pieces.count) else { return ([], 0) }
    // Dots of print grow together by their nearest neighbours.
    let angle = direction(pieces)
    return (chains(pieces, angle: angle), contrast)
  }

  /// What is darker than its surroundings by a share of the picture's contrast (D. Bradley, G. Roth, "Adaptive thresholding using the
  /// integral image", 2007).
  private static func ink(_ plane: InkPlane, isLight: Bool) -> (mask: [Bool], contrast: Double) {
    let (w, h) = (plane.width, plane.height)
    var sums = [Int32](repeating: 0, count: (w + 1) * (h + 1))
    for y in 0..<h {
      var row: Int32 = 0
      for x in 0..<w {
        row += Int32(plane.pixels[y * w + x])
        sums[(y + 1) * (w + 1) + x + 1] = sums[y * (w + 1) + x + 1] + row
      }
    }
    let reach = max(8, min(w, h) / 8)
    let contrast = Int32(plane.percentile(0.98)) - Int32(plane.percentile(0.02))
    let least = max(10, contrast / 7)
    var mask = [Bool](repeating: false, count: w * h)
    var (sum, inked) = (0, 0)
    for y in 0..<h {
      let (y0, y1) = (max(0, y - reach), min(h, y + reach + 1))
      for x in 0..<w {
        let (x0, x1) = (max(0, x - reach), min(w, x + reach + 1))
        let around =
          sums[y1 * (w + 1) + x1] - sums[y0 * (w + 1) + x1] - sums[y1 * (w + 1) + x0] + sums[y0 * (w + 1) + x0]
        let difference = Int32(plane.pixels[y * w + x]) - around / Int32((y1 - y0) * (x1 - x0))
        guard isLight ? difference > least : difference < -least else { continue }
        mask[y * w + x] = true
        sum += Int(abs(difference))
        inked += 1
      }
    }
    return (mask, Double(sum) / Double(max(1, inked)))
  }

  /// The direction in which pieces stand beside each other, in radians, within a quarter turn of upright.
  private static func direction(_ pieces: [InkPiece]) -> Double {
    let bins = 36
    var votes = [Double](repeating: 0, count: bins)
    for (i, piece) in pieces.enumerated() {
      var nearest: [(distance: Double, angle: Double)] = []
      let size = Double(max(piece.width, piece.height))
      for (j, other) in pieces.enumerated() where i != j {
        let (dx, dy) = (other.centerX - piece.centerX, other.centerY - piece.centerY)
        let distance = (dx * dx + dy * dy).squareRoot()
        let otherSize = Double(max(other.width, other.height))
        guard distance < 3 * size, distance > 0, otherSize < 2.2 * size, size < 2.2 * otherSize else { continue }
        nearest.append((distance, angle(dx, dy)))
      }
      for pair in nearest.sorted(by: { $0.distance < $1.distance }).prefix(2) {
        let place = (pair.angle / .pi + 0.5) * Double(bins)
        votes[(Int(place.rounded()) + bins) % bins] += min(size, 40)
      }
    }
    let smooth = votes.indices.map { votes[$0] + 0.5 * (votes[($0 + 1) % bins] + votes[($0 + bins - 1) % bins]) }
    let upright = [-2, -1, 0, 1, 2].map { smooth[bins / 2 + $0] }.max() ?? 0
    guard let best = smooth.indices.max(by: { smooth[$0] < smooth[$1] }), smooth[best] > uprightPrior * upright else {
      return 0
    }
    return (Double(best) / Double(bins) - 0.5) * .pi
  }

  /// From -π/2 to π/2.
  private static func angle(_ dx: Double, _ dy: Double) -> Double {
    var (x, y) = (dx, dy)
    if x < 0 { (x, y) = (-x, -y) }
    return Double.arcTangent(y: y, x: x)
  }

  /// Pieces joined to lines along a direction.
  private static func chains(_ pieces: [InkPiece], angle: Double) -> [Line] {
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    struct Box {
      var left: Double, right: Double, top: Double, bottom: Double
      var height: Double { bottom - top }
    }
    let boxes = pieces.map { piece -> Box in
      let (w, h) = (Double(piece.width), Double(piece.height))
      let u = piece.centerX * c + piece.centerY * s
      let v = -piece.centerX * s + piece.centerY * c
      // A slanted box is larger than the piece in it; at right angles it is the piece itself.
      let slant = 1 / (abs(c) + abs(s))
      let (a, b) = ((w * abs(c) + h * abs(s)) / 2 * slant, (w * abs(s) + h * abs(c)) / 2 * slant)
      return Box(left: u - a, right: u + a, top: v - b, bottom: v + b)
    }
    var parent = Array(boxes.indices)
    func root(_ i: Int) -> Int {
      var i = i
      while parent[i] != i { i = parent[i] }
      return i
    }
    let order = boxes.indices.sorted { boxes[$0].left < boxes[$1].left }
    for (k, i) in order.enumerated() {
      for j in order[(k + 1)...] {
        let (a, b) = (boxes[i], boxes[j])
        let tall = max(a.height, b.height)
        let gap = b.left - a.right
        if gap > 45 { break }
        guard gap < 1.3 * tall, tall < 5 * max(1, min(a.height, b.height)) else { continue }
        let shared = min(a.bottom, b.bottom) - max(a.top, b.top)
        guard shared > 0.45 * min(a.height, b.height) else { continue }
        parent[root(j)] = root(i)
      }
    }
    var groups: [Int: [Int]] = [:]
    for i in boxes.indices { groups[root(i), default: []].append(i) }
    return groups.values.compactMap { members -> Line? in
      let heights = members.map { boxes[$0].height }.sorted()
      let height = heights[heights.count * 3 / 4]
      let left = members.map { boxes[$0].left }.min() ?? 0
      let right = members.map { boxes[$0].right }.max() ?? 0
      guard height >= 5, right - left >= 1.2 * height, members.count >= 2 || right - left > 3 * height else {
        return nil
      }
      // The line's own slope, by the centres of what is as high as most of it.
      let high = members.filter { boxes[$0].height > 0.6 * height }
      var slope = 0.0
      if high.count >= 3 {
        let mean = Point2(
          high.reduce(0) { $0 + (boxes[$1].left + boxes[$1].right) / 2 } / Double(high.count),
          high.reduce(0) { $0 + (boxes[$1].top + boxes[$1].bottom) / 2 } / Double(high.count))
        var (xy, xx) = (0.0, 0.0)
        for i in high {
          let x = (boxes[i].left + boxes[i].right) / 2 - mean.x
          xy += x * ((boxes[i].top + boxes[i].bottom) / 2 - mean.y)
          xx += x * x
        }
        if xx > height * height { slope = max(-0.25, min(0.25, xy / xx)) }
      }
      let middle = (left + right) / 2
      func along(_ i: Int) -> Double { slope * ((boxes[i].left + boxes[i].right) / 2 - middle) }
      let top = members.map { boxes[$0].top - along($0) }.min() ?? 0
      let bottom = members.map { boxes[$0].bottom - along($0) }.max() ?? 0
      let margin = 0.35 * height
      let half = (right - left) / 2 + margin
      func corner(_ side: Double, _ v: Double) -> Point2 {
        let u = middle + side * half
        let w = v + slope * side * half
        return Point2(u * c - w * s, u * s + w * c)
      }
      let outline = Quadrilateral(
        topLeft: corner(-1, top - margin), topRight: corner(1, top - margin), bottomRight: corner(1, bottom + margin),
        bottomLeft: corner(-1, bottom + margin))
      return Line(
        outline: outline, height: height, angle: angle, weight: Double(members.count) * height,
        order: (top + bottom) / 2 * 10 + left / 100)
    }
  }
}
