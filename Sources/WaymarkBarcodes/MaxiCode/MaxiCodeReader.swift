import WaymarkGeometry
import WaymarkImage

/// Reads MaxiCode symbols (ISO/IEC 16023): the round bull's eye says where and how large it is, the six groups of three
/// modules around it how it is turned.
struct MaxiCodeReader {
  let view: ImageView
  /// How many marks may fail.
  var failures = 3

  private static let middle = Point2(15, 16.5)
  /// The height of a row over the width of a module.
  private static let rise = 0.75.squareRoot()

  func read(_ search: BullseyeSearch) -> [MatrixFinding] {
    var findings: [MatrixFinding] = []
    var failed = 0
    for mark in search.marks where mark.isLight && failed < failures {
      if findings.contains(where: { $0.corners.contains(mark.center) }) { continue }
      if let found = read(mark) { findings.append(found) } else { failed += 1 }
    }
    return findings
  }

  private func read(_ mark: BullseyeSearch.Mark) -> MatrixFinding? {
    // Rings of 0.67 mm around a disc of 1.02 mm; modules of 0.88 mm (clause 4.11).
    let unit = Point2(mark.ringX, mark.ringY) * 1.217
    guard max(unit.x, unit.y) < 60, min(unit.x, unit.y) > 1.5, isRound(mark) else { return nil }
    let known = Self.known
    let size = Point2(30, 33)
    let climb = GridClimb(view: view, size: size, known: known, inverted: false)
    var starts: [(map: Homography, score: Double)] = []
    for turn in 0..<180 {
      let angle = Double(turn) * .pi / 90
      let (c, s) = (Double.cosine(angle), Double.sine(angle))
      for scale in [0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15] {
        let w = unit * scale
        let a = Point2(c * w.x, s * w.y)
        let b = Point2(-s * w.x, c * w.y) * Self.rise
        let origin = mark.center - a * Self.middle.x - b * Self.middle.y
        let map = Homography([a.x, b.x, origin.x], [a.y, b.y, origin.y], [0, 0, 1])
        starts.append((map, climb.score(map)))
      }
    }
    starts.sort { $0.score > $1.score }
    guard let best = starts.first, best.score > 20 else { return nil }
    // Of those that look right around the bull's eye, those whose modules differ most.
    let likely = starts.prefix(60).map { (map: $0.map, score: spread($0.map, half: 9)) }.sorted { $0.score > $1.score }
    for start in likely.prefix(3) {
      var map = start.map
      for half in [7.0, 11, 16] { map = sharpest(map, half: half, module: unit.x) }
      let sampler = ModuleSampler(view, columns: 30, rows: 33) { x, y in map.apply(Self.place(x, y)) }
      for sharpen: Float in [0, 0.6] {
        let matrix = sampler.matrix(radius: 5, sharpen: sharpen, inverted: false)
        guard let (message, used) = MaxiCodeDecoder.decode(matrix.dark) else { continue }
        var finding = MatrixFinding(
          symbology: .maxiCode,
          corners: map.apply(
            Quadrilateral(topLeft: [0, 0], topRight: [30, 0], bottomRight: [30, 33], bottomLeft: [0, 33])),
          module: unit.x, certainty: 1)
        finding.message = message
        finding.used = used
        return finding
      }
    }
    return nil
  }

  /// Whether dark and light alternate along every radius, as round rings do and square ones do not.
  private func isRound(_ mark: BullseyeSearch.Mark) -> Bool {
    var (light, dark): ([Double], [Double]) = ([], [])
    for i in 0..<16 {
      let angle = Double(i) * .pi / 8
      let d = Point2(Double.cosine(angle) * mark.ringX, Double.sine(angle) * mark.ringY)
      // The middles of the rings, in widths of what is between the borders of the second dark ring.
      for (k, radius) in [0, 1.17, 2.1, 3.03, 3.96, 4.88].enumerated() {
        let value = QRGrid.sample(view, mark.center + d * radius)
        if k.isMultiple(of: 2) { light.append(value) } else { dark.append(value) }
      }
    }
    let (l, h) = (dark.reduce(0, +) / Double(dark.count), light.reduce(0, +) / Double(light.count))
    guard h - l > 24 else { return false }
    let level = (l + h) / 2
    let right = dark.count { $0 < level } + light.count { $0 > level }
    return right * 10 >= 9 * (dark.count + light.count)
  }

  /// Odd rows lie half a module to the right.
  private static func place(_ x: Double, _ y: Double) -> Point2 {
    Point2(x + (Int(y).isMultiple(of: 2) ? 0 : 0.5), y)
  }

  /// The modules around the bull's eye that are the same in every symbol.
  private static let known: [KnownModule] = {
    var known: [KnownModule] = []
    for (i, number) in MaxiCodePlacement.numbers.enumerated() where number < 0 {
      let (x, y) = (Double(i % 30) + 0.5, Double(i / 30) + 0.5)
      let p = place(x, y)
      let d = (p - middle) * Point2(1, rise)
      if number == -2 || d.length > 5.2 && d.length < 9 { known.append(KnownModule(at: p, isDark: number == -2)) }
    }
    return known
  }()

  /// Moves the corners of the inner part to where its modules differ most.
  private func sharpest(_ start: Homography, half: Double, module: Double) -> Homography {
    let (x, y) = (Self.middle.x, Self.middle.y)
    let frame = Quadrilateral(
      topLeft: [x - half, y - half], topRight: [x + half, y - half], bottomRight: [x + half, y + half],
      bottomLeft: [x - half, y + half])
    return CornerClimb.best(start, frame: frame, module: module) { spread($0, half: half) }
  }

  /// How much the modules of the inner part differ from their mean, in gray levels.
  private func spread(_ map: Homography, half: Double) -> Double {
    var values: [Double] = []
    values.reserveCapacity(900)
    for (i, number) in MaxiCodePlacement.numbers.enumerated() where number >= 0 {
      let p = Self.place(Double(i % 30) + 0.5, Double(i / 30) + 0.5)
      guard abs(p.x - Self.middle.x) < half, abs(p.y - Self.middle.y) < half else { continue }
      var sum = 0.0
      for off in GridClimb.offsets { sum += QRGrid.sample(view, map.apply(p + off)) }
      values.append(sum / 4)
    }
    let mean = values.reduce(0, +) / Double(max(1, values.count))
    return values.reduce(0) { $0 + abs($1 - mean) } / Double(max(1, values.count))
  }
}
