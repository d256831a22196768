import WaymarkGeometry
import WaymarkImage

/// Reads Data Matrix symbols (ISO/IEC 16022 and ISO/IEC 21471): finds the L by the straight borders of its sides, the
/// size by the alternating sides opposite, and samples every module.
struct DataMatrixReader {
  let view: ImageView
  let levels: BlockMean
  /// How many corners may fail.
  var failures = 40

  /// The shortest side of a symbol that is looked for, in pixels: eight modules.
  private static let shortest = 13.0

  func read(_ contours: Contours) -> [MatrixFinding] {
    var findings: [MatrixFinding] = []
    var failed = 0
    for corner in DataMatrixCorner.find(in: contours, shortest: Self.shortest) {
      if failed >= failures { break }
      let middle = (corner.top + corner.right) / 2
      if findings.contains(where: { $0.isRead && ($0.corners.contains(middle)) }) { continue }
      guard let found = read(corner) else {
        failed += 1
        continue
      }
      if !found.isRead { failed += 4 }
      findings.append(found)
    }
    return findings
  }

  private func read(_ c: DataMatrixCorner) -> MatrixFinding? {
    let (up, across) = (c.top - c.corner, c.right - c.corner)
    let (height, width) = (up.length, across.length)
    let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: c.inverted)
    // To the inner side of each stroke.
    let inwardLeft = normal(up, towards: across)
    let inwardBottom = normal(across, towards: up)
    guard let left = search.thickness(from: c.corner, to: c.top, inward: inwardLeft),
      let bottom = search.thickness(from: c.corner, to: c.right, inward: inwardBottom)
    else { return nil }
    let sine = abs(up.cross(across)) / (height * width)
    // Under a slant the stroke is thicker along the other side.
    let (pitchX, pitchY) = (left / sine, bottom / sine)
    guard pitchX < 3 * pitchY, pitchY < 3 * pitchX, height > 6 * pitchY, width > 6 * pitchX else { return nil }
    let (u, v) = (across / width * pitchX, up / height * pitchY)
    guard let top = search.pattern(from: c.top, back: -v, along: u, length: width),
      let right = search.pattern(from: c.right, back: -u, along: v, length: height)
    else { return nil }
    var best: MatrixFinding?
    for size in sizes(across: top.modules, down: right.modules) {
      guard let found = examine(c, size, top, right) else { continue }
      if found.isRead { return found }
      if found.certainty > best?.certainty ?? 0 { best = found }
    }
    return best
  }

  private func normal(_ a: Point2, towards b: Point2) -> Point2 {
    let n = Point2(-a.y, a.x) / a.length
    return n.dot(b) < 0 ? -n : n
  }

  /// Sizes near the counted one, the nearest first. Seen in a mirror rows are columns.
  private func sizes(across: Int, down: Int) -> [DataMatrixSize] {
    var near: [(size: DataMatrixSize, off: Int)] = []
    for size in DataMatrixSize.all.flatMap({ $0.rows == $0.columns ? [$0] : [$0, $0.turned] }) {
      let off = abs(size.columns - across) + abs(size.rows - down)
      if off <= 2 + (size.columns + size.rows) / 12 { near.append((size, off)) }
    }
    near.sort { $0.off < $1.off }
    return near.prefix(3).map { $0.size }
  }

  private func examine(
    _ c: DataMatrixCorner, _ size: DataMatrixSize, _ top: DataMatrixTiming, _ right: DataMatrixTiming
  ) -> MatrixFinding? {
    let (columns, rows) = (Double(size.columns), Double(size.rows))
    var pairs = [
      PointPair(reference: [0, rows], frame: c.corner), PointPair(reference: [0, 0], frame: c.top),
      PointPair(reference: [columns, rows], frame: c.right),
    ]
    // A count that is off says nothing of the far end; the near one is right.
    let x = top.modules == size.columns ? top.changes.count : min(top.changes.count, size.columns - 1) / 2
    let y = right.modules == size.rows ? right.changes.count : min(right.changes.count, size.rows - 1) / 2
    for (k, p) in top.changes.prefix(x).enumerated() {
      pairs.append(PointPair(reference: [Double(k + 1), 0.5], frame: p))
    }
    for (k, p) in right.changes.prefix(y).enumerated() {
      pairs.append(PointPair(reference: [columns - 0.5, rows - Double(k + 1)], frame: p))
    }
    guard let fitted = pairs.withUnsafeBufferPointer({ Homography.fit($0) }), fitted.isFinite else { return nil }
    let known = knownModules(size)
    let module = c.length / Double(min(size.rows, size.columns))
    let climb = GridClimb(view: view, size: [columns, rows], known: known, inverted: c.inverted)
    let (map, contrast) = climb.climb(fitted, module: module)
    guard contrast > 6 else { return nil }
    let corners = map.apply(
      Quadrilateral(topLeft: [0, 0], topRight: [columns, 0], bottomRight: [columns, rows], bottomLeft: [0, rows]))
    var finding = MatrixFinding(symbology: .dataMatrix, corners: corners, module: module, certainty: 0)
    finding.inverted = c.inverted
    var attempts: [ModuleSampler] = [
      ModuleSampler(view, columns: size.columns, rows: size.rows) { map.apply([$0, $1]) }
    ]
    if let mesh = bend(size, map, contrast: contrast, inverted: c.inverted) {
      attempts.append(
        ModuleSampler(view, columns: size.columns, rows: size.rows) { map.apply([$0, $1]) + mesh.shift($0, $1) })
    }
    for sampler in attempts {
      for (radius, sharpen) in [(5, Float(0)), (3, 0.6), (6, 1.2)] {
        let matrix = sampler.matrix(radius: radius, sharpen: sharpen, inverted: c.inverted)
        let fit = matrix.agreement(size.frame)
        finding.certainty = max(finding.certainty, fit)
        guard fit > 0.8 else { continue }
        if let (message, used) = decode(matrix, size) {
          finding.message = message
          finding.used = used
          finding.matrix = matrix
          finding.map = map
          finding.certainty = 1
          return finding
        }
      }
    }
    return finding.certainty > 0.97 ? finding : nil
  }

  /// Moves what lies around each crossing of the patterns between regions, and along the outer ones, to where it is: for a
  /// symbol on something that is not flat.
  private func bend(
    _ size: DataMatrixSize, _ map: Homography, contrast: Double, inverted: Bool
  ) -> GridMesh? {
    let (width, height) = (size.regionWidth + 2, size.regionHeight + 2)
    // Half regions as well: along the outer patterns there is always something to see.
    func lines(_ count: Int, _ step: Int) -> [Double] {
      (0...(2 * count)).map { Double($0 * step) / 2 }
    }
    let (columns, rows) = (lines(size.regionColumns, width), lines(size.regionRows, height))
    var shifts = [Point2?](repeating: nil, count: columns.count * rows.count)
    let n = columns.count
    // From the corner of the L outwards: what was found beside tells where to look.
    let order = shifts.indices.sorted { ($0 % n - $0 / n, $0) < ($1 % n - $1 / n, $1) }
    for node in order {
      let center = Point2(columns[node % n], rows[node / n])
      var known: [KnownModule] = []
      let (cx, cy) = (Int(center.x), Int(center.y))
      for y in max(0, cy - 4)..<min(size.rows, cy + 4) {
        for x in max(0, cx - 4)..<min(size.columns, cx + 4) {
          if let dark = size.fixed(x, y) {
            known.append(KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: dark))
          }
        }
      }
      guard known.contains(where: \.isDark), known.contains(where: { !$0.isDark }) else { continue }
      let found = PatternWindow(known: known, center: center).shift(
        view, map, inverted: inverted, guess: GridMesh.mean(around: node, shifts, n) ?? [0, 0], reach: 1.5,
        penalty: 0.06 * contrast)
      if let found, found.contrast > 0.55 * contrast { shifts[node] = found.shift }
    }
    return GridMesh(columns: columns, rows: rows, found: shifts)
  }

  /// As it is, or as seen in a mirror: then what is the left side is the lower one.
  private func decode(_ matrix: ModuleMatrix, _ size: DataMatrixSize) -> (Message, Double)? {
    if DataMatrixSize.all.contains(size), let found = DataMatrixDecoder.decode(size, matrix) { return found }
    let turned = size.turned
    guard DataMatrixSize.all.contains(turned) else { return nil }
    let (columns, rows) = (matrix.columns, matrix.rows)
    let mirrored = matrix.picked(columns: turned.columns, rows: turned.rows) { x, y in
      (columns - 1 - y, rows - 1 - x)
    }
    return DataMatrixDecoder.decode(turned, mirrored)
  }

  /// The modules of finder and timing patterns, and a ring of light around.
  private func knownModules(_ size: DataMatrixSize) -> [KnownModule] {
    var known: [KnownModule] = []
    for y in 0..<size.rows {
      for x in 0..<size.columns {
        guard let dark = size.frame(x, y) else { continue }
        known.append(KnownModule(at: [Double(x) + 0.5, Double(y) + 0.5], isDark: dark))
      }
    }
    return known
  }
}

extension DataMatrixSize {
  /// The same with rows for columns, as a mirror shows it.
  var turned: DataMatrixSize {
    DataMatrixSize(
      rows: columns, columns: rows, regionRows: regionColumns, regionColumns: regionRows, data: data, checks: checks,
      blocks: blocks)
  }

  /// Whether a module of the outer frame is dark; `nil` inside.
  func frame(_ x: Int, _ y: Int) -> Bool? {
    if x == 0 || y == rows - 1 { return true }
    if y == 0 { return x.isMultiple(of: 2) }
    if x == columns - 1 { return !y.isMultiple(of: 2) }
    return nil
  }
}
