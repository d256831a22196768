import WaymarkImage

/// Symbols that are bent or uneven.
extension DataMatrixReader {
  /// Along sides that bend, or whose modules differ in width.
  ///
  /// - Parameters:
  ///   - top, right: those sides as straight lines show them.
  ///   - u, v: a module along the lower and the left side, from the corner outwards.
  ///   - downwards, backwards: a module from the ends of the L back along its sides.
  func followed(
    _ corner: DataMatrixCorner, _ search: DataMatrixTimingSearch, _ top: DataMatrixTiming?,
    _ right: DataMatrixTiming?, _ u: Point2, _ v: Point2, _ downwards: Point2, _ backwards: Point2
  ) -> MatrixDetection? {
    var c = corner
    // A side that seems straight may be longer than what of its border is.
    if c.left.isEmpty {
      c.top = search.end(from: c.corner, to: c.top, inward: u / 2, module: v.length)
      c.right = search.end(from: c.corner, to: c.right, inward: v / 2, module: u.length)
    }
    var (tops, rights) = ([top].compactMap(\.self), [right].compactMap(\.self))
    for gaps in [0, 3] {
      let others = search.follow(from: c.top, back: downwards, along: u, gaps: gaps)
      let beside = search.follow(from: c.right, back: backwards, along: v, gaps: gaps)
      for (i, top) in (others + tops).enumerated() {
        for (j, right) in (beside + rights).enumerated() where i < others.count || j < beside.count {
          let size = DataMatrixSize.both.first { $0.columns == top.modules && $0.rows == right.modules }
          if let size, let found = examine(c, size, top, right: right) { return found }
        }
      }
      tops = others + tops
      rights = beside + rights
    }
    // Where one of them cannot be told, the other says which sizes there are.
    for right in rights.prefix(2) {
      for size in DataMatrixSize.both where size.rows == right.modules && isLikely(size, c) {
        if let top = DataMatrixOutline.even(c, size, beside: right, isTop: true),
          let found = examine(c, size, top, right: right)
        {
          return found
        }
      }
    }
    for top in tops.prefix(2) {
      for size in DataMatrixSize.both where size.columns == top.modules && isLikely(size, c) {
        if let right = DataMatrixOutline.even(c, size, beside: top, isTop: false),
          let found = examine(c, size, top, right: right)
        {
          return found
        }
      }
    }
    return nil
  }

  /// Returns whether modules of that size would be about as wide as they are high.
  private func isLikely(_ size: DataMatrixSize, _ c: DataMatrixCorner) -> Bool {
    let wide = c.corner.distance(to: c.right) / Double(size.columns)
    let high = c.corner.distance(to: c.top) / Double(size.rows)
    return wide < 1.6 * high && high < 1.6 * wide
  }

  private func examine(
    _ c: DataMatrixCorner, _ size: DataMatrixSize, _ top: DataMatrixTiming, right: DataMatrixTiming
  ) -> MatrixDetection? {
    guard let outline = DataMatrixOutline(c, size, top: top, right: right) else { return nil }
    let (columns, rows) = (Double(size.columns), Double(size.rows))
    let corners = outline.map.apply(
      Quadrilateral(topLeft: [0, 0], topRight: [columns, 0], bottomRight: [columns, rows], bottomLeft: [0, rows]))
    var finding = MatrixDetection(
      symbology: .dataMatrix, corners: corners, module: c.length / min(columns, rows), certainty: 0)
    finding.inverted = c.inverted
    let sampler = ModuleSampler(view, columns: size.columns, rows: size.rows, place: outline.place)
    if read(sampler, size, &finding) { return finding }
    // Within a large symbol the patterns between regions say where things are.
    guard size.regionColumns > 1 || size.regionRows > 1, finding.certainty > 0.85 else { return nil }
    let contrast = sampler.contrast { size.fixed($0, $1) }
    let place: (Point2) -> Point2 = { outline.place($0.x, $0.y) }
    let parts = [size.regionWidth, size.regionHeight].map { max(3, ($0 + 2) / 5) }
    guard contrast > 6, let mesh = bend(size, place, contrast: contrast, inverted: c.inverted, parts: parts) else {
      return nil
    }
    let bent = ModuleSampler(view, columns: size.columns, rows: size.rows) {
      outline.place($0, $1) + mesh.shift($0, $1)
    }
    return read(bent, size, &finding) ? finding : nil
  }
}
