package import WaymarkDocuments
package import WaymarkGeometry

/// When a page that is held before the camera is captured by itself, and what is said until then.
///
/// A value without clock and I/O: it is told what each frame shows and when it was captured, and says what to do. A page must rest for
/// `holdTime`; the sharpest frame of that time is the one that is kept. After a capture it waits until the view has changed, and a page
/// that was captured before is known again when it comes back.
package struct PageCapture: Sendable {
  /// The limits.
  package struct Settings: Sendable {
    /// Seconds that a page rests before it is captured.
    package var holdTime = 0.6
    /// How far a corner may move in that time, as a share of the page's diagonal.
    package var stillness = 0.015
    /// How far it may move in the last `glance` seconds of it.
    package var finalStillness = 0.01
    /// Seconds.
    package var glance = 0.2
    /// Seconds without a page that do not interrupt holding still: a frame in which it was missed.
    package var gap = 0.15
    /// Seconds without a page, or with quite another one, after which the view counts as changed.
    package var change = 0.35
    /// No page that is less likely begins to be captured by itself; two thirds of it keep one that is held.
    package var leastScore = 0.5
    /// Pages that are at least so much alike are the same.
    package var sameness = 0.86
    /// Seconds that a hint must hold before it is told.
    package var settling = 0.4

    package init() {}
  }

  /// What one frame shows.
  package struct Sight: Sendable {
    package var outline: Quadrilateral
    package var score: Double
    package var look: PageLook

    package init(outline: Quadrilateral, score: Double, look: PageLook) {
      self.outline = outline
      self.score = score
      self.look = look
    }
  }

  /// What a person should change.
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

    /// Whether a page is not captured by itself until that is over.
    var blocks: Bool { self != .glare }
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

  /// What came of a frame.
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

  private struct Hold: Sendable {
    var since: Double
    var reference: Quadrilateral
    var frames = 0
    var best = -1.0
    var kept: Sight
    var trail: [(at: Double, outline: Quadrilateral)] = []
  }

  private let settings: Settings
  private var hold: Hold?
  private var lastSeen: Double?
  /// The page that was captured last, as long as the view has not changed; and since when something else is seen in its place.
  private var shown: Sight?
  private var otherSince: Double?
  /// What was captured.
  private var known: [PageMarks] = []
  private var hint: (advice: Advice, since: Double)?
  private var told: Advice?
  private static let memory = 64

  /// Nothing captured yet.
  package init(_ settings: Settings = Settings()) { self.settings = settings }

  /// Takes in what the frame captured at `now` (seconds of any steady clock) shows; nil: no page.
  package mutating func see(_ sight: Sight?, at now: Double) -> Outcome {
    guard let sight else { return miss(at: now) }
    lastSeen = now
    if let before = shown {
      review(sight, against: before, at: now)
      if shown != nil {
        hold = nil
        return Outcome(phase: .waiting, advice: say(.nextPage, at: now))
      }
    }
    let advice = Self.advice(on: sight.look)
    // What is judged anew in every frame wavers.
    guard sight.score >= settings.leastScore * (hold == nil ? 1 : 0.67), advice?.blocks != true else {
      hold = nil
      return Outcome(phase: .found, advice: say(advice, at: now))
    }
    return holdStill(sight, advice, at: now)
  }

  /// A page was captured otherwise: by the shutter.
  package mutating func captured(_ sight: Sight?) {
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

  /// Whether the page that was captured last is gone.
  private mutating func review(_ sight: Sight, against before: Sight, at now: Double) {
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

  private mutating func holdStill(_ sight: Sight, _ advice: Advice?, at now: Double) -> Outcome {
    var current = hold ?? Hold(since: now, reference: sight.outline, kept: sight)
    if Self.motion(sight.outline, current.reference) > settings.stillness {
      current = Hold(since: now, reference: sight.outline, kept: sight)
    }
    current.frames += 1
    current.trail.append((now, sight.outline))
    current.trail.removeAll { now - $0.at > settings.glance + 0.1 }
    var outcome = Outcome(phase: .holding, progress: progress(of: current, at: now), advice: say(advice, at: now))
    // A page without marks has no sharpness; its newest frame will do.
    let quality = sight.look.sharpness.map { $0.across + $0.down - 4 * sight.look.glare } ?? 0
    if quality >= current.best || current.frames == 1 {
      current.best = quality
      current.kept = sight
      outcome.keeps = true
    }
    hold = current
    guard outcome.progress >= 1, current.frames >= 3 else { return outcome }
    let drift = current.trail.map { Self.motion(sight.outline, $0.outline) }.max() ?? 0
    guard drift <= settings.finalStillness else { return outcome }
    hold = nil
    shown = current.kept
    otherSince = nil
    guard !known.contains(where: { $0.similarity(to: current.kept.look.marks) >= settings.sameness }) else {
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

  private mutating func remember(_ marks: PageMarks) {
    // Nothing tells one blank sheet from another: that it is the same one only the unchanged view says.
    guard !marks.isBlank else { return }
    known.append(marks)
    if known.count > Self.memory { known.removeFirst() }
  }

  private func progress(of hold: Hold, at now: Double) -> Double {
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

  private static func advice(on look: PageLook) -> Advice? {
    if look.isCut { return .showWholePage }
    if look.share < 0.08 { return .moveCloser }
    if look.brightness < 0.14 { return .moreLight }
    if look.foreshortening < 0.4 { return .holdStraight }
    if let sharpness = look.sharpness, max(sharpness.across, sharpness.down) < 0.11 { return .blurred }
    return look.glare > 0.02 ? .glare : nil
  }

  /// The farthest that a corner has moved, as a share of the diagonal; whichever corner counts as the first.
  private static func motion(_ a: Quadrilateral, _ b: Quadrilateral) -> Double {
    let (p, q) = (a.corners, b.corners)
    let diagonal = max(1e-9, q[0].distance(to: q[2]), q[1].distance(to: q[3]))
    let worst = (0..<4).map { turn in (0..<4).map { p[$0].distance(to: q[($0 + turn) % 4]) }.max() ?? 0 }.min() ?? 0
    return worst / diagonal
  }
}
