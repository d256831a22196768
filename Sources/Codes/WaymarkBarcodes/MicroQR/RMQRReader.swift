import WaymarkImage

/// Reads rMQR symbols (ISO/IEC 23941): the format information beside the one finder pattern says how large the symbol is; then
/// the grid is followed along the timing patterns of its long sides.
struct RMQRReader {
  let view: ImageView
  /// How many finder patterns may fail.
  var failures = 8

  func read(_ rings: FinderRings) -> [MatrixDetection] {
    rings.detections(failures: failures) { read($0, inverted: $1) }
  }

  private func read(_ ring: Quadrilateral, inverted: Bool) -> MatrixDetection? {
    for corners in ring.turns {
      guard let map = Homography(from: MicroQRReader.outline, to: corners) else { continue }
      let sampler = ModuleSampler(view, columns: 12, rows: 7) { map.apply([$0, $1]) }
      let matrix = sampler.matrix(radius: 4, inverted: inverted)
      var word: UInt32 = 0
      for (i, place) in RMQRSize.formatPlaces.enumerated() where matrix[place.x, place.y] { word |= 1 << UInt32(i) }
      let (size, isHigh, errors) = RMQRSize.format(word)
      guard errors <= 3 else { continue }
      let module = abs(ring.signedArea).squareRoot() / 7
      if let found = examine(map, corners, size, isHigh: isHigh, module: module, inverted: inverted) { return found }
    }
    return nil
  }

  private func examine(
    _ start: Homography, _ ring: Quadrilateral, _ size: RMQRSize, isHigh: Bool, module: Double, inverted: Bool
  ) -> MatrixDetection? {
    let (map, mesh) = followed(start, ring, size, inverted: inverted)
    let (w, h) = (Double(size.columns), Double(size.rows))
    let sampler = ModuleSampler(view, columns: size.columns, rows: size.rows) { x, y in
      map.apply([x, y]) + (mesh?.shift(x, y) ?? Point2(0, 0))
    }
    for (radius, sharpen) in [(4, Float(0)), (3, 0.6), (5, 1.2)] {
      let matrix = sampler.matrix(radius: radius, sharpen: sharpen, inverted: inverted)
      guard matrix.agreement(size.fixed) > 0.85, let message = RMQRDecoder.decode(matrix, size, isHigh: isHigh)
      else { continue }
      let outline = Quadrilateral(topLeft: [0, 0], topRight: [w, 0], bottomRight: [w, h], bottomLeft: [0, h])
      var finding = MatrixDetection(symbology: .rMQR, corners: map.apply(outline), module: module, certainty: 1)
      finding.message = message
      finding.inverted = inverted
      return finding
    }
    return nil
  }

  /// From the finder pattern along both long sides: every ten modules what is fixed around there moves to where it is, and the
  /// map is fitted again to all that was found.
  private func followed(
    _ start: Homography, _ ring: Quadrilateral, _ size: RMQRSize, inverted: Bool
  ) -> (map: Homography, mesh: GridMesh?) {
    var map = start
    let columns = stride(from: 5.0, to: Double(size.columns) - 8, by: 10) + [Double(size.columns) - 4]
    let rows = [1.5, Double(size.rows) - 1.5]
    var places = [Point2?](repeating: nil, count: 2 * columns.count)
    let fixed = zip(MicroQRReader.outline.corners, ring.corners).map { PointPair(reference: $0, frame: $1) }
    for (i, x) in columns.enumerated() {
      for (j, y) in rows.enumerated() {
        var known: [KnownModule] = []
        for v in (j == 0 ? -1 : size.rows - 4)...(j == 0 ? 3 : size.rows) {
          for u in max(0, Int(x) - 6)...min(size.columns - 1, Int(x) + 6) {
            // Around the symbol it is light.
            guard let dark = (0..<size.rows).contains(v) ? size.fixed(u, v) : false else { continue }
            known.append(KnownModule(at: [Double(u) + 0.5, Double(v) + 0.5], isDark: dark))
          }
        }
        let found = PatternWindow(known: known, center: [x, y]).shift(
          view, map.apply, inverted: inverted, guess: [0, 0], reach: 1.25, penalty: 4)
        if let found, found.contrast > 12 { places[j * columns.count + i] = map.apply([x, y]) + found.shift }
      }
      let pairs =
        fixed
        + places.indices.compactMap { node in
          places[node].map {
            PointPair(reference: [columns[node % columns.count], rows[node / columns.count]], frame: $0)
          }
        }
      if let fitted = pairs.withUnsafeBufferPointer({ Homography.fit($0) }), fitted.isFinite { map = fitted }
    }
    let shifts = places.indices.map { node in
      places[node].map { $0 - map.apply([columns[node % columns.count], rows[node / columns.count]]) }
    }
    return (map, GridMesh(columns: columns, rows: rows, found: shifts))
  }
}
