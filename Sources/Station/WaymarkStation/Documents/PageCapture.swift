package import WaymarkDocuments
package import WaymarkImage

/// Decides when a page in front of the camera is captured automatically, and which advice is given until then.
///
/// A value without clock and I/O: it is told what each frame shows and when it was captured, and says what to do. A page must rest for
/// `holdTime`; the sharpest frame of that time is the one that is kept. After a capture it waits until the view has changed, and a page
/// that was captured before is known again when it comes back.
package struct PageCapture: Sendable {
  /// The limits.
  package struct Settings: Sendable {
    /// Seconds that a page rests before it is captured.
    var holdTime = 0.6
    /// How far a corner may move in that time, as a share of the page's diagonal: the mean of its places in the last `glance` seconds
    /// from that in the first.
    var maxDrift = 0.015
    /// How far it may be from the mean of its last places in one frame: a hand trembles, and finding errs.
    let maxJitter = 0.035
    /// How far it may move from one `glance` to the last.
    var finalMaxDrift = 0.01
    /// Outlines whose corners are not farther apart are the same.
    package var agreement = 0.02
    /// Seconds.
    package var glance = 0.2
    /// Seconds without a page that do not interrupt holding still: a frame in which it was missed.
    package var gap = 0.15
    /// Seconds without a page, or with quite another one, after which the view counts as changed.
    package var change = 0.35
    /// No page that is less likely begins to be captured by itself; two thirds of it keep one that is held.
    package var leastScore = 0.5
    /// Seconds that a hint must hold before it is told.
    package var settling = 0.4

    package init() {}
  }

  /// The observation of one frame.
  package struct Sighting: Sendable {
    package var outline: Quadrilateral
    package var score: Double
    package var look: PageQuality
    /// True if it came into view: a bare or dark rectangle that has always been there is the table's.
    package var isNewInView: Bool

    package init(outline: Quadrilateral, score: Double, look: PageQuality, isNewInView: Bool = true) {
      self.outline = outline
      self.score = score
      self.look = look
      self.isNewInView = isNewInView
    }
  }

  /// An advice to a person.
  package enum Advice: String, Sendable, CaseIterable {
    /// The page is not wholly in view.
    case showWholePage
    /// It is too small in the picture.
    case moveCloser
    /// It is too dark.
    case moreLight
    /// It is seen too obliquely.
    case holdStraight
    /// It is out of focus.
    case blurred
    /// Light is reflected by it.
    case glare
    /// It was captured: turn it over or show the next.
    case nextPage
    /// It was captured before.
    case alreadyCaptured

  }

  /// How far it has come.
  package enum Phase: String, Sendable {
    /// No page is in view.
    case searching
    /// One is in view, but moves, or cannot be captured well.
    case found
    /// It is held still.
    case holding
    /// It was captured; the next one is waited for.
    case waiting
  }

  /// The outcome of a frame.
  package struct Outcome: Sendable {
    package var phase: Phase
    /// How much of the time of holding still is over, 0…1.
    package var progress = 0.0
    package var advice: Advice?
    /// The frame is the best so far: to be kept instead of the one before.
    package var keeps = false
    /// The frame that was kept last is the page.
    package var captures = false
  }

  private struct StillPeriod: Sendable {
    var best = -1.0
    var kept: Sighting
    /// When `kept` was seen.
    var keptAt = -Double.infinity
    /// Where the page was, all outlines begun at the same corner, and how likely it was one.
    var trail: [(at: Double, outline: Quadrilateral, score: Double)] = []

    var since: Double { trail.first?.at ?? 0 }

    /// The mean of where it was between two times.
    func mean(from: Double, to: Double) -> Quadrilateral? {
      let used = trail.filter { $0.at >= from - 1e-6 && $0.at <= to + 1e-6 }
      guard let first = used.first else { return nil }
      let sums = used.dropFirst().reduce(first.outline.corners) { sums, place in
        zip(sums, place.outline.corners).map { $0 + $1 }
      }
      return Quadrilateral(corners: sums).mapped { $0 / Double(used.count) }
    }

    /// The outline on which most frames from then on agree, each as far as it is sure; and their share.
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
  /// The page that was captured last, as long as the view has not changed; and since when something else is seen in its place.
  private var shown: Sighting? {
    didSet { (changedFraction, changedAt, hasChanged) = (0, nil, false) }
  }
  private var otherSince: Double?
  /// The part that has changed lately since `shown` was captured, and whether it was ever enough for another sheet.
  private var changedFraction = 0.0
  private var changedAt: Double?
  private var hasChanged = false
  /// The pages captured.
  private var known: [PageFingerprint] = []
  private var hint: (advice: Advice, since: Double)?
  private var told: Advice?
  private static let memory = 64
  /// The `PageQuality.brightness` of dark paper, or of any in the dark.
  private static let dark = 0.14
  /// Seconds in which what has stirred no longer counts.
  private static let stirring = 0.33
  /// Places of a page that is held, at most: more than are looked back at.
  private static let longestTrail = 512

  /// Since when the page that is in view rests; nil while none does.
  var stillSince: Double? { hold?.since }

  /// Nothing captured yet.
  package init(_ settings: Settings = Settings()) { self.settings = settings }

  /// Takes in what the frame captured at `now` (seconds of any steady clock) shows; nil: no page.
  ///
  /// - Parameter changedFraction: the share of the picture that has changed since the frame before.
  package mutating func see(_ sight: Sighting?, changedFraction: Double = 1, at now: Double) -> Outcome {
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
    // A score that is judged again in every frame wavers.
    let isTable = (sight.look.marks.isBlank || sight.look.brightness < Self.dark) && !sight.isNewInView
    guard sight.score >= settings.leastScore * (hold == nil ? 1 : 0.67), !isBlocking, !isTable else {
      // A corner close to the border is now within the picture and now not.
      if let hold, now - (hold.trail.last?.at ?? 0) <= settings.gap {
        return Outcome(phase: .holding, progress: progress(of: hold, at: now), advice: say(advice, at: now))
      }
      hold = nil
      return Outcome(phase: .found, advice: say(advice, at: now))
    }
    return holdStill(sight, advice, at: now)
  }

  /// A page was captured otherwise: by the shutter.
  package mutating func captured(_ sight: Sighting?) {
    hold = nil
    shown = sight
    otherSince = nil
    if let sight { remember(sight.look.marks) }
  }

  /// The page in view may be captured once more, whether it was before or not.
  package mutating func forget() {
    hold = nil
    shown = nil
    known = []
  }

  private mutating func miss(at now: Double) -> Outcome {
    let absent = lastSeen.map { now - $0 } ?? .infinity
    if absent <= settings.gap {
      if let hold { return Outcome(phase: .holding, progress: progress(of: hold, at: now), advice: told) }
      return Outcome(phase: shown == nil ? .found : .waiting, advice: told)
    }
    hold = nil
    if absent >= settings.change { shown = nil }
    if shown != nil { return Outcome(phase: .waiting, advice: told) }
    return Outcome(phase: .searching, advice: say(nil, at: now))
  }

  /// Adds up what stirs, frames without a page included: with one sheet laid over another there is none for a moment.
  private mutating func note(_ change: Double, against before: Sighting, at now: Double) {
    let passed = changedAt.map { min(max(now - $0, 0), 1) } ?? 0
    changedAt = now
    changedFraction = changedFraction * max(0, 1 - passed / Self.stirring) + change
    if changedFraction > 0.15 * before.look.share { hasChanged = true }
  }

  /// Returns whether the page that was captured last is gone.
  private mutating func review(_ sight: Sighting, against before: Sighting, at now: Double) {
    // As long as little stirs the page is the same, whatever is taken for its outline.
    guard hasChanged else { return }
    let moved = Self.motion(sight.outline, before.outline)
    let differs = sight.look.marks.similarity(to: before.look.marks) < 0.5
    // Elsewhere it may be the same page, pushed about; it is compared with all that were captured when it rests.
    guard moved > 0.25 || differs else {
      otherSince = nil
      return
    }
    if otherSince == nil { otherSince = now }
    if let otherSince, now - otherSince >= settings.change { shown = nil }
  }

  private mutating func holdStill(_ sight: Sighting, _ advice: Advice?, at now: Double) -> Outcome {
    var current = hold ?? StillPeriod(kept: sight)
    let (glance, diagonal) = (settings.glance, Self.diagonal(sight.outline))
    var outline = sight.outline
    if let mean = current.mean(from: now - glance - settings.gap, to: now) {
      outline = outline.aligned(to: mean)
      if Self.shift(outline, mean) > settings.maxJitter * diagonal { current = StillPeriod(kept: sight) }
    }
    current.trail.append((now, outline, sight.score))
    if current.trail.count > Self.longestTrail { current.trail.removeFirst() }
    // The way there does not count: the page rests from when it was where it is now.
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
    // A page without marks has no sharpness; its newest frame will do.
    let quality = sight.look.sharpness.map { $0.across + $0.down - 4 * sight.look.glare } ?? 0
    // A picture kept before it came to rest shows it on its way.
    let isKeptGood = current.keptAt >= current.since && isCommon(current.kept.outline)
    if !isKeptGood || quality >= current.best && isCommon(outline) {
      current.best = quality
      current.kept = sight
      current.keptAt = now
      outcome.keeps = true
    }
    hold = current
    guard outcome.progress >= 1, current.trail.count >= 3, let late = current.mean(from: now - glance, to: now),
      // Of frames that come more slowly than a glance: the one before.
      let before = current.mean(from: now - 2 * glance, to: now - glance) ?? current.trail.dropLast().last?.outline,
      Self.shift(late, before) <= settings.finalMaxDrift * diagonal,
      // Which of several outlines it has must have come out.
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
      told = .alreadyCaptured
      return outcome
    }
    remember(current.kept.look.marks)
    outcome.phase = .waiting
    outcome.captures = true
    outcome.advice = nil
    return outcome
  }

  private mutating func remember(_ marks: PageFingerprint) {
    // Nothing tells one blank sheet from another: that it is the same one only the unchanged view says.
    guard !marks.isBlank else { return }
    known.append(marks)
    if known.count > Self.memory { known.removeFirst() }
  }

  private func progress(of hold: StillPeriod, at now: Double) -> Double {
    min(1, max(0, (now - hold.since) / max(settings.holdTime, 1e-3)))
  }

  /// A hint once it has held for a while, so that words do not flicker.
  private mutating func say(_ advice: Advice?, at now: Double) -> Advice? {
    var advice = advice
    // That it is known stays said while the same page is waited to go.
    if advice == .nextPage, told == .alreadyCaptured { advice = .alreadyCaptured }
    if advice != hint?.advice { hint = advice.map { ($0, now) } }
    if let hint, hint.advice == told || now - hint.since >= settings.settling { told = hint.advice }
    if hint == nil { told = nil }
    return told
  }

  /// Returns the advice about a page, and whether it is not captured by itself until that is over.
  private static func advice(on look: PageQuality) -> (advice: Advice?, isBlocking: Bool) {
    if look.isCut { return (.showWholePage, true) }
    if look.share < 0.03 { return (.moveCloser, true) }
    // Dark paper in good light is none the worse for it.
    if look.brightness < dark, look.light < 0.3 { return (.moreLight, true) }
    if look.foreshortening < 0.4 { return (.holdStraight, true) }
    if let sharpness = look.sharpness, max(sharpness.across, sharpness.down) < 0.11 { return (.blurred, true) }
    // A receipt is narrow: it may be small, which is said, as more of it can be read from nearer.
    if look.share < 0.06 { return (.moveCloser, false) }
    return (look.glare > 0.02 ? .glare : nil, false)
  }

  /// The farthest that a corner has moved, as a share of the diagonal; whichever corner counts as the first.
  private static func motion(_ a: Quadrilateral, _ b: Quadrilateral) -> Double {
    a.largestCornerDistance(to: b) / diagonal(b)
  }

  /// How far a sheet has moved, by corners in the same order: no sheet moves of which two corners stay; another side was taken for its
  /// own.
  private static func shift(_ a: Quadrilateral, _ b: Quadrilateral) -> Double {
    (0..<4).map { a[$0].distance(to: b[$0]) }.sorted()[1]
  }

  private static func diagonal(_ q: Quadrilateral) -> Double { max(1e-9, q.longerDiagonal) }
}
