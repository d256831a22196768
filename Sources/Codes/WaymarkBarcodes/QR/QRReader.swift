import WaymarkImage

/// Reads QR codes from their finder patterns: fits a grid to three matching patterns, samples it module by module, and decodes.
/// `ReadingBudget` below limits its cost.
///
/// There are two rounds. The first reads clear codes from the corners of their patterns at little cost, even sixty codes on a
/// sheet. The second searches the remaining triplets for the fourth corner, climbs to the best map, and tries several ways of
/// separating dark from light.
struct QRReader {
  /// A grid fitted to finder patterns, and the evidence for a code there.
  struct Candidate {
    var grid: QRGrid
    var inverted: Bool
    /// The share of the timing patterns' modules that have their required tone.
    var timing = 0.0
    /// The number of wrong bits in the better copy of the format information.
    var formatErrors = 15
    var message: CodeMessage?

    var isRead: Bool { message != nil }

    /// True if this is certainly a code, read or not. In random pixels, half of the timing patterns matches and three wrong bits of
    /// format are likely, so shorter timing patterns must match to a larger share.
    var isCode: Bool {
      if isRead { return true }
      let marks = Double(2 * (grid.layout.side - 16))
      // The number of standard deviations above chance.
      let surprise = (timing - 0.5) * 2 * marks.squareRoot()
      return surprise >= 3 && formatErrors <= 1 && timing > 0.85 || surprise > 4.2 && timing > 0.85
    }
  }

  /// The number of triplets that may fail in the second round.
  var failures = 3
  /// The second round ends after this many consecutive triplets without a code. In three sets of photographs, no code came after
  /// the eleventh triplet; a picture of leaves has thousands of triplets.
  var tests = 48
  /// The least `QRGridFit.timing` with which a triplet enters the second round: for dark on light, then for light on dark.
  var leastTiming = [0.0, 0.0]
  /// The correlation with a finder pattern that the second-best of the three patterns of a triplet must have for the second round.
  /// Three random textures are below 0.35, the patterns of a code above 0.5 even if one is damaged.
  private static let leastLikeness = 0.4
  /// The number of sizes tried for one triplet.
  private static let sizes = 3
  /// The polarities to read: dark on light (0), light on dark (1).
  var polarities = [0, 1]
  /// True if octaves may be made just to read a triplet.
  var makesOctaves = true
  /// The largest number of pairs of patterns to try per polarity, for codes whose third pattern is lost.
  var pairs = 40
  /// The ways to separate dark from light: the radius of the neighbourhood in modules, and the amount of sharpening.
  private static let attempts: [(radius: Int, sharpen: Float)] = [(4, 0), (3, 0.6), (5, 1.2)]
  var budget: ReadingBudget
  private var decoder = QRDecoder()

  init(budget: ReadingBudget) { self.budget = budget }

  /// A triplet that the first round could not read.
  private struct Leftover {
    var triplet: QRTriplet
    /// The best `QRGridFit.timing` of the maps that the first round tried.
    var timing: Double
  }

  /// The centres of the patterns of triplets that failed in the second round, by polarity, in pixels of the picture.
  private var studied: [[[Point2]]] = [[], []]

  /// Reads every code that the finder patterns show, apart from the known codes.
  ///
  /// - Parameter scale: the number of pixels of the octaves' picture per pixel of the picture.
  mutating func read(
    _ octaves: Octaves, _ field: FinderField, scale: Double = 1, beside known: [Candidate] = []
  ) -> [Candidate] {
    var results: [Candidate] = []
    func isCovered(_ triplet: QRTriplet) -> Bool {
      let centers = triplet.centers
      // A pattern belongs to only one code.
      return (known + results).contains { $0.isRead && centers.contains(where: $0.grid.corners.contains) }
    }
    for polarity in polarities {
      var left: [Leftover] = []
      let patterns = field.found[polarity].map { ringed($0, octaves, dark: polarity == 0) }
      for triplet in QRTriplet.candidates(among: patterns, limit: 4000) where !isCovered(triplet) {
        let (candidate, timing) = glance(octaves, triplet, inverted: polarity == 1)
        if let candidate, candidate.isRead {
          results.append(candidate)
        } else {
          left.append(Leftover(triplet: triplet, timing: timing))
        }
        if budget.isReached { break }
      }
      var (failed, tested) = (0, 0)
      var hasDoubtful = false
      // Sorts stably: of equal candidates, the one with the lower cost comes first.
      let order = left.indices.sorted { (-left[$0].timing, $0) < (-left[$1].timing, $1) }
      for i in order where !isCovered(left[i].triplet) {
        if failed >= failures || tested >= tests || budget.isReached || left[i].timing < leastTiming[polarity] { break }
        tested += 1
        if hasFailed(left[i].triplet, polarity, scale) {
          failed += 1
          continue
        }
        if !isLikely(left[i].triplet, octaves, inverted: polarity == 1) {
          // The best of the strongly tilted triplets is tried although fewer than two of its patterns look like finder patterns:
          // under a strong tilt, the patterns are not where the measured number of modules predicts them.
          guard !hasDoubtful, left[i].triplet.isTilted else { continue }
          hasDoubtful = true
          guard isLikely(left[i].triplet, octaves, inverted: polarity == 1, patterns: 1) else { continue }
        }
        let candidate = study(octaves, left[i].triplet, inverted: polarity == 1)
        if let candidate { results.append(candidate) }
        if candidate?.isRead == true {
          tested = 0
        } else {
          failed += 1
          studied[polarity].append(left[i].triplet.centers.map { $0 / scale })
        }
      }
      for pair in QRPair.candidates(among: patterns, limit: pairs) {
        let isCovered = (known + results).contains { code in
          code.isRead && [pair.first, pair.second].contains { code.grid.corners.contains($0.center) }
        }
        if isCovered { continue }
        if budget.isReached { break }
        if let candidate = guess(octaves, pair, inverted: polarity == 1) { results.append(candidate) }
      }
    }
    return results
  }

  /// Returns whether the second round already failed for the same patterns: in any octave, the grid would be fitted to the same
  /// pixels again.
  private func hasFailed(_ triplet: QRTriplet, _ polarity: Int, _ scale: Double) -> Bool {
    let slack = 0.5 * triplet.module / scale
    return studied[polarity].contains { centers in
      zip(centers, triplet.centers).allSatisfy { $0.distance(to: $1 / scale) < slack }
    }
  }

  /// Returns a pattern with its ring, from the octave on which the pattern was seen best.
  private mutating func ringed(_ pattern: FinderPattern, _ octaves: Octaves, dark: Bool) -> FinderPattern {
    let index = min(pattern.octave, octaves.count - 1)
    let factor = octaves[index].factor
    var whole = pattern
    whole.ring = ringed(pattern.scaled(by: 1 / factor), octaves, at: index, dark: dark).ring?.scaled(by: factor)
    return whole
  }

  /// Returns a pattern with its ring, in pixels of an octave.
  private mutating func ringed(_ pattern: FinderPattern, _ octaves: Octaves, at index: Int, dark: Bool) -> FinderPattern
  {
    var other = pattern
    let octave = octaves[index]
    let looks = Int(50 * pattern.moduleX * pattern.moduleY) + 50
    other.ring =
      budget.spend(looks)
      ? FinderRing(
        around: pattern.center, moduleX: pattern.moduleX, moduleY: pattern.moduleY, in: octave.view,
        levels: octave.levels, dark: dark) : nil
    return other
  }

  // MARK: First round

  /// Reads a code from the corners of its patterns alone, and returns the best `QRGridFit.timing` of the maps tried.
  private mutating func glance(_ octaves: Octaves, _ whole: QRTriplet, inverted: Bool) -> (Candidate?, Double) {
    let octave = octaves[min(whole.octave, octaves.count - 1)]
    guard budget.spend(400), let corners = TripletCorners(whole) else { return (nil, 0) }
    var best = 0.0
    // The first size is nearly always right; then the others need not be measured.
    let likely = whole.isTilted ? nil : whole.sides.first
    for round in 0..<2 {
      let sizes = round == 0 ? [likely].compactMap(\.self) : layouts(whole, corners)
      for layout in sizes where round == 0 || layout.version != likely?.version {
        guard let found = corners.map(layout), found.error < whole.module, budget.spend(8 * layout.side) else {
          continue
        }
        let fit = QRGridFit(octave.view, layout, inverted: inverted)
        let flat = Homography.resize(Point2(1, 1) / octave.factor) * found.map
        let timing = fit.timing(flat)
        best = max(best, timing)
        guard timing >= 0.75 else { continue }
        let map = corners.map(layout, and: fit, flat, factor: octave.factor) ?? flat
        var candidate = Candidate(grid: QRGrid(layout: layout, map: map), inverted: inverted)
        let bent = layout.version >= 7 ? fit.bend(candidate.grid) : candidate.grid
        if tryOut(octave.view, bent, Self.attempts.prefix(1), of: &candidate) {
          candidate.grid = candidate.grid.scaled(by: octave.factor)
          return (candidate, timing)
        }
      }
    }
    return (nil, best)
  }

  // MARK: Second round

  /// Returns whether at least `patterns` of the three patterns of a triplet look like finder patterns.
  private mutating func isLikely(
    _ triplet: QRTriplet, _ octaves: Octaves, inverted: Bool, patterns: Int = 2
  ) -> Bool {
    guard budget.spend(250) else { return false }
    let octave = octaves[min(triplet.octave, octaves.count - 1)]
    return triplet.resembles(
      patterns, least: Self.leastLikeness, octave.view, factor: octave.factor, inverted: inverted)
  }

  private mutating func study(_ octaves: Octaves, _ whole: QRTriplet, inverted: Bool) -> Candidate? {
    var best: Candidate?
    let octave = min(whole.octave, octaves.count - 1)
    // A finer octave shows more of a small code; a coarser octave has less noise.
    let finer = octave > 0 && whole.module / octaves[octave].factor < 4 ? [octave - 1] : []
    let coarser = octave + 1 < octaves.count && whole.module / octaves[octave].factor > 5 ? [octave + 1] : []
    for index in [octave] + finer + coarser where makesOctaves || octaves.isMade(index) {
      let octave = octaves[index]
      var triplet = whole.scaled(by: 1 / octave.factor)
      if index != whole.octave { triplet.ring { ringed($0, octaves, at: index, dark: !inverted) } }
      let corners = TripletCorners(triplet)
      for layout in layouts(triplet, corners) {
        guard var found = examine(octave.view, triplet, corners, layout, inverted: inverted) else { continue }
        found.grid = found.grid.scaled(by: octave.factor)
        if found.isRead { return found }
        if found.timing > best?.timing ?? 0 { best = found }
      }
    }
    return best
  }

  // MARK: Two patterns

  /// Reads a code with only two visible patterns. Their eight corners give a map that is accurate near them; the alignment pattern
  /// and hill climbing make it accurate elsewhere.
  private mutating func guess(_ octaves: Octaves, _ pair: QRPair, inverted: Bool) -> Candidate? {
    let octave = octaves[min(pair.first.octave, octaves.count - 1)]
    let shrink = Homography.resize(Point2(1, 1) / octave.factor)
    for frame in pair.frames {
      for layout in frame.layouts {
        guard budget.spend(400), let found = frame.corners.map(layout), found.error < 0.7 * pair.first.module
        else { continue }
        let fit = QRGridFit(octave.view, layout, inverted: inverted)
        let flat = shrink * found.map
        // The map is accurate at the timing pattern between the two.
        if let direction = frame.isVertical {
          guard fit.timing(flat, [direction]) >= 0.85 else { continue }
        } else {
          guard fit.timing(flat) >= 0.75 else { continue }
        }
        guard budget.spend(fit.cost) else { return nil }
        let start = frame.corners.map(layout, and: fit, flat, factor: octave.factor, reach: 4) ?? flat
        var candidate = Candidate(grid: QRGrid(layout: layout, map: start), inverted: inverted)
        let climbed = QRGrid(layout: layout, map: fit.refine(start, fit.score(start)).map)
        if tryOut(octave.view, candidate.grid, Self.attempts.prefix(1), of: &candidate)
          || tryOut(octave.view, fit.bend(climbed), Self.attempts[...], of: &candidate)
        {
          candidate.grid = candidate.grid.scaled(by: octave.factor)
          return candidate
        }
      }
    }
    return nil
  }

  /// Returns the sizes to try, the likeliest first. For a code seen straight on, these are the sizes from the distances of the
  /// patterns; for a tilted code, the sizes from the corners of the patterns.
  private func layouts(_ triplet: QRTriplet, _ corners: TripletCorners?) -> [QRLayout] {
    let counted = triplet.sides
    guard let corners, let guess = counted.first else { return Array(counted.prefix(Self.sizes)) }
    let fitted = corners.layouts(around: guess)
    var order: [QRLayout] = []
    for i in 0..<3 {
      let pair = triplet.isTilted ? [fitted, counted] : [counted, fitted]
      for list in pair where i < list.count && !order.contains(where: { $0.version == list[i].version }) {
        order.append(list[i])
      }
    }
    return Array(order.prefix(Self.sizes))
  }

  private mutating func examine(
    _ view: ImageView, _ triplet: QRTriplet, _ corners: TripletCorners?, _ layout: QRLayout, inverted: Bool
  ) -> Candidate? {
    let fit = QRGridFit(view, layout, inverted: inverted)
    guard budget.spend(fit.cost), let flat = fit.fit(triplet, corners), fit.contrast(flat.grid.map) > 4 else {
      return nil
    }
    var candidate = Candidate(grid: flat.grid, inverted: inverted)
    let bent = fit.bend(flat.grid)
    if tryOut(view, bent, Self.attempts[...], of: &candidate) { return candidate }
    if bent.mesh != nil, tryOut(view, flat.grid, Self.attempts[...], of: &candidate) { return candidate }
    return candidate
  }

  /// Samples a grid in several ways until one is decoded, then sets the grid and the message of `candidate`; returns false if no
  /// way is decoded.
  private mutating func tryOut(
    _ view: ImageView, _ grid: QRGrid, _ attempts: ArraySlice<(radius: Int, sharpen: Float)>,
    of candidate: inout Candidate
  ) -> Bool {
    let modules = grid.layout.side * grid.layout.side
    guard budget.spend(6 * modules) else { return false }
    let sampler = ModuleSampler(view, columns: grid.layout.side, rows: grid.layout.side, place: grid.place)
    for attempt in attempts {
      guard budget.spend(6 * modules) else { return false }
      let matrix = sampler.matrix(
        radius: attempt.radius, sharpen: attempt.sharpen, inverted: candidate.inverted)
      let timing = matrix.timing
      let formatErrors = min(matrix.formatErrors, matrix.transposed.formatErrors)
      candidate.timing = max(candidate.timing, timing)
      candidate.formatErrors = min(candidate.formatErrors, formatErrors)
      // A grid that is not similar to a code is not decoded.
      guard timing > 0.7, formatErrors <= 4 else { return false }
      if let message = decoder.decode(matrix, grid.layout) {
        candidate.message = message
        candidate.grid = grid
        return true
      }
    }
    return false
  }
}

// MARK: - Budget

/// The budget for reading one picture. It counts sampled pixels rather than seconds, so that results are the same on any machine,
/// and it limits the cost of any picture.
struct ReadingBudget {
  /// The number of pixels that may still be sampled.
  private(set) var left: Int
  /// True if a step was skipped because the budget was spent.
  private(set) var isReached = false

  init(_ looks: Int) { left = looks }

  /// Spends the cost of a step.
  ///
  /// - Returns: false if the budget is spent.
  mutating func spend(_ looks: Int) -> Bool {
    guard left > 0 else {
      isReached = true
      return false
    }
    left -= looks
    return true
  }

  /// The budget of a still picture: about a third of a second.
  static let still = 40_000_000
  /// The budget of a camera frame: less than a tenth of the budget of a still picture.
  static let live = 3_000_000
}
