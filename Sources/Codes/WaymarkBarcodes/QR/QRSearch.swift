import WaymarkImage

/// The search of one picture for QR codes: its finder patterns, and what they turned out to be.
struct QRSearch {
  /// Finder patterns, over all octaves that were looked at.
  private var field = FinderField()
  /// The results of the finder patterns.
  private(set) var candidates: [QRReader.Candidate] = []
  /// Finder patterns that only a code can have; `nil` also before they were looked for.
  private(set) var trace: FinderTrace?
  /// True if something was left undone because the picture would have cost too much.
  private(set) var isLimited = false
  private let isWanted: Bool
  /// The reader with the budget that is left.
  private var reader: QRReader

  /// Edges of so few gray levels are looked for where there are no stronger ones.
  private static let faintest: UInt8 = 10
  /// Pictures of no more pixels than that are looked at in twice their size.
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

  /// True if there are enough patterns for a code.
  var hasTriplets: Bool { field.found.contains { $0.count >= 3 } }

  /// The codes that are there for certain, but none of `symbols` covers them.
  func unread(beside symbols: [Symbol]) -> [QRReader.Candidate] {
    let open = candidates.filter { candidate in
      candidate.isCode && !candidate.isRead
        && !symbols.contains { $0.symbology.isMatrix && $0.corners.contains(candidate.grid.corners.center) }
    }
    // Several grids may fit one code: the best one speaks for it.
    var distinct: [QRReader.Candidate] = []
    for candidate in open.sorted(by: { $0.timing > $1.timing }) {
      let center = candidate.grid.corners.center
      if !distinct.contains(where: { $0.grid.corners.bounds.contains(center) }) { distinct.append(candidate) }
    }
    return distinct
  }

  /// Codes by the finder patterns that were found so far.
  mutating func read(_ octaves: Octaves) -> [QRReader.Candidate] {
    take(reader.read(octaves, field, beside: candidates))
  }

  private mutating func take(_ found: [QRReader.Candidate]) -> [QRReader.Candidate] {
    if reader.budget.isReached { isLimited = true }
    candidates += found
    return found
  }

  /// Codes by finder patterns that are clear only in every row of the picture, or in twice of it, where rings of two pixels come apart.
  mutating func readScaled(_ image: ImageView, _ octaves: Octaves) -> [QRReader.Candidate] {
    guard isWanted else { return [] }
    // Most of what fails now failed before, in another size.
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

  /// Codes of the picture in another size or with another eye for contrast.
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
