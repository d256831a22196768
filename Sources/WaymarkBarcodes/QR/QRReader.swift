import WaymarkGeometry
import WaymarkImage

/// Reads QR codes from their finder patterns: lays a grid over each, samples it module by module, and hands the library
/// a clean picture.
struct QRReader {
  /// What became of one candidate.
  struct Candidate {
    var view: ImageView
    var grid: QRGrid
    var inverted: Bool
    /// The share of the timing patterns that is right.
    var timing: Double
    /// Wrong bits in the better copy of the format information.
    var formatErrors: Int
    /// The mean contrast of the fixed patterns, in gray levels.
    var contrast: Double
    var symbol: Symbol?
    /// A part of a structured append.
    var part: QRMatrix?

    var isRead: Bool { symbol != nil || part != nil }

    /// The same in the picture of which the one that was read is a larger or smaller copy.
    func scaled(by factor: Double, to source: ImageView) -> Candidate {
      let shift = (factor - 1) / 2
      let map = Homography([factor, 0, shift], [0, factor, shift], [0, 0, 1])
      var other = self
      other.view = source
      other.grid.map = map * grid.map
      other.grid.shifts = grid.shifts.map { (at: $0.at, by: $0.by * factor) }
      other.symbol?.pass = .modulesScaled
      other.symbol?.corners = other.grid.corners
      return other
    }

    /// Whether there is a code for certain, read or not. By chance half of the timing patterns is right, and three wrong
    /// bits of format are as likely as not; the shorter the timing patterns, the more must be right.
    var isCode: Bool {
      if isRead { return true }
      let marks = Double(2 * (grid.layout.side - 16))
      // Standard deviations above chance.
      let surprise = (timing - 0.5) * 2 * marks.squareRoot()
      return surprise >= 3 && formatErrors <= 1 && timing > 0.85 || surprise > 4.2 && timing > 0.85
    }
  }

  /// How many triplets may fail.
  var failures = 4
  /// How many sizes are tried for one triplet.
  var sizes = 3
  /// Dark on light (0), light on dark (1).
  var polarities = [0, 1]
  /// Ways to tell dark from light: neighbourhood in modules, and how much blur is undone.
  var attempts: [(radius: Int, sharpen: Float)] = [(4, 0), (3, 0.6), (5, 1.2)]

  /// Every code that finder patterns point to.
  func read(_ view: ImageView, _ search: FinderSearch, with zbar: inout ZBarScanner) -> [Candidate] {
    var results: [Candidate] = []
    for polarity in polarities {
      var failed = 0
      for triplet in QRTriplet.candidates(among: search.found[polarity], limit: 48) {
        if failed >= failures { break }
        let corners = [triplet.topLeft.center, triplet.topRight.center, triplet.bottomLeft.center]
        // A pattern belongs to one code.
        if results.contains(where: { $0.isRead && corners.contains(where: $0.grid.corners.contains) }) { continue }
        let candidate = read(view, triplet, levels: search.levels, inverted: polarity == 1, with: &zbar)
        if let candidate { results.append(candidate) }
        if candidate?.isRead != true { failed += 1 }
      }
    }
    return results
  }

  private func read(
    _ view: ImageView, _ triplet: QRTriplet, levels: BlockMean, inverted: Bool, with zbar: inout ZBarScanner
  ) -> Candidate? {
    var best: Candidate?
    let corners = TripletCorners(triplet, in: view, levels: levels, inverted: inverted)
    for layout in layouts(triplet, corners) {
      guard let found = examine(view, triplet, corners, layout, inverted: inverted, with: &zbar) else { continue }
      if found.isRead { return found }
      if found.timing > best?.timing ?? 0 { best = found }
    }
    return best
  }

  /// The sizes to try. Counted along the legs they are right for a code seen straight on; where it is tilted, the corners of
  /// the patterns know better.
  private func layouts(_ triplet: QRTriplet, _ corners: TripletCorners?) -> [QRLayout] {
    let counted = triplet.sides
    guard let corners, let guess = counted.first else { return Array(counted.prefix(sizes)) }
    let fitted = corners.layouts(around: guess)
    var order: [QRLayout] = []
    for i in 0..<3 {
      let pair = triplet.isTilted ? [fitted, counted] : [counted, fitted]
      for list in pair where i < list.count && !order.contains(where: { $0.version == list[i].version }) {
        order.append(list[i])
      }
    }
    return Array(order.prefix(sizes))
  }

  private func examine(
    _ view: ImageView, _ triplet: QRTriplet, _ corners: TripletCorners?, _ layout: QRLayout, inverted: Bool,
    with zbar: inout ZBarScanner
  ) -> Candidate? {
    let fit = QRGridFit(view, layout, inverted: inverted)
    guard let flat = fit.fit(triplet, corners), flat.score > 4 else { return nil }
    var candidate = Candidate(
      view: view, grid: flat.grid, inverted: inverted, timing: 0, formatErrors: 15, contrast: flat.score)
    let bent = fit.bend(flat.grid)
    if tryOut(bent, of: &candidate, with: &zbar) { return candidate }
    if !bent.shifts.isEmpty, tryOut(flat.grid, of: &candidate, with: &zbar) { return candidate }
    return candidate
  }

  /// Samples a grid in several ways until one decodes.
  private func tryOut(_ grid: QRGrid, of candidate: inout Candidate, with zbar: inout ZBarScanner) -> Bool {
    let sampler = QRSampler(candidate.view, grid)
    for attempt in attempts {
      var matrix = sampler.matrix(radius: attempt.radius, sharpen: attempt.sharpen, inverted: candidate.inverted)
      let timing = matrix.timing
      if matrix.formatErrors > 3 {
        let mirrored = matrix.transposed
        if mirrored.formatErrors < matrix.formatErrors { matrix = mirrored }
      }
      candidate.timing = max(candidate.timing, timing)
      candidate.formatErrors = min(candidate.formatErrors, matrix.formatErrors)
      // Nothing like a code: do not spend a decoding on it.
      guard timing > 0.7, matrix.formatErrors <= 4 else { return false }
      matrix.restoreFixedPatterns(grid.layout)
      let clean = matrix.draw(scale: QRMatrix.cleanScale)
      let raw = clean.withView { zbar.scan($0) }
      if !raw.incomplete.isEmpty {
        candidate.part = matrix
        candidate.grid = grid
        return true
      }
      if let code = raw.codes.first, var symbol = Symbol(code, pass: .modules) {
        symbol.corners = grid.corners
        candidate.symbol = symbol
        candidate.grid = grid
        return true
      }
    }
    return false
  }
}

extension Quadrilateral {
  /// Whether a point lies inside, edges included; for a convex one.
  func contains(_ p: Point2) -> Bool {
    let c = corners
    return (0..<4).allSatisfy { (c[($0 + 1) % 4] - c[$0]).cross(p - c[$0]) >= 0 }
  }
}
