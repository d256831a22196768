package import WaymarkDocuments
package import WaymarkImage
package import WaymarkProtocol

/// Decides when a page in front of the camera is captured automatically, and which advice is shown until then.
/// `PageCandidate` below is a page found in a frame.
///
/// A value without clock and I/O. A page must rest for `holdTime`, and the sharpest frame of this time is kept. After a capture the
/// view must change before another page is captured. A page that returns is recognized and not captured again.
package struct PageCapture: Sendable {
  package struct Settings: Sendable {
    /// Seconds that a page rests before it is captured.
    var holdTime = 0.6
    /// The largest movement of a resting page, as a share of its diagonal, between the mean outlines of the first and the last
    /// `glance` seconds.
    var maxDrift = 0.015
    /// The largest distance (`shift`) between an outline and the mean outline of the preceding `glance` + `gap` seconds, as a share
    /// of the diagonal. A larger distance restarts holding.
    let maxJitter = 0.035
    /// The largest movement, as a share of the diagonal, between the mean outlines of the last two periods of `glance` seconds.
    var finalMaxDrift = 0.01
    /// The largest distance between the corners of outlines that are regarded as equal, as a share of the diagonal.
    package var agreement = 0.02
    /// Seconds over which outlines are averaged.
    package var glance = 0.2
    /// Seconds without a page that do not interrupt holding still, as a page may be missed in a frame.
    package var gap = 0.15
    /// Seconds without a page, or with a different one, after which the view is regarded as changed.
    package var change = 0.35
    /// The least score with which holding begins. Two thirds of this score suffice to continue.
    package var leastScore = 0.5
    /// Seconds for which an advice must apply before it is shown.
    package var settling = 0.4

    package init() {}
  }

  /// The page as one frame shows it.
  package struct Observation: Sendable {
    package var outline: Quadrilateral
    package var score: Double
    package var look: PageQuality
    /// True if the page came into view. A blank or dark rectangle that was in view from the start is part of the table.
    package var isNewInView = true
  }

  /// The result of a frame: the phase and the advice to show, and whether the frame is kept or captured.
  package struct Outcome: Sendable {
    package var phase: DocumentPhase
    /// The elapsed share of `holdTime`, 0…1.
    package var progress = 0.0
    package var advice: DocumentAdvice?
    /// True if the frame is the best so far and is to be kept instead of the kept frame.
    package var keeps = false
    /// True if the kept frame is to be captured.
    package var captures = false
  }

  private struct StillPeriod: Sendable {
    var best = -1.0
    var kept: Observation
    /// The time in seconds at which `kept` was seen.
    var keptAt = -Double.infinity
    /// The outlines with their times and scores. The corners of all outlines are in the same order.
    var trail: [(at: Double, outline: Quadrilateral, score: Double)] = []

    var since: Double { trail.first?.at ?? 0 }

    /// The mean outline between two times; nil without one.
    func mean(from: Double, to: Double) -> Quadrilateral? {
      let used = trail.filter { $0.at >= from - 1e-6 && $0.at <= to + 1e-6 }
      guard let first = used.first else { return nil }
      let sums = used.dropFirst().reduce(first.outline.corners) { sums, place in
        zip(sums, place.outline.corners).map { $0 + $1 }
      }
      return Quadrilateral(corners: sums).mapped { $0 / Double(used.count) }
    }

    /// The outline with which most frames since `from` agree to `limit` pixels, and the share of these frames, both weighted by
    /// score. Nil without such a frame.
    func mostFrequent(from: Double, within limit: Double) -> (outline: Quadrilateral, share: Double)? {
      let used = trail.filter { $0.at >= from - 1e-6 }
      let total = used.reduce(0) { $0 + $1.score }
      let votes = used.map { one in
        used.reduce(0) { $1.outline.cornerDistance(to: one.outline) <= limit ? $0 + $1.score : $0 }
      }
      guard let most = votes.max(), let index = votes.lastIndex(of: most), total > 0 else { return nil }
      return (used[index].outline, most / total)
    }
  }

  private let settings: Settings
  private var hold: StillPeriod?
  private var lastSeen: Double?
  /// The captured page, until the view has changed.
  private var shown: Observation? {
    didSet { (changedFraction, changedAt, hasChanged) = (0, nil, false) }
  }
  /// The time since which another page than `shown` has been seen.
  private var otherSince: Double?
  /// The share of the picture that changed recently, the time of its update, and whether it was ever large enough for another sheet
  /// since `shown` was captured.
  private var changedFraction = 0.0
  private var changedAt: Double?
  private var hasChanged = false
  /// The fingerprints of the captured pages, oldest first.
  private var known: [PageFingerprint] = []
  private var hint: (advice: DocumentAdvice, since: Double)?
  /// The shown advice, which may differ from the advice of the last frame.
  private var currentAdvice: DocumentAdvice?
  private static let memory = 64
  /// The value of `PageQuality.brightness` below which paper is dark or poorly lit.
  private static let dark = 0.14
  /// The time constant in seconds with which `changedFraction` decays.
  private static let stirring = 0.33
  /// The largest number of outlines in `StillPeriod.trail`; then the oldest are dropped.
  private static let longestTrail = 512

  /// The time since which the page rests; nil without a resting page.
  var stillSince: Double? { hold?.since }

  package init(_ settings: Settings = Settings()) { self.settings = settings }

  /// Adds the observation of a frame.
  ///
  /// - Parameters:
  ///   - sight: the page; nil if the frame shows none.
  ///   - changedFraction: the share of the picture that has changed since the previous frame.
  ///   - now: the time of the frame, in seconds of any monotonic clock.
  package mutating func see(_ sight: Observation?, changedFraction: Double = 1, at now: Double) -> Outcome {
    if let before = shown { note(changedFraction, against: before, at: now) }
    guard let sight else { return miss(at: now) }
    lastSeen = now
    if let before = shown {
      review(sight, against: before, at: now)
      if shown != nil {
        hold = nil
        return Outcome(phase: .waiting, advice: say(.nextPage, at: now))
      }
    }
    let (advice, isBlocking) = Self.advice(on: sight.look)
    // Scores vary from frame to frame.
    let isTable = (sight.look.marks.isBlank || sight.look.brightness < Self.dark) && !sight.isNewInView
    guard sight.score >= settings.leastScore * (hold == nil ? 1 : 0.67), !isBlocking, !isTable else {
      // A page whose corner is at the border of the picture is cut off in some frames only.
      if let hold, now - (hold.trail.last?.at ?? 0) <= settings.gap {
        return Outcome(phase: .holding, progress: progress(of: hold, at: now), advice: say(advice, at: now))
      }
      hold = nil
      return Outcome(phase: .found, advice: say(advice, at: now))
    }
    return holdStill(sight, advice, at: now)
  }

  /// Notes the page that was captured by the shutter; nil if the captured frame shows none.
  package mutating func captured(_ sight: Observation?) {
    hold = nil
    shown = sight
    otherSince = nil
    if let sight { remember(sight.look.marks) }
  }

  /// Forgets the captured pages, so that the page in view and earlier ones can be captured again.
  package mutating func forget() {
    hold = nil
    shown = nil
    known = []
  }

  private mutating func miss(at now: Double) -> Outcome {
    let absent = lastSeen.map { now - $0 } ?? .infinity
    if absent <= settings.gap {
      if let hold { return Outcome(phase: .holding, progress: progress(of: hold, at: now), advice: currentAdvice) }
      return Outcome(phase: shown == nil ? .found : .waiting, advice: currentAdvice)
    }
    hold = nil
    if absent >= settings.change { shown = nil }
    if shown != nil { return Outcome(phase: .waiting, advice: currentAdvice) }
    return Outcome(phase: .searching, advice: say(nil, at: now))
  }

  /// Adds up the changes of the picture, also in frames without a page, such as while one sheet is laid over another.
  private mutating func note(_ change: Double, against before: Observation, at now: Double) {
    let passed = changedAt.map { min(max(now - $0, 0), 1) } ?? 0
    changedAt = now
    changedFraction = changedFraction * max(0, 1 - passed / Self.stirring) + change
    if changedFraction > 0.15 * before.look.share { hasChanged = true }
  }

  /// Detects that the captured page is gone.
  private mutating func review(_ sight: Observation, against before: Observation, at now: Double) {
    // With few changes the page is the same, even if its outline is found at another position.
    guard hasChanged else { return }
    let moved = Self.motion(sight.outline, before.outline)
    let differs = sight.look.marks.similarity(to: before.look.marks) < 0.5
    // A moved page is compared with all captured pages when it rests.
    guard moved > 0.25 || differs else {
      otherSince = nil
      return
    }
    if otherSince == nil { otherSince = now }
    if let otherSince, now - otherSince >= settings.change { shown = nil }
  }

  private mutating func holdStill(_ sight: Observation, _ advice: DocumentAdvice?, at now: Double) -> Outcome {
    var current = hold ?? StillPeriod(kept: sight)
    let (glance, diagonal) = (settings.glance, Self.diagonal(sight.outline))
    var outline = sight.outline
    if let mean = current.mean(from: now - glance - settings.gap, to: now) {
      outline = outline.aligned(to: mean)
      if Self.shift(outline, mean) > settings.maxJitter * diagonal { current = StillPeriod(kept: sight) }
    }
    current.trail.append((now, outline, sight.score))
    if current.trail.count > Self.longestTrail { current.trail.removeFirst() }
    // The period of rest begins when the page reached its present position.
    while let early = current.mean(from: current.since, to: current.since + glance),
      let late = current.mean(from: now - glance, to: now),
      Self.shift(late, early) > settings.maxDrift * diagonal
    {
      current.trail.removeFirst()
    }
    var outcome = Outcome(phase: .holding, progress: progress(of: current, at: now), advice: say(advice, at: now))
    let limit = settings.agreement * diagonal
    let common = current.mostFrequent(from: now - settings.holdTime - settings.glance, within: limit)
    func isCommon(_ outline: Quadrilateral) -> Bool {
      common.map { outline.largestCornerDistance(to: $0.outline) <= limit } ?? false
    }
    // A page without marks has no sharpness; the newest frame is kept.
    let quality = sight.look.sharpness.map { $0.across + $0.down - 4 * sight.look.glare } ?? 0
    // A frame kept before the page came to rest shows it moving.
    let isKeptGood = current.keptAt >= current.since && isCommon(current.kept.outline)
    if !isKeptGood || quality >= current.best && isCommon(outline) {
      current.best = quality
      current.kept = sight
      current.keptAt = now
      outcome.keeps = true
    }
    hold = current
    guard outcome.progress >= 1, current.trail.count >= 3, let late = current.mean(from: now - glance, to: now),
      // The previous frame, if frames are farther apart than `glance`.
      let before = current.mean(from: now - 2 * glance, to: now - glance) ?? current.trail.dropLast().last?.outline,
      Self.shift(late, before) <= settings.finalMaxDrift * diagonal,
      // If the detector alternates between outlines, one outline must have at least half of the weight.
      let common, common.share >= 0.5, isCommon(current.kept.outline)
    else { return outcome }
    hold = nil
    shown = current.kept
    otherSince = nil
    guard !known.contains(where: { $0.isSame(as: current.kept.look.marks) }) else {
      outcome.phase = .waiting
      outcome.progress = 0
      outcome.advice = .alreadyCaptured
      hint = (.alreadyCaptured, now)
      currentAdvice = .alreadyCaptured
      return outcome
    }
    remember(current.kept.look.marks)
    outcome.phase = .waiting
    outcome.captures = true
    outcome.advice = nil
    return outcome
  }

  private mutating func remember(_ marks: PageFingerprint) {
    // Fingerprints do not distinguish blank sheets; only a changed view does.
    guard !marks.isBlank else { return }
    known.append(marks)
    if known.count > Self.memory { known.removeFirst() }
  }

  private func progress(of hold: StillPeriod, at now: Double) -> Double {
    min(1, max(0, (now - hold.since) / max(settings.holdTime, 1e-3)))
  }

  /// Returns the advice to show; nil without advice. New advice replaces the shown advice after it has applied for `settling`
  /// seconds, so that the display does not flicker.
  private mutating func say(_ advice: DocumentAdvice?, at now: Double) -> DocumentAdvice? {
    var advice = advice
    // `alreadyCaptured` stays until the page is gone.
    if advice == .nextPage, currentAdvice == .alreadyCaptured { advice = .alreadyCaptured }
    if advice != hint?.advice { hint = advice.map { ($0, now) } }
    if let hint, hint.advice == currentAdvice || now - hint.since >= settings.settling { currentAdvice = hint.advice }
    if hint == nil { currentAdvice = nil }
    return currentAdvice
  }

  /// Returns the advice about a page, and whether it prevents automatic capture.
  private static func advice(on look: PageQuality) -> (advice: DocumentAdvice?, isBlocking: Bool) {
    if look.isCut { return (.showWholePage, true) }
    if look.share < 0.03 { return (.moveCloser, true) }
    // Dark paper in good light is acceptable.
    if look.brightness < dark, look.light < 0.3 { return (.moreLight, true) }
    if look.foreshortening < 0.4 { return (.holdStraight, true) }
    if let sharpness = look.sharpness, max(sharpness.across, sharpness.down) < 0.11 { return (.blurred, true) }
    // A narrow receipt covers little of the picture: the advice does not prevent its capture.
    if look.share < 0.06 { return (.moveCloser, false) }
    return (look.glare > 0.02 ? .glare : nil, false)
  }

  /// The largest movement of a corner as a share of the diagonal, with the corners in the order that matches best.
  private static func motion(_ a: Quadrilateral, _ b: Quadrilateral) -> Double {
    a.largestCornerDistance(to: b) / diagonal(b)
  }

  /// The second smallest movement of a corner, in pixels. If two corners rest, the sheet rests too, and the detector mistook
  /// another line for one of its sides.
  private static func shift(_ a: Quadrilateral, _ b: Quadrilateral) -> Double {
    (0..<4).map { a[$0].distance(to: b[$0]) }.sorted()[1]
  }

  private static func diagonal(_ q: Quadrilateral) -> Double { max(1e-9, q.longerDiagonal) }
}

/// A page that was found in a frame, with the probability that it is a page.
package struct PageCandidate: Sendable {
  package var outline: Quadrilateral
  /// The probability that it is a page, 0…1.
  package var score: Double
  /// `DetectedPage.logOdds`; nil if unknown.
  var logOdds: Double?

  package init(outline: Quadrilateral, score: Double) {
    self.outline = outline
    self.score = score
  }

  init(_ page: DetectedPage) {
    self.init(outline: page.outline, score: page.score)
    logOdds = page.logOdds
  }

  /// Raises or lowers the score by evidence other than the picture of the page, such as the background model.
  mutating func weigh(_ weight: Weight) {
    switch weight {
    case .likelier: score = score.squareRoot()
    case .unlikelier: score *= 0.6
    }
    logOdds? += weight == .likelier ? 1.5 : -1.5
  }

  enum Weight {
    case likelier
    case unlikelier
  }
}
