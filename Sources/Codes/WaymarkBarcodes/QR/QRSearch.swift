import WaymarkImage

/// The search of one picture for QR codes: its finder patterns, and the codes read from them. `FinderTrace` below is
/// the evidence of a code, even if it cannot be read.
struct QRSearch {
  /// The finder patterns of all octaves searched so far.
  private var field = FinderField()
  /// The candidates that the finder patterns gave.
  private(set) var candidates: [QRReader.Candidate] = []
  /// Finder patterns that only a code can have; `nil` without such patterns, and before `readScaled`.
  private(set) var trace: FinderTrace?
  /// True if the search was cut short because the picture would have cost too much time.
  private(set) var isLimited = false
  private let isWanted: Bool
  /// The reader, with its remaining budget.
  private var reader: QRReader

  /// The least contrast of edges in gray levels, for pictures without stronger edges.
  private static let faintest: UInt8 = 10
  /// The largest number of pixels of a picture that is also searched at twice its size.
  private static let enlarged = 100_000

  init(_ octaves: Octaves, isWanted: Bool, reader: QRReader) {
    self.isWanted = isWanted
    self.reader = reader
    guard isWanted else { return }
    for index in (octaves.index(ofAtMost: Octaves.searched)..<octaves.count).reversed() {
      look(at: index, of: octaves)
    }
  }

  /// Looks for finder patterns on one octave.
  private mutating func look(at index: Int, of octaves: Octaves, step: Int = FinderSearch.usualStep) {
    let octave = octaves[index]
    let search =
      step == FinderSearch.usualStep
      ? octaves.finders(index) : FinderSearch(octave.view, levels: octave.levels, step: step)
    field.add(search, octave: index, factor: octave.factor)
    if field.isLimited { isLimited = true }
  }

  /// True if there are enough finder patterns for a code.
  var hasTriplets: Bool { field.found.contains { $0.count >= 3 } }

  /// Returns the codes that certainly exist and that no symbol of `symbols` covers.
  func unread(beside symbols: [Symbol]) -> [QRReader.Candidate] {
    let open = candidates.filter { candidate in
      candidate.isCode && !candidate.isRead
        && !symbols.contains { $0.symbology.isMatrix && $0.corners.contains(candidate.grid.corners.center) }
    }
    // Several grids may fit one code, so the best grid is kept.
    var distinct: [QRReader.Candidate] = []
    for candidate in open.sorted(by: { $0.timing > $1.timing }) {
      let center = candidate.grid.corners.center
      if !distinct.contains(where: { $0.grid.corners.bounds.contains(center) }) { distinct.append(candidate) }
    }
    return distinct
  }

  /// Reads codes from the finder patterns found so far.
  mutating func read(_ octaves: Octaves) -> [QRReader.Candidate] {
    take(reader.read(octaves, field, beside: candidates))
  }

  private mutating func take(_ found: [QRReader.Candidate]) -> [QRReader.Candidate] {
    if reader.budget.isReached { isLimited = true }
    candidates += found
    return found
  }

  /// Reads codes whose finder patterns are clear only if every row is searched, or in the enlarged picture, where rings of two pixels
  /// separate.
  mutating func readScaled(_ image: ImageView, _ octaves: Octaves) -> [QRReader.Candidate] {
    guard isWanted else { return [] }
    // Most triplets that fail here have failed before at another size.
    reader.failures = 2
    var found: [QRReader.Candidate] = []
    let coarsest = octaves.index(ofAtMost: Octaves.searched)
    let finest = max(0, coarsest - 1)
    if (image.width >> finest) * (image.height >> finest) <= 4 * Octaves.searched {
      look(at: finest, of: octaves, step: finest == coarsest ? 1 : FinderSearch.usualStep)
      found += read(octaves)
    }
    trace = FinderTrace(field, octaves)
    guard !candidates.contains(where: \.isRead) else { return found }
    let faint = octaves.index(ofAtMost: Octaves.barred)
    found += readRescaled(octaves.view(faint), scale: 1 / Double(1 << faint), flat: Self.faintest)
    guard image.width * image.height <= Self.enlarged, !candidates.contains(where: \.isRead) else { return found }
    return found + image.doubled().withView { readRescaled($0, scale: 2, flat: BlockMean.plain) }
  }

  /// Reads codes in a rescaled copy of the picture, or with another least contrast.
  private mutating func readRescaled(_ view: ImageView, scale: Double, flat: UInt8) -> [QRReader.Candidate] {
    let others = Octaves(view, flat: flat)
    var seen = FinderField()
    for index in (0..<min(2, others.count)).reversed() {
      let octave = others[index]
      let search = FinderSearch(octave.view, levels: octave.levels, step: scale > 1 ? 1 : 2)
      seen.add(search, octave: index, factor: octave.factor)
    }
    if trace == nil { trace = FinderTrace(seen, others)?.scaled(by: 1 / scale) }
    return take(
      reader.read(others, seen, scale: scale).map { candidate in
        var candidate = candidate
        candidate.grid = candidate.grid.scaled(by: 1 / scale)
        return candidate
      })
  }
}

// MARK: - Traces

/// Finder patterns so clear that only a QR code can have them, at any position: the reason to run every pass, and to report a code
/// that could not be read.
///
/// A single pattern is not an accident if it correlates well over at least 45 of its nine by nine modules. Two patterns of the same
/// size may each be less clear.
struct FinderTrace {
  /// A finder pattern, in pixels of the picture.
  struct Mark {
    var center: Point2
    var module: Double
    /// The correlation with a finder pattern, −1 to 1.
    var likeness: Double
    var inverted: Bool
  }

  /// The marks of one size and polarity, the clearest first.
  private(set) var marks: [Mark]

  /// Examines the patterns of a picture, each on the octave that shows it best; `nil` if they are not clear enough.
  init?(_ field: FinderField, _ octaves: Octaves) {
    var best: [Mark] = []
    for polarity in 0..<2 {
      let clear = field.found[polarity].sorted { $0.rings > $1.rings }
      let marks = clear.prefix(48).compactMap { Self.mark($0, octaves, inverted: polarity == 1) }
        .sorted { $0.likeness > $1.likeness }
      guard let first = marks.first else { continue }
      let group = marks.filter { Self.belong($0, first) }
      if group.count > 1 || first.likeness >= 0.75 {
        if (best.first?.likeness ?? 0) < first.likeness { best = Array(group.prefix(3)) }
      } else if let pair = Self.pair(marks), best.isEmpty {
        best = pair
      }
    }
    guard !best.isEmpty else { return nil }
    marks = best
  }

  /// Returns the trace in a copy of the picture of `factor` times the size.
  func scaled(by factor: Double) -> FinderTrace {
    var other = self
    other.marks = marks.map { mark in
      var mark = mark
      mark.center = (mark.center + 0.5) * factor - 0.5
      mark.module *= factor
      return mark
    }
    return other
  }

  /// Returns the first two marks, the clearest first, that may belong to one code; `nil` without such a pair.
  private static func pair(_ marks: [Mark]) -> [Mark]? {
    for (i, a) in marks.enumerated() {
      for b in marks[..<i] where belong(a, b) && a.center != b.center { return [b, a] }
    }
    return nil
  }

  /// Returns whether two marks have about the same size, and a distance that patterns of one code can have.
  private static func belong(_ a: Mark, _ b: Mark) -> Bool {
    let ratio = a.module / b.module
    let distance = a.center.distance(to: b.center) / b.module
    return distance == 0 || ratio > 0.7 && ratio < 1.43 && distance > 12 && distance < 240
  }

  private static func mark(_ pattern: FinderPattern, _ octaves: Octaves, inverted: Bool) -> Mark? {
    let octave = octaves[min(pattern.octave, octaves.count - 1)]
    let p = pattern.scaled(by: 1 / octave.factor)
    guard p.rings >= 13, Double(p.hits) >= p.moduleY, p.module >= 1.2 else { return nil }
    var best = 0.0
    var contrast = 0.0
    // A square repeats every quarter turn; a pattern of seven modules shows its direction to 15°.
    for (cosine, sine) in turns {
      // The extents along rows and columns overstate the modules of a turned square.
      let shrink = max(abs(cosine), abs(sine))
      let width: Double = p.moduleX * shrink
      let height: Double = p.moduleY * shrink
      let u = Point2(cosine, sine) * width
      let v = Point2(-sine, cosine) * height
      let seen = FinderShape.likeness(octave.view, p.center, u, v)
      let likeness = inverted ? -seen.correlation : seen.correlation
      if likeness > best { (best, contrast) = (likeness, abs(seen.contrast)) }
    }
    guard best >= 0.6, contrast >= 12 else { return nil }
    return Mark(center: pattern.center, module: pattern.module, likeness: best, inverted: inverted)
  }

  private static let turns: [(Double, Double)] = [
    (1, 0), (0.9659, 0.2588), (0.866, 0.5), (0.7071, 0.7071), (0.5, 0.866), (0.2588, 0.9659),
  ]

  /// The axis-aligned rectangle around the marks: a pattern alone, or the diagonal or side of a code between two.
  var corners: Quadrilateral {
    let reach = 3.5 * (marks.map(\.module).max() ?? 1)
    let points = marks.flatMap { [$0.center - Point2(reach, reach), $0.center + Point2(reach, reach)] }
    return Quadrilateral(enclosing: points)
  }
}
