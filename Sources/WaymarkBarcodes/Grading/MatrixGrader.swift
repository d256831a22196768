import WaymarkGeometry
import WaymarkImage
import WaymarkSymbologies

/// Grades the print of a matrix code after ISO/IEC 15415, its modules being known.
struct MatrixGrader {
  let reflectance: Reflectance
  let columns: Int
  let rows: Int
  /// Where a point given in modules lies, in pixels, as reading had it.
  let raw: (Double, Double) -> Point2
  /// Which modules are dark, as they were read.
  let matrix: ModuleMatrix
  let isInverted: Bool
  /// Groups of modules that are the same in every symbol: finder patterns, timing patterns and so on.
  let segments: [[KnownModule]]
  /// The modules of each codeword, block by block.
  let blocks: [[[Int]]]
  /// How many check codewords each block has.
  let checks: Int
  /// The share of the error correction that reading took.
  let used: Double

  /// How many modules of light belong around the symbol.
  let quiet: Int

  /// The deviation of the edges between modules from the grid beyond `raw`, in modules: a plane perspective.
  private var bend = SIMD8<Double>()

  init(
    _ view: ImageView, _ matrix: ModuleMatrix, isInverted: Bool, segments: [[KnownModule]], blocks: [[[Int]]],
    checks: Int,
    used: Double, quiet: Int, place: @escaping (Double, Double) -> Point2
  ) {
    reflectance = Reflectance(view: view)
    (columns, rows) = (matrix.columns, matrix.rows)
    (self.matrix, self.isInverted, self.segments) = (matrix, isInverted, segments)
    (self.blocks, self.checks, self.used, self.quiet, raw) = (blocks, max(1, checks), used, quiet, place)
  }

  /// The grade, on the grid that fits the edges between modules best.
  ///
  /// The standard measures on the ideal grid of the symbol. Reading needs a third of a module; a grid that is off by as much
  /// would show light modules where there are dark ones.
  mutating func grade() -> PrintGrade? {
    for _ in 0..<3 { fitGrid() }
    return parts()
  }

  private func parts() -> PrintGrade? {
    let values = self.values()
    guard let low = values.min(), let high = values.max() else { return nil }
    let contrast = high - low
    let threshold = (low + high) / 2
    // 2·|R − threshold| of the whole range; what lies on the wrong side has no margin.
    let modulations = values.map { contrast > 0 ? 2 * abs($0 - threshold) / contrast : 0 }
    let margins = values.indices.map { i in
      (values[i] < threshold) != (matrix.dark[i] != isInverted) ? 0 : modulations[i]
    }
    let damage = self.damage(threshold)
    let (axial, grid) = geometry(threshold)
    let unused = max(0, 1 - used)
    var parts: [PrintGrade.Part] = [
      .init(parameter: .decode, measured: nil, value: 4),
      .init(
        parameter: .symbolContrast, measured: contrast, value: PrintGrade.grade(contrast, PrintGrade.contrastLimits)),
    ]
    for (parameter, own) in [(PrintGrade.Parameter.modulation, modulations), (.reflectanceMargin, margins)] {
      let (value, measured) = overlaid(own)
      parts.append(.init(parameter: parameter, measured: measured, value: value))
    }
    parts += [
      .init(
        parameter: .fixedPatternDamage, measured: damage,
        value: PrintGrade.grade(damage, atMost: [0.02, 0.09, 0.13, 0.17])),
      .init(
        parameter: .axialNonuniformity, measured: axial,
        value: PrintGrade.grade(axial, atMost: [0.06, 0.08, 0.1, 0.12])),
      .init(
        parameter: .gridNonuniformity, measured: grid, value: PrintGrade.grade(grid, atMost: [0.38, 0.5, 0.63, 0.75])),
      .init(
        parameter: .unusedErrorCorrection, measured: unused,
        value: PrintGrade.grade(unused, PrintGrade.correctionLimits)),
    ]
    return PrintGrade(
      standard: "ISO/IEC 15415", value: parts.map(\.value).min() ?? 0, parts: parts, lines: 1)
  }

  private func module(_ x: Int, _ y: Int) -> Double {
    let center = place(Double(x) + 0.5, Double(y) + 0.5)
    // An aperture of eight tenths of a module.
    let size = place(Double(x) + 1.5, Double(y) + 0.5).distance(to: center)
    return reflectance.spot(center, radius: 0.27 * size)
  }

  private func values() -> [Double] {
    (0..<rows).flatMap { y in (0..<columns).map { module($0, y) } }
  }

  /// The grade of modules by codewords (7.8.4): at each level the codewords that are below it count as wrong; the lower of
  /// the level and of what error correction would be left unused holds, of all levels the best.
  private func overlaid(_ modulations: [Double]) -> (grade: Double, measured: Double) {
    let words = blocks.map { block in block.map { $0.map { modulations[$0] }.min() ?? 1 } }
    var best = 0.0
    for (i, limit) in [0.5, 0.4, 0.3, 0.2].enumerated() {
      let wrong = words.map { block in block.count { $0 < limit } }.max() ?? 0
      let unused = max(0, 1 - 2 * Double(wrong) / Double(checks))
      best = max(best, min(Double(4 - i), PrintGrade.grade(unused, PrintGrade.correctionLimits)))
    }
    // The level that nine of ten codewords reach.
    let sorted = words.joined().sorted()
    return (best, sorted.isEmpty ? 0 : sorted[sorted.count / 10])
  }

  /// The share of wrong modules in the worst of the fixed patterns, or in the quiet zone.
  private func damage(_ threshold: Double) -> Double {
    var worst = 0.0
    for segment in segments where !segment.isEmpty {
      let wrong = segment.count { known in
        let p = place(known.at.x, known.at.y)
        let size = place(known.at.x + 1, known.at.y).distance(to: p)
        return (reflectance.spot(p, radius: 0.27 * size) < threshold) != (known.isDark != isInverted)
      }
      worst = max(worst, Double(wrong) / Double(segment.count))
    }
    return max(worst, quietDamage(threshold))
  }

  private func quietDamage(_ threshold: Double) -> Double {
    var (wrong, all) = (0, 0)
    for y in -quiet..<(rows + quiet) {
      for x in -quiet..<(columns + quiet) where x < 0 || y < 0 || x >= columns || y >= rows {
        let p = place(Double(x) + 0.5, Double(y) + 0.5)
        guard p.x >= 0, p.y >= 0, p.x <= Double(reflectance.view.width - 1), p.y <= Double(reflectance.view.height - 1)
        else { continue }
        all += 1
        if (reflectance.at(p) < threshold) != isInverted { wrong += 1 }
      }
    }
    return all > 0 ? Double(wrong) / Double(all) : 0
  }

  /// How much the axes differ in the length of a module, and how far, in modules, edges lie from where the grid has them.
  private func geometry(_ threshold: Double) -> (axial: Double, grid: Double) {
    let (w, h) = (Double(columns), Double(rows))
    let across = (place(0, 0).distance(to: place(w, 0)) + place(0, h).distance(to: place(w, h))) / (2 * w)
    let down = (place(0, 0).distance(to: place(0, h)) + place(w, 0).distance(to: place(w, h))) / (2 * h)
    let axial = abs(across - down) / max(1e-9, (across + down) / 2)
    // Edges of either kind in windows: ink that spreads moves both apart, which leaves their mean where it is.
    let side = 6
    var shifts: [Int: (dark: [Double], light: [Double])] = [:]
    let windows = max(1, (columns + side - 1) / side)
    for edge in edges(threshold) {
      let key = 2 * (edge.y / side * windows + edge.x / side) + (edge.isAcross ? 1 : 0)
      if edge.isFalling {
        shifts[key, default: ([], [])].dark.append(edge.shift)
      } else {
        shifts[key, default: ([], [])].light.append(edge.shift)
      }
    }
    let means = shifts.values.compactMap { own -> Double? in
      guard own.dark.count >= 4, own.light.count >= 4 else { return nil }
      return abs(Self.mean(own.dark) + Self.mean(own.light)) / 2
    }
    return (axial, means.max() ?? 0)
  }

  private static func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  // MARK: The grid

  /// Where a point given in modules lies, in pixels.
  private func place(_ x: Double, _ y: Double) -> Point2 {
    let (u, v) = (x / Double(columns) - 0.5, y / Double(rows) - 0.5)
    let tilt = bend[6] * u + bend[7] * v
    return raw(
      x + bend[0] + bend[1] * u + bend[2] * v + tilt * u * Double(columns),
      y + bend[3] + bend[4] * u + bend[5] * v + tilt * v * Double(rows))
  }

  /// An edge between two neighbours, one dark and one light.
  private struct Edge {
    /// The first of them.
    var x: Int
    var y: Int
    /// The second lies to the right, not below.
    var isAcross: Bool
    var isFalling: Bool
    /// How far it lies from where the grid has it, in modules.
    var shift: Double
  }

  private func edges(_ threshold: Double) -> [Edge] {
    var found: [Edge] = []
    for y in 0..<rows {
      for x in 0..<columns {
        for (dx, dy) in [(1, 0), (0, 1)] where x + dx < columns && y + dy < rows {
          let (a, b) = (matrix[x, y] != isInverted, matrix[x + dx, y + dy] != isInverted)
          guard a != b else { continue }
          let from = place(Double(x) + 0.5, Double(y) + 0.5)
          let to = place(Double(x + dx) + 0.5, Double(y + dy) + 0.5)
          guard let at = crossing(from, to, threshold, isFalling: b) else { continue }
          found.append(Edge(x: x, y: y, isAcross: dx == 1, isFalling: b, shift: at - 0.5))
        }
      }
    }
    return found
  }

  /// One step of least squares towards the grid whose lines the edges lie on.
  private mutating func fitGrid() {
    let values = self.values()
    guard let low = values.min(), let high = values.max(), high > low else { return }
    let edges = self.edges((low + high) / 2)
    guard edges.count >= 40 else { return }
    // Ink that spreads moves falling and rising edges apart.
    let gain =
      (Self.mean(edges.filter(\.isFalling).map(\.shift)) - Self.mean(edges.filter { !$0.isFalling }.map(\.shift))) / 2
    var system = NormalEquations()
    for edge in edges {
      let shift = edge.shift - (edge.isFalling ? gain : -gain)
      let u = (Double(edge.x) + (edge.isAcross ? 1 : 0.5)) / Double(columns) - 0.5
      let v = (Double(edge.y) + (edge.isAcross ? 0.5 : 1)) / Double(rows) - 0.5
      let tilt = edge.isAcross ? u * Double(columns) : v * Double(rows)
      system.add(
        edge.isAcross ? [1, u, v, 0, 0, 0, u * tilt, v * tilt] : [0, 0, 0, 1, u, v, u * tilt, v * tilt], shift)
    }
    guard let step = system.solve(), (0..<8).allSatisfy({ step[$0].isFinite && abs(step[$0]) < 4 }) else { return }
    bend += step
  }

  /// Where between two middles of modules the threshold is crossed, 0 to 1.
  private func crossing(_ from: Point2, _ to: Point2, _ threshold: Double, isFalling: Bool) -> Double? {
    let steps = 16
    var previous = reflectance.at(from)
    for i in 1...steps {
      let here = reflectance.at(from + (to - from) * (Double(i) / Double(steps)))
      if (previous >= threshold) == isFalling, (here >= threshold) != isFalling, previous != here {
        return (Double(i - 1) + (threshold - previous) / (here - previous)) / Double(steps)
      }
      previous = here
    }
    return nil
  }
}
