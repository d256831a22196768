import CGlyphs
package import WaymarkImage

/// Reads a line of a machine-readable zone: 30, 36 or 44 characters of one typeface at one pitch. If the pitch is known, so
/// is the position of each character, and comparing it with drawings is more precise than a network trained on prose. Below are
/// `ZoneLattice`, for lines without a regular pitch, and the drawings.
package struct ZoneLineReader {
  /// The least mean correlation of the characters with their drawings for which a line is returned.
  private static let least = 0.72
  /// The possible numbers of characters of a line (ICAO 9303, parts 4 to 6).
  private static let counts = [44, 36, 30]

  /// The range of the actual minus the found number of characters: up to eight specks may be found as characters, and up to six
  /// characters may be missing at the ends.
  private static let missing = -8...6
  /// The correlation with its best drawing below which a character counts against a grid.
  private static let evident = 0.6

  /// The positions of the characters of one typeface, in pixels.
  private struct Grid {
    var face: Int
    var count: Int
    /// The left edge of the first character, and the advance per character.
    var left: Double
    var pitch: Double
    /// The top of the capitals, and the height of the capitals.
    var top: Double
    var capitals: Double
    var score = -1.0
  }

  private static let faces: [[[Float]]] = ZoneGlyphs.faces.map { face in
    let values = face.values.map(Float.init)
    let size = ZoneGlyphs.width * ZoneGlyphs.height
    return ZoneGlyphs.characters.indices.map { index in
      var glyph = Array(values[(index * size)..<((index + 1) * size)])
      _ = normalize(&glyph)
      return glyph
    }
  }

  private let plane: InkPlane
  /// The centres of components that may be single characters, from left to right; the baseline of the capitals; and their height.
  private let start: (middles: [Double], bottom: Double, capitals: Double)

  /// - Parameter image: The upright line; the initialiser returns `nil` if it cannot be a line of a zone.
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
    // Wide components, of characters that touch, do not show the positions of single characters.
    let single = solid.filter { Double($0.width) <= 1.3 * line.capitalHeight }
    let middles = single.map(\.centerX).sorted()
    guard let left = middles.first, let right = middles.last, middles.count >= 8, !tall.isEmpty,
      right - left > 10 * line.capitalHeight, line.capitalHeight >= 6
    else { return nil }
    start = (middles, Double(tall[tall.count / 2] + 1), line.capitalHeight)
    // Print larger than the drawings is blurred to their resolution.
    plane = ink.softened(max(0, line.capitalHeight / 14 - 1) * 0.5)
  }

  /// Returns the characters with their alternatives; `nil` if it is not a line of a zone.
  package func read() -> [ReadSymbol]? {
    guard let grid = grid() else { return nil }
    let columns = (0..<grid.count).map { likenesses(grid, at: $0) }
    let mean = columns.reduce(0) { $0 + ($1.max() ?? 0) } / Double(grid.count)
    guard mean >= Self.least else { return nil }
    return columns.enumerated().map { place, values in
      let order = values.indices.sorted { (values[$0], $1) > (values[$1], $0) }
      let best = values[order[0]]
      let confidence = Self.confidence(best, over: values[order[1]])
      let left = (grid.left + Double(place) * grid.pitch) / Double(plane.width)
      let right = left + grid.pitch / Double(plane.width)
      return ReadSymbol(
        String(ZoneGlyphs.characters[order[0]]), confidence: confidence,
        // The correlations with all characters, including itself, because a field may allow only some of them.
        choices: order.prefix(8).map { .init(String(ZoneGlyphs.characters[$0]), max(0, values[$0])) },
        span: max(0, min(1, left))...max(0, min(1, max(left, right))))
    }
  }

  /// Returns the confidence of a character from its correlations with the best and the next best drawing.
  static func confidence(_ best: Double, over next: Double) -> Double {
    max(0, min(1, best / 0.85)) * max(0, min(1, 0.5 + 5 * (best - next)))
  }

  /// The pitches at which the centres of characters are most regular, the likeliest first, each with one of the centres. At the
  /// right pitch, the phases of all centres agree (the periodogram; A. Schuster, 1898), even if characters are missing.
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
      // Over the whole line, one step changes the phase by an eighth of a turn.
      pitch += pitch * pitch / (8 * (last - first))
    }
    let peaks = found.indices.dropFirst().dropLast().filter {
      found[$0].evenness >= found[$0 - 1].evenness && found[$0].evenness >= found[$0 + 1].evenness
    }
    return peaks.sorted { found[$0].evenness > found[$1].evenness }.prefix(2).map {
      (found[$0].pitch, found[$0].middle)
    }
  }

  /// Returns the grid with the most evidence; `nil` if no number of characters has a grid.
  private func grid() -> Grid? {
    // A grid of more characters requires more agreement: every character must add evidence.
    Self.counts.compactMap { grid(of: $0).map(refined) }.max { evidence($0) < evidence($1) }
  }

  /// Returns the grid refined in position, pitch and height.
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
    // The scores so far sample the characters, so that the grid may leave one out at an end.
    var right = grid
    right.score = score(grid, every: 1)
    for shift in [-2, -1, 1, 2] {
      var next = grid
      next.left += Double(shift) * grid.pitch
      next.score = score(next, every: 1)
      if next.score > right.score { right = next }
    }
    right.score = score(right, every: 2)
    grid = right
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

  /// Returns the approximate grid for so many characters; `nil` if none agrees with the positions and heights of the
  /// components.
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
        // Missing characters may be at either end, and so may specks taken as characters.
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

  /// Returns the mean correlation of every `step`-th character with its best drawing.
  private func score(_ grid: Grid, every step: Int) -> Double {
    var (sum, count) = (0.0, 0)
    for place in stride(from: step / 2, to: grid.count, by: step) {
      var cell = cell(grid, place, 0, 0)
      if Self.normalize(&cell) { sum += Self.faces[grid.face].reduce(-1) { max($0, Self.product(cell, $1)) } }
      count += 1
    }
    return sum / Double(max(1, count))
  }

  /// Returns the correlation of the character at an index with each drawing, the best over small shifts in all directions.
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

  /// Returns the ink values of the character at an index, as many as a drawing has.
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

  /// Returns the ink at a point: 0 for paper, 235 for ink of usual darkness, at most 245; beyond the picture is paper.
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

  /// Normalises values to mean 0 and length 1; returns false if all are equal.
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

/// Reads a line of a machine-readable zone from a lattice: the likeliest path of 30, 36 or 44 characters, so that the number
/// of fillers is correct even if they ran together.
enum ZoneLattice {
  /// The possible numbers of characters of a line (ICAO 9303, parts 4 to 6).
  private static let counts = [30, 36, 44]
  /// The largest number of characters that may be missing in a line, or be too many.
  private static let missing = 6
  /// The least mean confidence of the characters for which a line is returned.
  private static let least = 0.5
  /// The difference in correlation that corresponds to a likelihood ratio of e; `MachineReadableZone.settle` compares
  /// correlations.
  private static let unit = 0.02

  /// Returns the characters with their alternatives and correlations; `nil` if the line has another length or is unsure.
  static func symbols(_ lattice: LineLattice) -> [ReadSymbol]? {
    let zone = lattice.limited(to: .zone)
    let seen = zone.symbols().count
    guard let count = counts.min(by: { abs($0 - seen) < abs($1 - seen) }), abs(count - seen) <= missing else {
      return nil
    }
    let characters = Set(LineAlphabet.zone.characters)
    let labels = Set(lattice.alphabet.indices.filter { characters.contains(lattice.alphabet[$0]) }.map { $0 + 1 })
    guard let symbols = zone.symbols(at: Array(repeating: labels, count: count)),
      ReadLine.confidence(of: symbols) >= least
    else { return nil }
    return symbols.map { symbol in
      var symbol = symbol
      let top = max(symbol.choices.first?.confidence ?? symbol.confidence, LineLattice.unlikely)
      symbol.choices = symbol.choices.map { choice in
        let distance = Double.naturalLogarithm(top / max(choice.confidence, LineLattice.unlikely))
        return .init(choice.text, max(0, 1 - unit * distance))
      }
      return symbol
    }
  }
}

/// Drawings of the characters of machine-readable zones in the typefaces used for them: OCR-B (ISO 1073-2), which ICAO 9303-3
/// prescribes, and its substitutes DejaVu Sans Mono and Liberation Mono. Created by `Benchmarks/text/make_glyphs.py`.
enum ZoneGlyphs {
  /// The characters in the order of each typeface's drawings.
  static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<")
  /// The size of a drawing in values.
  static let width = 12, height = 18

  /// The drawings of one typeface.
  struct Face {
    /// The height of the capitals, in widths of a character.
    let capitals: Double
    /// The characters' values, 0 to 15, row by row.
    let values: [UInt8]
  }

  /// The typefaces; empty if the drawings in the program are damaged.
  static let faces: [Face] = {
    let (capitals, size) = ([0.999, 1.212, 1.096], characters.count * width * height)
    guard let file = try? ModelFile(waymark_zone_glyphs, name: "zone-glyphs"),
      file.payload.count == capitals.count * size
    else { return [] }
    return capitals.enumerated().map { Face(capitals: $1, values: Array(file.payload[$0 * size..<($0 + 1) * size])) }
  }()
}
