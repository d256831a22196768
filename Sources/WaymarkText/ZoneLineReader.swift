package import WaymarkImage

/// Reads a line of a machine-readable zone: characters of one typeface that stand at one pitch, 30, 36 or 44 of them. Where the pitch is known,
/// so is where each character stands, and comparing it with what it may be tells more than a network that was trained on prose.
package struct ZoneLineReader {
  /// How alike characters and their drawings must be in the mean, as correlation.
  private static let least = 0.72
  /// How many characters lines have (ICAO 9303, parts 4 to 6).
  private static let counts = [44, 36, 30]

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
  private let start: (left: Double, right: Double, bottom: Double, capitals: Double)

  /// - Parameter image: the line, upright; nil where nothing on it may be a line of a zone.
  package init?(_ image: GrayImage) {
    guard let line = image.withView({ LinePicture($0, isFlattened: true) }) else { return nil }
    let ink = line.plane
    let threshold = ink.threshold
    let pieces = InkPiece.find(ink.pixels.map { $0 <= threshold }, width: ink.width, height: ink.height).pieces
    let solid = pieces.filter { Double($0.height) >= 0.5 * line.capitalHeight && $0.area >= 4 }
    let tall = solid.filter { Double($0.height) >= 0.8 * line.capitalHeight }.map(\.bottom).sorted()
    guard let left = solid.map(\.left).min(), let right = solid.map(\.right).max(), !tall.isEmpty,
      Double(right - left) > 15 * line.capitalHeight, line.capitalHeight >= 6
    else { return nil }
    start = (Double(left), Double(right + 1), Double(tall[tall.count / 2] + 1), line.capitalHeight)
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

  /// Where the characters stand, by what is most alike; nil where nothing is.
  private func grid() -> Grid? {
    var best: Grid?
    for count in Self.counts {
      // The first and the last do not fill their places.
      let pitch = (start.right - start.left) / (Double(count) - 0.28)
      for (index, face) in ZoneGlyphs.faces.enumerated() {
        let capitals = face.capitals * pitch
        guard abs(start.capitals / capitals - 1) < 0.3 else { continue }
        var own = Grid(
          face: index, count: count, left: 0, pitch: pitch, top: start.bottom - capitals, capitals: capitals)
        for step in -4...4 {
          let pitch = pitch * (1 + 0.004 * Double(step))
          for shift in -4...4 {
            var next = own
            next.pitch = pitch
            next.left = start.left + pitch * (0.09 * Double(shift) - 0.14)
            next.score = score(next, every: 4)
            if next.score > own.score { own = next }
          }
        }
        if own.score > best?.score ?? 0.4 { best = own }
      }
    }
    guard var grid = best else { return nil }
    // Then finer, the height too.
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
    let coarse = grid
    for step in -2...2 {
      for shift in -2...2 {
        var next = coarse
        next.pitch = coarse.pitch * (1 + 0.001 * Double(step))
        next.left = coarse.left + coarse.pitch * 0.03 * Double(shift)
        next.score = score(next, every: 2)
        if next.score > grid.score { grid = next }
      }
    }
    return grid
  }

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
