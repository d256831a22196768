import WaymarkImage

/// Reads Data Matrix symbols (ISO/IEC 16022 and ISO/IEC 21471): finds the L by the straight borders of its sides and the size
/// by the alternating sides opposite, then samples every module.
struct DataMatrixReader {
  let view: ImageView
  let levels: BlockMean
  /// True to try several ways of counting and sampling the modules of a symbol; false in a live frame, because the next one is
  /// another chance.
  let isThorough: Bool
  /// The number of corners that may fail after a search of their alternating sides. In a still picture, eight corners that fail
  /// before this search cost as much as one that fails after it.
  let failures: Int

  /// True to also look for symbols that are partly outside the picture.
  var findsCut = true

  /// The result of one search of a picture.
  struct Look {
    var detections: [MatrixDetection] = []
    /// The outlines of symbols that were seen, by their L and an alternating side, but not decoded.
    var frames: [Quadrilateral] = []
    /// True if the search ended before the last corner.
    var isLimited = false
  }

  /// The largest number of corners examined: a photograph of racks has hundreds.
  private static let glances = (live: 200, still: 8000)
  /// The least number of modules of an alternating side that is a sufficient sign of a symbol: the number of the smallest symbol.
  private static let framed = 10

  /// Reads the symbols whose L is among the borders of a picture.
  ///
  /// - Parameter known: the corners of symbols that were read before; their areas are not searched.
  func read(_ contours: Contours, known: [Quadrilateral] = []) -> Look {
    var look = Look(isLimited: contours.isLimited)
    var places = known
    // The failures still allowed, in eighths of a corner: a corner that fails before the search of its sides costs one eighth.
    var left = 8 * failures
    var glances = isThorough ? Self.glances.still : Self.glances.live
    let cut = CroppedDataMatrixFinder(view: view, levels: levels)
    for corner in DataMatrixCorner.find(in: contours) {
      if left <= 0 || glances == 0 {
        look.isLimited = true
        break
      }
      if !isThorough, !corner.left.isEmpty { continue }
      let middle = (corner.top + corner.right) / 2
      if places.contains(where: { $0.contains(middle) }) { continue }
      glances -= 1
      let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: corner.inverted)
      guard DataMatrixStroke.isFilled(corner, search) else { continue }
      var stage = Stage.corner
      guard let found = read(corner, &stage) ?? (findsCut ? cut.finding(corner) : nil) else {
        left -= stage == .corner && isThorough ? 1 : 8
        if stage == .framed { look.frames.append(corner.outline) }
        continue
      }
      if found.isRead {
        places.append(found.corners)
      } else {
        look.frames.append(found.corners)
        left -= 32
      }
      look.detections.append(found)
    }
    if findsCut { look.detections += cut.detections(contours) }
    return look
  }

  /// The last check that a corner passed.
  private enum Stage {
    /// Two sides that may be strokes.
    case corner
    /// An L whose alternating sides were searched.
    case strokes
    /// An L with alternating tones at its ends.
    case framed
  }

  private func read(_ c: DataMatrixCorner, _ stage: inout Stage) -> MatrixDetection? {
    let (up, base) = (c.top - c.corner, c.right - c.corner)
    let (height, width) = (up.length, base.length)
    let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: c.inverted)
    // The directions to the inner side of each stroke.
    let inwardLeft = normal(up, towards: base)
    let inwardBottom = normal(base, towards: up)
    guard let left = search.thickness(from: c.corner, to: c.top, along: c.left, inward: inwardLeft),
      let bottom = search.thickness(from: c.corner, to: c.right, along: c.lower, inward: inwardBottom)
    else { return nil }
    let sine = abs(up.cross(base)) / (height * width)
    // If the symbol is slanted, the stroke is thicker when measured along the other side.
    let (pitchX, pitchY) = (left / sine, bottom / sine)
    guard pitchX < 3 * pitchY, pitchY < 3 * pitchX, height > 6 * pitchY, width > 6 * pitchX else { return nil }
    guard
      DataMatrixStroke.isL(
        c, search, inward: (inwardLeft, inwardBottom), thickness: (left, bottom), pitch: [pitchX, pitchY])
    else { return nil }
    stage = .strokes
    let (u, v) = (base / width * pitchX, up / height * pitchY)
    // The last quarter of a bent side gives the direction at its end.
    let downwards = c.left.count > 4 ? direction(c.top, c.left[3 * c.left.count / 4]) * pitchY : -v
    let backwards = c.lower.count > 4 ? direction(c.right, c.lower[3 * c.lower.count / 4]) * pitchX : -u
    // The thickness of the strokes gives an approximate number of modules: a side that shows fewer is searched more closely.
    let (across, down) = (Int((width / pitchX).rounded()), Int((height / pitchY).rounded()))
    func pattern(_ end: Point2, _ back: Point2, _ along: Point2, _ length: Double, _ modules: Int) -> DataMatrixTiming?
    {
      let plain = search.pattern(from: end, back: back, along: along, length: length)
      if !isThorough { return plain }
      if let plain, 4 * plain.modules > 3 * modules { return plain }
      let shaded = search.pattern(from: end, back: back, along: along, length: length, isShaded: true)
      return (shaded?.modules ?? 0) > (plain?.modules ?? 0) ? shaded : plain
    }
    let top = pattern(c.top, downwards, u, width, across)
    let right = pattern(c.right, backwards, v, height, down)
    guard top != nil || right != nil else { return nil }
    if top != nil && right != nil || max(top?.modules ?? 0, right?.modules ?? 0) >= Self.framed { stage = .framed }
    var best: MatrixDetection?
    func take(_ size: DataMatrixSize, _ top: DataMatrixTiming, _ right: DataMatrixTiming) -> Bool {
      guard let found = examine(c, size, top, right) else { return false }
      if found.isRead || found.certainty > best?.certainty ?? 0 { best = found }
      return found.isRead
    }
    if let top, let right {
      for size in sizes(across: top.modules, down: right.modules) where take(size, top, right) { return best }
    }
    guard isThorough else { return best }
    // If one of the alternating sides is smeared, the stroke opposite to it gives an approximate number of modules.
    let none = DataMatrixTiming(changes: [])
    if let right {
      for size in sizes(across: across, down: right.modules)
      where size.rows == right.modules && size.columns != top?.modules && take(size, none, right) {
        return best
      }
    }
    if let top {
      for size in sizes(across: top.modules, down: down)
      where size.columns == top.modules && size.rows != right?.modules && take(size, top, none) {
        return best
      }
    }
    if let found = followed(c, search, top, right, u, v, downwards, backwards) { return found }
    // If modules differ in width, the most even line may have a wrong number of modules.
    if let top, let right, let certainty = best?.certainty, certainty > 0.8 {
      for size in sizes(across: top.modules, down: right.modules)
      where size.columns != top.modules && size.rows != right.modules && take(size, none, none) {
        return best
      }
    }
    return best
  }

  private func normal(_ a: Point2, towards b: Point2) -> Point2 {
    let n = Point2(-a.y, a.x) / a.length
    return n.dot(b) < 0 ? -n : n
  }

  private func direction(_ a: Point2, _ b: Point2) -> Point2 { (b - a) / max(1e-9, a.distance(to: b)) }

  /// Returns at most three sizes close to the counted modules, the closest first. In a mirror rows and columns are exchanged.
  private func sizes(across: Int, down: Int) -> [DataMatrixSize] {
    var near: [(size: DataMatrixSize, off: Int)] = []
    for size in DataMatrixSize.both {
      let off = abs(size.columns - across) + abs(size.rows - down)
      if off <= 2 + (size.columns + size.rows) / 12 { near.append((size, off)) }
    }
    near.sort { $0.off < $1.off }
    return near.prefix(3).map { $0.size }
  }

  private func examine(
    _ c: DataMatrixCorner, _ size: DataMatrixSize, _ top: DataMatrixTiming, _ right: DataMatrixTiming
  ) -> MatrixDetection? {
    let (columns, rows) = (Double(size.columns), Double(size.rows))
    var pairs = [
      PointPair(reference: [0, rows], frame: c.corner), PointPair(reference: [0, 0], frame: c.top),
      PointPair(reference: [columns, rows], frame: c.right),
    ]
    // A wrong count affects only the positions at the far end.
    let x = top.modules == size.columns ? top.changes.count : min(top.changes.count, size.columns - 1) / 2
    let y = right.modules == size.rows ? right.changes.count : min(right.changes.count, size.rows - 1) / 2
    for (k, p) in top.changes.prefix(x).enumerated() {
      pairs.append(PointPair(reference: [Double(k + 1), 0.5], frame: p))
    }
    for (k, p) in right.changes.prefix(y).enumerated() {
      pairs.append(PointPair(reference: [columns - 0.5, rows - Double(k + 1)], frame: p))
    }
    // Only the L is known: opposite sides are assumed to be equally long.
    if pairs.count == 3 { pairs.append(PointPair(reference: [columns, 0], frame: c.top + c.right - c.corner)) }
    guard let fitted = Homography.fit(pairs) else { return nil }
    let known = knownModules(size)
    // Refining the corners of a grid cannot turn something else into a frame.
    let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: c.inverted)
    let agreeing = known.count { search.isDark(fitted.apply($0.at)) == $0.isDark }
    guard 10 * agreeing >= 6 * known.count else { return nil }
    let module = c.length / Double(min(size.rows, size.columns))
    let refine = GridRefinement(view: view, size: [columns, rows], known: known, inverted: c.inverted)
    let (map, contrast) = refine.refine(fitted, module: module)
    guard contrast > 6 else { return nil }
    var finding = MatrixDetection(
      symbology: .dataMatrix, corners: map.apply(Quadrilateral(width: columns, height: rows)), module: module,
      certainty: 0, inverted: c.inverted)
    for attempt in 0..<(isThorough ? 4 : 2) {
      // The slower attempts are only for symbols whose frame was seen.
      if attempt > 1, finding.certainty < 0.75 { break }
      guard let sampler = sampler(attempt, size, map, contrast: contrast, inverted: c.inverted) else {
        continue
      }
      if read(sampler, size, &finding) { return finding }
    }
    return finding.certainty > 0.97 ? finding : nil
  }

  /// Decodes the modules into `finding`. If that fails, returns false and raises the certainty of `finding` to the share of the
  /// frame that was seen.
  func read(_ sampler: ModuleSampler, _ size: DataMatrixSize, _ finding: inout MatrixDetection) -> Bool {
    for (radius, sharpen) in [(5, Float(0)), (3, 0.6), (6, 1.2)] {
      let matrix = sampler.matrix(radius: radius, sharpen: sharpen, inverted: finding.inverted)
      let fit = matrix.agreement(size.frame)
      finding.certainty = max(finding.certainty, fit)
      guard fit > 0.8, let message = decode(matrix, size) else { continue }
      finding.message = message
      finding.certainty = 1
      return true
    }
    return false
  }

  /// Returns a sampler for an attempt: for a plane; for a curved surface; for columns and rows of different width; and for a
  /// wrinkled surface.
  private func sampler(
    _ attempt: Int, _ size: DataMatrixSize, _ map: Homography, contrast: Double, inverted: Bool
  ) -> ModuleSampler? {
    let (columns, rows) = (size.columns, size.rows)
    switch attempt {
    case 0: return ModuleSampler(view, columns: columns, rows: rows) { map.apply([$0, $1]) }
    case 2:
      let search = DataMatrixTimingSearch(view: view, levels: levels, inverted: inverted)
      guard let uneven = DataMatrixSpacing(size, map, search) else { return nil }
      return ModuleSampler(view, columns: columns, rows: rows) { map.apply(uneven.place($0, $1)) }
    default:
      // Divides each region at least in halves: the outer patterns are visible at every division.
      let parts = attempt == 1 ? [2, 2] : [size.regionWidth, size.regionHeight].map { max(3, ($0 + 2) / 5) }
      guard let mesh = bend(size, map.apply, contrast: contrast, inverted: inverted, parts: parts) else { return nil }
      return ModuleSampler(view, columns: columns, rows: rows) { map.apply([$0, $1]) + mesh.shift($0, $1) }
    }
  }

  /// Returns the shifts that move points to their measured positions, for a symbol on a surface that is not flat: the surroundings
  /// of each crossing of the patterns between regions, and points along the outer patterns.
  ///
  /// - Parameter parts: the number of parts of each region to search, across and down.
  func bend(
    _ size: DataMatrixSize, _ place: (Point2) -> Point2, contrast: Double, inverted: Bool, parts: [Int]
  ) -> GridMesh? {
    func lines(_ count: Int, _ step: Int, _ parts: Int) -> [Double] {
      (0...(parts * count)).map { Double($0 * step) / Double(parts) }
    }
    let columns = lines(size.regionColumns, size.regionWidth + 2, parts[0])
    let rows = lines(size.regionRows, size.regionHeight + 2, parts[1])
    var shifts = [Point2?](repeating: nil, count: columns.count * rows.count)
    let n = columns.count
    // From the corner of the L outwards: the shifts of the neighbours are the initial guess.
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
        view, place, inverted: inverted, guess: GridMesh.mean(around: node, shifts, n) ?? [0, 0], reach: 1.5,
        penalty: 0.06 * contrast)
      if let found, found.contrast > 0.55 * contrast { shifts[node] = found.shift }
    }
    return GridMesh(columns: columns, rows: rows, found: shifts, cells: parts)
  }

  /// Decodes the modules or, for a mirrored symbol, their mirror image, whose left side is the lower side.
  private func decode(_ matrix: ModuleMatrix, _ size: DataMatrixSize) -> CodeMessage? {
    if DataMatrixSize.all.contains(size), let found = DataMatrixDecoder.decode(size, matrix) { return found }
    let turned = size.turned
    guard DataMatrixSize.all.contains(turned) else { return nil }
    let (columns, rows) = (matrix.columns, matrix.rows)
    let mirrored = matrix.picked(columns: turned.columns, rows: turned.rows) { x, y in
      (columns - 1 - y, rows - 1 - x)
    }
    return DataMatrixDecoder.decode(turned, mirrored)
  }

  /// Returns the modules of the outer frame: the L and the alternating sides.
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
