package import WaymarkImage

/// Finds lines of text: connected components of ink of similar size side by side, in any direction, dark on light or light on
/// dark.
package struct LineFinder: Sendable {
  /// The largest number of lines returned.
  package var lineLimit = 40
  /// The long side of the searched picture in pixels; larger pictures are reduced.
  private static let workSize = 900.0
  /// The factor by which the votes for another direction must exceed the votes for level lines.
  private static let uprightPrior = 2.5
  /// The half side in pixels of the window that separates characters from ink close to them, such as a car's body around its plate.
  private static let narrowReach = 16
  /// The largest number of rows returned.
  private static let rowLimit = 4
  /// The least number of characters of a row, and their least share of its components.
  private static let row = (characters: 4, share: 0.5)

  package init() {}

  /// The result of a search: the lines of a picture, and the panels without one.
  package struct Found: Sendable {
    /// The outlines of lines in reading order; the whole picture if a single line fills it, or if no line is found.
    package var outlines: [Quadrilateral]
    /// The number of lines beyond `lineLimit`.
    package var leftOut = 0
    /// The outlines of panels on which no line was found; a line may fill each of them.
    var panels: [Quadrilateral] = []
    /// True if the whole picture was taken as one line.
    package var isWhole = false
  }

  /// The outlines of lines in reading order; the whole picture if a single line fills it, or if no line is found.
  package func lines(in view: ImageView) -> [Quadrilateral] { search(view).outlines }

  /// Finds the lines of a picture.
  package func search(_ view: ImageView) -> Found {
    let whole = Found(outlines: [Self.outline(of: view)], isWhole: true)
    guard view.width >= 8, view.height >= 8 else { return whole }
    let (plane, scale) = Self.reduced(view)
    var (best, weight) = ([Line](), 0.0)
    for isLight in [false, true] {
      let (found, contrast) = Self.search(plane, isLight: isLight, reach: max(8, min(plane.width, plane.height) / 8))
      // The paper between dark letters also passes as light text, but with little contrast.
      let own = found.reduce(0) { $0 + $1.weight } * contrast
      if own > weight * (isLight ? 1.3 : 1) { (best, weight) = (found, own) }
    }
    let toPicture = Homography.resize(Point2(1 / scale, 1 / scale))
    let tallest = best.map(\.height).max() ?? 0
    // In a cut-out of a line, parts of neighbouring lines at the borders are not lines. A cut-out wider than high has no vertical
    // line.
    let isWide = 10 * plane.width > 13 * plane.height
    let isBand =
      best.isEmpty || (Double(plane.height) < 3.4 * tallest && (isWide || best.allSatisfy { abs($0.angle) < 0.3 }))
    let panels = PanelFinder.panels(in: plane).filter { panel in !best.contains { Self.fills($0.outline, panel) } }
    if isBand, !best.isEmpty || panels.isEmpty { return whole }
    let kept = best.sorted { $0.order < $1.order }.prefix(lineLimit)
    return Found(
      outlines: kept.map { toPicture.apply($0.outline) }, leftOut: best.count - kept.count,
      panels: panels.map(toPicture.apply))
  }

  /// Returns the outlines of rows of characters of one height, dark on light and light on dark, the largest first, also where other
  /// ink is close to them.
  func rows(in view: ImageView) -> [Quadrilateral] {
    guard view.width >= 8, view.height >= 8 else { return [] }
    let (plane, scale) = Self.reduced(view)
    let toPicture = Homography.resize(Point2(1 / scale, 1 / scale))
    let rows = [false, true].flatMap { Self.search(plane, isLight: $0, reach: Self.narrowReach).lines.filter(\.isRow) }
    return rows.sorted { $0.weight > $1.weight }.prefix(Self.rowLimit).map { toPicture.apply($0.outline) }
  }

  /// Returns the picture at the size in which lines are searched, and the ratio of this size to that of the picture.
  private static func reduced(_ view: ImageView) -> (plane: InkPlane, scale: Double) {
    let scale = min(1, workSize / Double(max(view.width, view.height)))
    let small = GrayImage(copying: view).resized(
      width: max(8, Int(Double(view.width) * scale)), height: max(8, Int(Double(view.height) * scale)))
    return (small.withView { InkPlane($0) }.softened(0.7), scale)
  }

  /// Returns whether a line spans most of a panel's length.
  private static func fills(_ line: Quadrilateral, _ panel: Quadrilateral) -> Bool {
    panel.contains(line.center)
      && line.topLeft.distance(to: line.topRight) > 0.6 * panel.topLeft.distance(to: panel.topRight)
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
    /// True if most of its components have the height and the shape of characters.
    var isRow: Bool
  }

  /// Returns the lines of one polarity and the mean contrast of their ink.
  ///
  /// - Parameters:
  ///   - plane: The picture at the size in which lines are searched.
  ///   - isLight: True for light characters on dark, false for dark on light.
  ///   - reach: The half side in pixels of the window that ink is compared with.
  private static func search(_ plane: InkPlane, isLight: Bool, reach: Int) -> (lines: [Line], contrast: Double) {
    let (mask, contrast) = ink(plane, isLight: isLight, reach: reach)
    var found = InkComponent.find(mask, width: plane.width, height: plane.height).pieces
    if let gap = dotGap(found) {
      // The dots of dot print are joined to characters.
      let joined = grown(mask, by: (gap + 1) / 2, width: plane.width, height: plane.height)
      found = InkComponent.find(joined, width: plane.width, height: plane.height).pieces
    }
    let limit = Double(plane.height) * 0.9
    let pieces = found.filter { piece in
      let (w, h) = (piece.width, piece.height)
      return piece.area >= 3 && max(w, h) >= 3 && Double(h) <= limit && w <= plane.width * 9 / 10
        && max(w, h) <= 40 * min(w, h)
        && max(w, h) <= 260
    }
    guard (1...4000).contains(pieces.count) else { return ([], 0) }
    let angle = direction(pieces)
    return (chains(pieces, angle: angle), contrast)
  }

  /// Finds pixels that are darker (or lighter) than their surroundings by a share of the picture's contrast (D. Bradley, G.
  /// Roth, "Adaptive thresholding using the integral image", 2007).
  private static func ink(_ plane: InkPlane, isLight: Bool, reach: Int) -> (mask: [Bool], contrast: Double) {
    let (w, h) = (plane.width, plane.height)
    let sums = plane.summed()
    var differences = [Int16](repeating: 0, count: w * h)
    for y in 0..<h {
      for x in 0..<w {
        let (sum, count) = sums.window(x, y, reach: reach)
        differences[y * w + x] = Int16(plane.pixels[y * w + x]) - Int16(sum / count)
      }
    }
    // Shading and glare must not raise the threshold, so the contrast is also limited by the local differences.
    let gray = Int(plane.percentile(0.98)) - Int(plane.percentile(0.02))
    let least = Int16(max(10, min(gray / 7, range(differences) / 6)))
    var mask = [Bool](repeating: false, count: w * h)
    var (sum, inked) = (0, 0)
    for (place, difference) in differences.enumerated()
    where isLight ? difference > least : difference < -least {
      mask[place] = true
      sum += Int(abs(difference))
      inked += 1
    }
    return (mask, Double(sum) / Double(max(1, inked)))
  }

  /// Returns the range from the 2nd to the 98th percentile.
  private static func range(_ differences: [Int16]) -> Int {
    var histogram = [Int](repeating: 0, count: 512)
    for difference in differences { histogram[Int(difference) + 256] += 1 }
    func value(_ share: Double) -> Int {
      var left = Int(Double(differences.count) * share)
      return histogram.firstIndex { count in
        left -= count
        return left < 0
      } ?? 511
    }
    return value(0.98) - value(0.02)
  }

  /// Returns the gap between the dots of dot print in pixels; `nil` if most of the ink is not in dots close to each other.
  private static func dotGap(_ pieces: [InkComponent]) -> Int? {
    let dots = pieces.filter { (2...12).contains(max($0.width, $0.height)) && $0.area >= 3 }
    guard (30...1500).contains(dots.count) else { return nil }
    let size = dots.map { max($0.width, $0.height) }.sorted()[dots.count / 2]
    guard 2 * dots.reduce(0, { $0 + $1.area }) > pieces.reduce(0, { $0 + $1.area }) else { return nil }
    let nearest = dots.indices.map { i -> Double in
      var least = Double.infinity
      for j in dots.indices where j != i {
        let (x, y) = (dots[i].centerX - dots[j].centerX, dots[i].centerY - dots[j].centerY)
        least = min(least, x * x + y * y)
      }
      return least.squareRoot()
    }.sorted()
    // Dots of a character are close to each other; specks are not.
    let pitch = nearest[dots.count * 3 / 4]
    guard pitch < 2.5 * Double(size) else { return nil }
    return max(1, Int(pitch.rounded(.up)) - size + 1)
  }

  /// Dilates a mask by `reach` pixels in each direction.
  private static func grown(_ mask: [Bool], by reach: Int, width: Int, height: Int) -> [Bool] {
    var across = mask
    for place in mask.indices where mask[place] {
      let (x, row) = (place % width, place - place % width)
      for column in max(0, x - reach)...min(width - 1, x + reach) { across[row + column] = true }
    }
    var both = across
    for place in across.indices where across[place] {
      for line in max(0, place / width - reach)...min(height - 1, place / width + reach) {
        both[line * width + place % width] = true
      }
    }
    return both
  }

  /// Returns the direction in which components are side by side, in radians from level, -π/2 to π/2: the peak of the votes of
  /// neighbouring components.
  private static func direction(_ pieces: [InkComponent]) -> Double {
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

  /// Returns the angle of a direction, from -π/2 to π/2.
  private static func angle(_ dx: Double, _ dy: Double) -> Double {
    var (x, y) = (dx, dy)
    if x < 0 { (x, y) = (-x, -y) }
    return Double.arcTangent(y: y, x: x)
  }

  /// Returns the lines into which neighbouring components are joined along a direction.
  private static func chains(_ pieces: [InkComponent], angle: Double) -> [Line] {
    let (c, s) = (Double.cosine(angle), Double.sine(angle))
    struct Box {
      var left: Double, right: Double, top: Double, bottom: Double
      var height: Double { bottom - top }
      var center: Point2 { Point2((left + right) / 2, (top + bottom) / 2) }
    }
    let boxes = pieces.map { piece -> Box in
      let (w, h) = (Double(piece.width), Double(piece.height))
      let u = piece.centerX * c + piece.centerY * s
      let v = -piece.centerX * s + piece.centerY * c
      // The rotated box of a slanted piece is larger than the piece, so it is reduced: at 90° back to the size of the piece.
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
      // The slope of the line, from the centres of its high components, or from its ink where characters touch each other.
      let high = members.filter { boxes[$0].height > 0.6 * height }
      var slope = 0.0
      if high.count >= 5 {
        let mean = high.reduce(Point2(0, 0)) { $0 + boxes[$1].center } / Double(high.count)
        var (xy, xx) = (0.0, 0.0)
        for i in high {
          let step = boxes[i].center - mean
          xy += step.x * step.y
          xx += step.x * step.x
        }
        if xx > height * height { slope = xy / xx }
      } else if right - left > 2.5 * height {
        var spread = PointMoments()
        for i in members { spread.add(pieces[i].spread) }
        let turn = spread.covariance.principalAngle - angle
        slope = Double.tangent(turn - .pi * (turn / .pi).rounded())
      }
      // The outline is in the line's own direction, so that upright characters stay upright.
      let turn = Double.arcTangent(max(-0.25, min(0.25, slope)))
      let (tc, ts) = (Double.cosine(turn), Double.sine(turn))
      let turned = members.map { i -> Box in
        let (box, p) = (boxes[i], boxes[i].center)
        let (u, v) = (p.x * tc + p.y * ts, p.y * tc - p.x * ts)
        // The box of a slanted piece is higher than the piece itself, so its height is reduced.
        let (a, b) = ((box.right - box.left) / 2, box.height / 2)
        let half = max(0.4 * b, b - a * abs(ts))
        return Box(left: u - a, right: u + a, top: v - half, bottom: v + half)
      }
      let (x0, x1) = (turned.map(\.left).min() ?? 0, turned.map(\.right).max() ?? 0)
      let (y0, y1) = (turned.map(\.top).min() ?? 0, turned.map(\.bottom).max() ?? 0)
      let margin = 0.35 * height
      let (cosine, sine) = (c * tc - s * ts, s * tc + c * ts)
      func corner(_ u: Double, _ v: Double) -> Point2 { Point2(u * cosine - v * sine, u * sine + v * cosine) }
      let outline = Quadrilateral(
        topLeft: corner(x0 - margin, y0 - margin), topRight: corner(x1 + margin, y0 - margin),
        bottomRight: corner(x1 + margin, y1 + margin), bottomLeft: corner(x0 - margin, y1 + margin))
      let down = (x0 + x1) / 2 * ts + (y0 + y1) / 2 * tc
      let characters = members.indices.count { i in
        let (box, middle) = (boxes[members[i]], turned[i].center.y)
        return abs(box.height / height - 1) < 0.2 && (0.15...1.3).contains((box.right - box.left) / height)
          && abs(middle - (y0 + y1) / 2) < 0.25 * height
      }
      return Line(
        outline: outline, height: height, angle: angle, weight: Double(members.count) * height,
        order: down * 10 + left / 100,
        isRow: characters >= row.characters && Double(characters) >= row.share * Double(members.count))
    }
  }
}
