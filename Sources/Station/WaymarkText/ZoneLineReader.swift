package import WaymarkImage

/// Reads a line of a machine-readable zone: characters of one typeface that stand at one pitch, 30, 36 or 44 of them. Where the pitch is known,
/// so is where each character stands, and comparing it with what it may be tells more than a network that was trained on prose.
package struct ZoneLineReader {
  /// How alike characters and their drawings must be in the mean, as correlation.
  private static let least = 0.72
  /// How many characters lines have (ICAO 9303, parts 4 to 6).
  private static let counts = [44, 36, 30]

  /// How many characters at the ends may not have been found; and how many specks may have been taken for some.
  private static let missing = -8...6
  /// Characters that are less alike to any drawing, as correlation, speak against a grid.
  private static let evident = 0.6

  /// Where the characters stand.
  private struct Grid {
    var face: Int
    var count: Int
    /// The left edge of the first character and its advance.
    var left: Double
    var pitch: Double
    /// The top of the capitals, and their height.
    var top: Double
    var capitals: Double
    var score = -1.0
  }

  private static let faces: [[[Float]]] = ZoneGlyphs.faces.map { face in
    let values = face.rows.compactMap(\.hexDigitValue).map(Float.init)
    let size = ZoneGlyphs.width * ZoneGlyphs.height
    return ZoneGlyphs.characters.indices.map { index in
      var glyph = Array(values[(index * size)..<((index + 1) * size)])
      _ = normalize(&glyph)
      return glyph
    }
  }

  private let plane: InkPlane
  /// The middles of what may be single characters, from left to right; the line that capitals stand on, and their height.
  private let start: (middles: [Double], bottom: Double, capitals: Double)

  /// - Parameter image: the line, upright; nil where nothing on it may be a line of a zone.
  package init?(_ image: GrayImage) {
    guard let line = image.withView({ LinePicture($0, on: .print) }) else { return nil }
    let ink = line.plane
    let threshold = ink.threshold
    let pieces = InkComponent.find(ink.pixels.map { $0 <= threshold }, width: ink.width, height: ink.height).pieces
    let solid = pieces.filter {
      Double($0.height) >= 0.5 * line.capitalHeight
        && Double($0.area) >= max(4, 0.1 * line.capitalHeight * line.capitalHeight)
    }
    let tall = solid.filter { Double($0.height) >= 0.8 * line.capitalHeight }.map(\.bottom).sorted()
    // Pieces that have run together tell nothing of where single characters stand.
    let single = solid.filter { Double($0.width) <= 1.3 * line.capitalHeight }
    let middles = single.map(\.centerX).sorted()
    guard let left = middles.first, let right = middles.last, middles.count >= 8, !tall.isEmpty,
      right - left > 10 * line.capitalHeight, line.capitalHeight >= 6
    else { return nil }
    start = (middles, Double(tall[tall.count / 2] + 1), line.capitalHeight)
    // Larger print than the drawings is seen as coarsely as they are.
    plane = ink.softened(max(0, line.capitalHeight / 14 - 1) * 0.5)
  }

  /// Its characters, with what else each may be; nil where it is none.
  package func read() -> [ReadSymbol]? {
    guard let grid = grid() else { return nil }
    let columns = (0..<grid.count).map { likenesses(grid, at: $0) }
    let mean = columns.reduce(0) { $0 + ($1.max() ?? 0) } / Double(grid.count)
    guard mean >= Self.least else { return nil }
    return columns.enumerated().map { place, values in
      let order = values.indices.sorted { (values[$0], $1) > (values[$1], $0) }
      let best = values[order[0]]
      let sure = Self.sureness(best, over: values[order[1]])
      let left = (grid.left + Double(place) * grid.pitch) / Double(plane.width)
      let right = left + grid.pitch / Double(plane.width)
      return ReadSymbol(
        String(ZoneGlyphs.characters[order[0]]), confidence: sure,
        // How alike it is to each, itself included: a field may allow not all of them.
        choices: order.prefix(8).map { .init(String(ZoneGlyphs.characters[$0]), max(0, values[$0])) },
        span: max(0, min(1, left))...max(0, min(1, max(left, right))))
    }
  }

  /// How sure a character is that is so alike to one drawing and less to another.
  static func sureness(_ best: Double, over next: Double) -> Double {
    max(0, min(1, best / 0.85)) * max(0, min(1, 0.5 + 5 * (best - next)))
  }

  /// Pitches at which the middles of characters stand most evenly, and the place of one of them, the likeliest first: where their
  /// phases point in one direction (the periodogram; A. Schuster, 1898). It does not matter which characters are missing.
  private var pitches: [(pitch: Double, middle: Double)] {
    let widths = ZoneGlyphs.faces.map { start.capitals / $0.capitals }
    let (least, most) = (0.8 * (widths.min() ?? 1), 1.25 * (widths.max() ?? 1))
    guard let first = start.middles.first, let last = start.middles.last, least > 2, last > first else { return [] }
    var found: [(evenness: Double, pitch: Double, middle: Double)] = []
    var pitch = least
    while pitch < most {
      var (cosines, sines) = (0.0, 0.0)
      for middle in start.middles {
        let phase = 2 * .pi * (middle - first) / pitch
        cosines += Double.cosine(phase)
        sines += Double.sine(phase)
      }
      let phase = Double.arcTangent(y: sines, x: cosines) / (2 * .pi)
      found.append((cosines * cosines + sines * sines, pitch, first + phase * pitch))
      // Over the whole line a step moves the phase by an eighth of a turn.
      pitch += pitch * pitch / (8 * (last - first))
    }
    let peaks = found.indices.dropFirst().dropLast().filter {
      found[$0].evenness >= found[$0 - 1].evenness && found[$0].evenness >= found[$0 + 1].evenness
    }
    return peaks.sorted { found[$0].evenness > found[$1].evenness }.prefix(2).map {
      (found[$0].pitch, found[$0].middle)
    }
  }

  /// Where the characters stand, by what is most alike; nil where nothing is.
  private func grid() -> Grid? {
    // Of grids of more characters more must be alike: each has to be by as much as makes it one.
    Self.counts.compactMap { grid(of: $0).map(refined) }.max { evidence($0) < evidence($1) }
  }

  /// The same grid finer, the height too.
  private func refined(_ coarse: Grid) -> Grid {
    var grid = coarse
    grid.score = score(grid, every: 2)
    for scale in [0.92, 1, 1.08] {
      for shift in -3...3 {
        var next = grid
        let bottom = grid.top + grid.capitals + Double(shift) * 0.05 * grid.pitch
        next.capitals = grid.capitals * scale
        next.top = bottom - next.capitals
        next.score = score(next, every: 2)
        if next.score > grid.score { grid = next }
      }
    }
    let right = grid
    for step in -2...2 {
      for shift in -2...2 {
        var next = right
        next.pitch = right.pitch * (1 + 0.001 * Double(step))
        next.left = right.left + right.pitch * 0.03 * Double(shift)
        next.score = score(next, every: 2)
        if next.score > grid.score { grid = next }
      }
    }
    return grid
  }

  /// Where so many characters stand, roughly.
  private func grid(of count: Int) -> Grid? {
    guard let first = start.middles.first, let last = start.middles.last else { return nil }
    var best: Grid?
    for (pitch, middle) in pitches {
      let left = middle + ((first - middle) / pitch).rounded() * pitch - pitch / 2
      let unseen = count - Int(((last - first) / pitch).rounded()) - 1
      guard Self.missing.contains(unseen) else { continue }
      for (index, face) in ZoneGlyphs.faces.enumerated() {
        let capitals = face.capitals * pitch
        guard abs(start.capitals / capitals - 1) < 0.3 else { continue }
        // Characters that were not found may be missing at either end; what was found too much, too.
        for before in min(0, unseen)...max(0, unseen) {
          var next = Grid(
            face: index, count: count, left: left - Double(before) * pitch, pitch: pitch,
            top: start.bottom - capitals, capitals: capitals)
          next.score = score(next, every: 4)
          if next.score > best?.score ?? 0.3 { best = next }
        }
      }
    }
    guard var grid = best else { return nil }
    let coarse = grid
    for step in -2...2 {
      for shift in -2...2 {
        var next = coarse
        next.pitch = coarse.pitch * (1 + 0.003 * Double(step))
        next.left = coarse.left + coarse.pitch * (0.08 * Double(shift) - 0.0015 * Double(step * count))
        next.score = score(next, every: 4)
        if next.score > grid.score { grid = next }
      }
    }
    return grid
  }

  private func evidence(_ grid: Grid) -> Double { (score(grid, every: 1) - Self.evident) * Double(grid.count) }

  /// How alike its characters are to drawings, in the mean over some of them.
  private func score(_ grid: Grid, every step: Int) -> Double {
    var (sum, count) = (0.0, 0)
    for place in stride(from: step / 2, to: grid.count, by: step) {
      var cell = cell(grid, place, 0, 0)
      if Self.normalize(&cell) { sum += Self.faces[grid.face].reduce(-1) { max($0, Self.product(cell, $1)) } }
      count += 1
    }
    return sum / Double(max(1, count))
  }

  /// How alike the character at a place is to each drawing, moved a little in all directions.
  private func likenesses(_ grid: Grid, at place: Int) -> [Double] {
    var best = [Double](repeating: -1, count: ZoneGlyphs.characters.count)
    for y in -1...1 {
      for x in -1...1 {
        var cell = cell(grid, place, Double(x) * 0.06 * grid.pitch, Double(y) * 0.06 * grid.pitch)
        guard Self.normalize(&cell) else { continue }
        for (index, glyph) in Self.faces[grid.face].enumerated() {
          best[index] = max(best[index], Self.product(cell, glyph))
        }
      }
    }
    return best
  }

  /// The ink at a place, as many values as a drawing has.
  private func cell(_ grid: Grid, _ place: Int, _ moveX: Double, _ moveY: Double) -> [Float] {
    let (w, h) = (ZoneGlyphs.width, ZoneGlyphs.height)
    let left = grid.left + Double(place) * grid.pitch + moveX
    let top = grid.top - 0.2 * grid.capitals + moveY
    let (stepX, stepY) = (grid.pitch / Double(w), 1.4 * grid.capitals / Double(h))
    var values = [Float](repeating: 0, count: w * h)
    for row in 0..<h {
      let y = top + (Double(row) + 0.5) * stepY - 0.5
      for column in 0..<w { values[row * w + column] = ink(left + (Double(column) + 0.5) * stepX - 0.5, y) }
    }
    return values
  }

  /// 0 for paper to 235 for ink; beyond the picture is paper.
  private func ink(_ x: Double, _ y: Double) -> Float {
    guard x > -1, y > -1, x < Double(plane.width), y < Double(plane.height) else { return 0 }
    let (x0, y0) = (Int(x.rounded(.down)), Int(y.rounded(.down)))
    let (fx, fy) = (Float(x - Double(x0)), Float(y - Double(y0)))
    func at(_ x: Int, _ y: Int) -> Float {
      guard x >= 0, y >= 0, x < plane.width, y < plane.height else { return 0 }
      return max(0, 245 - Float(plane.pixels[y * plane.width + x]))
    }
    let top = at(x0, y0) * (1 - fx) + at(x0 + 1, y0) * fx
    let bottom = at(x0, y0 + 1) * (1 - fx) + at(x0 + 1, y0 + 1) * fx
    return top * (1 - fy) + bottom * fy
  }

  /// Makes the mean 0 and the length 1; false for what is of one gray.
  private static func normalize(_ values: inout [Float]) -> Bool {
    let mean = values.reduce(0, +) / Float(values.count)
    for i in values.indices { values[i] -= mean }
    let length = values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    guard length > 1e-3 else { return false }
    for i in values.indices { values[i] /= length }
    return true
  }

  private static func product(_ a: [Float], _ b: [Float]) -> Double {
    var sum: Float = 0
    a.withUnsafeBufferPointer { a in
      b.withUnsafeBufferPointer { b in
        for i in 0..<min(a.count, b.count) { sum += a[i] * b[i] }
      }
    }
    return Double(sum)
  }
}
