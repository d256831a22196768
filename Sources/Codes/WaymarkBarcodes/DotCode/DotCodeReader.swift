import WaymarkImage

/// Reads DotCode symbols (AIM ISS DotCode), which have no finder: from a few dots that look like a chequerboard, a lattice grows to
/// all dots of the symbol, and the outlines that fit these dots are decoded. `DotSamples` below reads the tones on a lattice, and
/// finds the symbols that they may show.
struct DotCodeReader {
  /// The limits of the work for one polarity and octave: the positions in a lattice, the positions after which no further lattice
  /// is begun, and the outlines that are tried.
  private static let most = (places: 60_000, begun: 2_000, outlines: 2_000)
  /// The least number of dots found of a symbol: the smallest symbol has 38 positions, half of which are lit.
  private static let fewest = 12

  static func detections(_ search: inout MatrixSearch) -> [MatrixDetection] {
    var found: [MatrixDetection] = []
    // Each octave is searched for modules of two to five pixels.
    var picture = GrayImage(copying: search.view)
    var (scale, isLimited) = (1.0, false)
    while min(picture.width, picture.height) >= 16, scale <= 4 {
      let tones = picture.withView { DotTones($0).sharpened }
      for isLight in [false, true] {
        let known = found.map { $0.placed(scale: 1 / scale).corners }
        let new = read(
          isLight ? tones : tones.negated, isLight: isLight, beside: known, isLimited: &isLimited)
        found += new.map { $0.placed(scale: scale) }
      }
      picture = picture.unsafeView.shrunk(by: 2)
      scale *= 2
    }
    if isLimited, found.isEmpty { search.isLimited = true }
    return found
  }

  /// Reads the symbols with modules of two to five pixels, outside of known symbols.
  ///
  /// - Parameter isLimited: becomes true if a bound ended the search.
  static func read(
    _ tones: DotTones, isLight: Bool, beside known: [Quadrilateral], isLimited: inout Bool
  ) -> [MatrixDetection] {
    let field = DotField(tones, beside: known)
    guard field.dots.count >= fewest else { return [] }
    var lattice = DotLattice(field)
    var found: [MatrixDetection] = []
    var outlines = 0
    for seed in lattice.seeds() where lattice.isFree(seed.dot) {
      guard lattice.looks < most.begun, outlines < most.outlines else {
        isLimited = true
        break
      }
      lattice.grow(from: seed, limit: most.places)
      guard lattice.members.count >= fewest, let sampled = DotSamples(lattice, field),
        let (message, corners) = sampled.read(&outlines)
      else {
        lattice.release()
        continue
      }
      var detection = MatrixDetection(
        symbology: .dotCode, corners: corners, module: lattice.basis.across.length, certainty: 1)
      detection.inverted = isLight
      detection.message = message
      found.append(detection)
    }
    return found
  }
}

// MARK: - Samples of a lattice

/// The tones at the positions of a lattice, and the symbols that they may show.
struct DotSamples {
  private let lattice: DotLattice
  /// The column and row of the first sampled place, `margin` before the first dot.
  private let (left, top): (Int, Int)
  private let (columns, rows): (Int, Int)
  /// The likeness of each position to a dot, row by row: 0 for the tone of the ground around it, 1 for the tone of most dots.
  private var values: [Float]
  /// The number of dots in each column and row.
  private var counts: (columns: [Int], rows: [Int])

  /// The number of columns and rows that are sampled beyond the dots on each side.
  private static let margin = 2
  /// The values above which a place holds a dot, in the order in which they are tried.
  private static let thresholds: [Float] = [0.45, 0.3, 0.6]
  /// The largest share of the positions that cannot hold dots and yet look like dots.
  private static let strangers = 0.06

  /// Samples the places of a lattice; `nil` unless it is a chequerboard of dots that carry data.
  init?(_ lattice: DotLattice, _ field: DotField) {
    self.lattice = lattice
    let (xs, ys) = (lattice.members.map(\.x), lattice.members.map(\.y))
    guard let x0 = xs.min(), let x1 = xs.max(), let y0 = ys.min(), let y1 = ys.max() else { return nil }
    (left, top) = (x0 - Self.margin, y0 - Self.margin)
    (columns, rows) = (x1 - x0 + 1 + 2 * Self.margin, y1 - y0 + 1 + 2 * Self.margin)
    let fill = Double(2 * lattice.members.count) / Double((x1 - x0 + 1) * (y1 - y0 + 1))
    guard x1 - x0 >= 3, y1 - y0 >= 3, columns <= 210, rows <= 210, fill > 0.25, fill < 0.9 else { return nil }
    let (columns, rows, left, top) = (self.columns, self.rows, self.left, self.top)
    var tones = [Double](repeating: 0, count: columns * rows)
    for y in 0..<rows {
      for x in 0..<columns {
        let (u, v) = (x + left, y + top)
        let place = (u + v) % 2 == 0 ? lattice.dot(u, v).map { field.dots[$0] } : nil
        guard let place = place ?? lattice.place(u, v) else { return nil }
        tones[y * columns + x] = field.tones.sample(place)
      }
    }
    // Computes the difference of each position from the mean of the four beside it.
    var relief = [Float](repeating: 0, count: columns * rows)
    for y in 1..<(rows - 1) {
      for x in 1..<(columns - 1) {
        let i = y * columns + x
        let around = (tones[i - 1] + tones[i + 1] + tones[i - columns] + tones[i + columns]) / 4
        relief[i] = Float(tones[i] - around)
      }
    }
    // Divides it by the mean of the dots in the squares around.
    let square = 8
    let (across, down) = (columns / square + 1, rows / square + 1)
    var sums = [(sum: Float, count: Float)](repeating: (0, 0), count: across * down)
    var all: (sum: Float, count: Float) = (0, 0)
    for (x, y) in lattice.members {
      let value = relief[(y - top) * columns + x - left]
      let i = (y - top) / square * across + (x - left) / square
      sums[i] = (sums[i].sum + value, sums[i].count + 1)
      all = (all.sum + value, all.count + 1)
    }
    guard all.sum > 0 else { return nil }
    values = relief
    for y in 0..<rows {
      for x in 0..<columns {
        var (sum, count) = (2 * all.sum / all.count, Float(2))
        for v in max(0, y / square - 1)...min(down - 1, y / square + 1) {
          for u in max(0, x / square - 1)...min(across - 1, x / square + 1) {
            sum += sums[v * across + u].sum
            count += sums[v * across + u].count
          }
        }
        values[y * columns + x] = relief[y * columns + x] / max(sum / count, 1)
      }
    }
    var (strangers, between) = (0, 0)
    var counts = (columns: [Int](repeating: 0, count: columns), rows: [Int](repeating: 0, count: rows))
    for y in 0..<rows {
      for x in 0..<columns {
        let isDot = values[y * columns + x] > 0.45
        if (x + left + y + top) % 2 == 0 {
          guard isDot else { continue }
          counts.columns[x] += 1
          counts.rows[y] += 1
        } else if (x0...x1).contains(x + left), (y0...y1).contains(y + top) {
          between += 1
          if isDot { strangers += 1 }
        }
      }
    }
    guard Double(strangers) <= Self.strangers * Double(between) else { return nil }
    self.counts = counts
  }

  /// The first and last column and row of a symbol, from `left` and `top`.
  private struct Outline {
    var x: ClosedRange<Int>
    var y: ClosedRange<Int>
  }

  /// Returns the message of the first outline that can be decoded, and the corners in pixels; adds the number of outlines tried to `tried`.
  func read(_ tried: inout Int) -> (CodeMessage, Quadrilateral)? {
    let outlines = self.outlines
    for outline in outlines {
      tried += 1
      if let found = read(outline) { return found }
    }
    return nil
  }

  /// The possible outlines, the likeliest first: a row of dots may lie outside of the symbol, and the outer places of a symbol may be empty.
  private var outlines: [Outline] {
    let (ends, sides) = (Self.ends(counts.columns, counts.rows.count), Self.ends(counts.rows, counts.columns.count))
    var outlines: [(outline: Outline, cost: Int)] = []
    for (left, a) in ends.first {
      for (right, b) in ends.last where right - left >= 4 {
        for (top, c) in sides.first {
          for (bottom, d) in sides.last where bottom - top >= 4 && (right - left + bottom - top) % 2 == 1 {
            if a + b + c + d <= 4 { outlines.append((Outline(x: left...right, y: top...bottom), a + b + c + d)) }
          }
        }
      }
    }
    return outlines.sorted { $0.cost < $1.cost }.map(\.outline)
  }

  /// Returns the possible first and last columns, or rows, of a symbol, each with its doubt, from the numbers of dots in the
  /// columns or rows.
  ///
  /// - Parameter across: the number of places in each column, or row.
  private static func ends(_ counts: [Int], _ across: Int) -> (first: [(Int, Int)], last: [(Int, Int)]) {
    let least = max(1, across / 20)
    let first = counts.firstIndex { $0 >= least } ?? 0
    let last = counts.lastIndex { $0 >= least } ?? 0
    func choices(_ line: Int, _ out: Int) -> [(Int, Int)] {
      [(line, 0), (line + out, 1), (line - out, 1), (line + 2 * out, 2), (line - 2 * out, 2)].filter {
        counts.indices.contains($0.0)
      }
    }
    return (choices(first, -1), choices(last, 1))
  }

  private func read(_ outline: Outline) -> (CodeMessage, Quadrilateral)? {
    let (width, height) = (outline.x.count, outline.y.count)
    // The upright form has an odd number of columns and dots in the upper corners.
    let isTurned = width % 2 == 0
    let (across, down) = isTurned ? (height, width) : (width, height)
    guard let places = DotCodeDecoder.places(columns: across, rows: down) else { return nil }
    let isEven = (outline.x.lowerBound + left + outline.y.lowerBound + top) % 2 == 0
    // Seen from behind, the columns run backwards.
    for isMirrored in [false, true] {
      /// Returns the position in the outline for a position in the upright form.
      func place(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let x = isMirrored ? Double(across - 1) - x : x
        let (u, v) = isTurned ? (y, Double(height - 1) - x) : (x, y)
        return (u, v)
      }
      // The corner at the top left of the upright form holds a dot; otherwise it is upside down.
      let corner = place(isMirrored ? Double(across - 1) : 0, 0)
      let isUpright = (Int(corner.x + corner.y) % 2 == 0) == isEven
      func seen(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let (u, v) = place(x, y)
        return isUpright ? (u, v) : (Double(width - 1) - u, Double(height - 1) - v)
      }
      let looks = places.map { place in
        let (x, y) = seen(Double(place.x), Double(place.y))
        return values[(Int(y) + outline.y.lowerBound) * columns + Int(x) + outline.x.lowerBound]
      }
      var message: CodeMessage?
      for threshold in Self.thresholds where message == nil {
        message = DotCodeDecoder.decode(looks.map { min(1, max(-1, 3 * ($0 - threshold))) })
      }
      guard let message else { continue }
      let (right, bottom) = (Double(across) - 0.5, Double(down) - 0.5)
      let corners = [(-0.5, -0.5), (right, -0.5), (right, bottom), (-0.5, bottom)].compactMap { x, y in
        let (u, v) = seen(x, y)
        return edge(u + Double(outline.x.lowerBound + left), v + Double(outline.y.lowerBound + top))
      }
      guard corners.count == 4 else { return nil }
      // A symbol is printed in the upright form or a quarter turn from it, so the outline that looks more upright is chosen.
      let outline = Quadrilateral(corners: corners)
      let other = outline.turned(by: isMirrored ? 3 : 1)
      func slope(_ outline: Quadrilateral) -> Double {
        let side = outline.topRight - outline.topLeft
        return side.x / max(side.length, 1)
      }
      return (message, slope(outline) >= slope(other) ? outline : other)
    }
    return nil
  }

  /// Returns the position in pixels of a point in the middle of four positions, given by half-integer coordinates in modules; `nil`
  /// if no dots of the lattice are near.
  private func edge(_ x: Double, _ y: Double) -> Point2? {
    let (u, v) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    guard let a = lattice.place(u, v), let b = lattice.place(u + 1, v + 1) else { return nil }
    return (a + b) / 2
  }
}
