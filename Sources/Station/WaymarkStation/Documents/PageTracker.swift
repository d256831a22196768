package import WaymarkDocuments
package import WaymarkFrames
import WaymarkImage
import WaymarkProtocol
package import WaymarkService

/// The lane that searches frames for pages. `PageTracker` below follows a page, and `NewPageDetector` detects the next
/// sheet.
extension Lane where Settings == DocumentTask, Output == DocumentReading {
  /// Creates a lane, which is off until a session begins.
  ///
  /// - Parameters:
  ///   - models: the models for finding and judging outlines.
  ///   - maximumRate: the largest number of frames per second; nil for all.
  ///   - colours: finds pages that luma does not show, and the exact outline of a captured page.
  ///   - deliver: receives the reading of every frame on the lane's thread.
  package static func documents(
    _ models: PageModels, maximumRate: Double? = nil, colours: PageColours? = nil,
    deliver: @escaping @Sendable (DocumentReading, Frame) -> Void
  ) -> DocumentLane {
    DocumentLane(
      name: "documents", settings: DocumentTask(), maximumRate: maximumRate, wantsEncoded: true, wantsLuma: true,
      makeWork: {
        let seeker = PageTracker(models, colours: colours)
        return { seeker.look($0, $1) }
      }, deliver: deliver)
  }
}

/// Follows the page from frame to frame, and keeps the best frame of a page that is held still. Used on the lane's thread only.
package final class PageTracker {
  package typealias Candidate = PageCandidate

  /// The picture in which the page was found.
  private enum Source {
    case luma
    /// Luma without the background.
    case foreground
    /// The frame's colours.
    case colours
  }

  private let detector: PageDetector
  private let memory = BackgroundModel()
  private let colours: PageColours?
  private var task: DocumentTask?
  private var capture = PageCapture()
  private var last: (page: Candidate, size: (Int, Int), source: Source)?
  /// The time of the last search of the whole frame in luma, in seconds of the frames' clock.
  private var searched = -Double.infinity
  /// True if the view has changed since `searched`.
  private var hasChanged = false
  /// The times of the last search of the whole frame in colours, and of the last step of following a page in colours.
  private var searchedColours = -Double.infinity
  private var followedColours = -Double.infinity
  /// The best frame so far, and the page in it.
  private var kept: (frame: Frame, outline: Quadrilateral)?
  /// The seconds after which the whole frame is searched again, because a followed outline may cover only a part of the page.
  private static let doubt = 0.5
  /// Seconds between two searches while the view changes.
  private static let pause = 0.1
  /// The changed share of the picture above which the view counts as changing.
  private static let minChangedFraction = 0.002
  /// Seconds between two searches in colours while luma shows no page.
  private static let colourInterval = 0.2
  /// Seconds between two steps of following a page in colours.
  private static let colourStep = 0.09
  /// The seconds after which a page that came to rest is searched for again, because following a moving page is less exact.
  private static let settling = 0.15
  /// The lead in log odds that an outline needs over the followed outline in the same picture.
  private static let lead = 1.0
  /// The score below which a followed page is searched for more often.
  private static let doubtful = 0.6
  /// The score that always suffices for a followed outline to remain a page.
  private static let leastFollowed = 0.33
  /// The score of a page in luma from which the foreground is not searched.
  private static let confidentScore = 0.8

  /// - Parameters:
  ///   - models: the models for finding and judging outlines.
  ///   - colours: the search in colours; nil to use luma alone.
  package init(_ models: PageModels, colours: PageColours? = nil) {
    detector = PageDetector(models)
    self.colours = colours
  }

  /// Finds the page in a frame, and decides whether this frame or an earlier, better frame is captured.
  package func look(_ frame: Frame, _ wanted: DocumentTask) -> DocumentReading? {
    if task?.generation != wanted.generation {
      capture = PageCapture()
      kept = nil
    }
    // If the shutter was pressed before the session's first frame, that frame is captured.
    let isShot = (task?.generation == wanted.generation ? task?.shots ?? 0 : 0) < wanted.shots
    if task?.generation == wanted.generation, (task?.retakes ?? 0) < wanted.retakes { capture.forget() }
    task = wanted
    let page = self.page(in: frame)
    let sight = page.map { page in
      PageCapture.Observation(
        outline: page.outline, score: page.score,
        look: frame.image.withView { PageQuality($0, outline: page.outline) },
        isNewInView: memory.isNewInView(page.outline))
    }
    var outcome = capture.see(sight, changedFraction: memory.changedFraction, at: frame.captured)
    var reading = DocumentReading(
      generation: wanted.generation, outline: page?.outline, score: page?.score ?? 0, phase: outcome.phase,
      progress: outcome.progress, advice: outcome.advice)
    if outcome.keeps, let page { kept = (frame, page.outline) }
    if isShot {
      capture.captured(sight)
      reading.shot = shot(frame, page?.outline, isAutomatic: false)
      reading.hasFailed = reading.shot == nil
      outcome.captures = false
    } else if outcome.captures, wanted.isAutomatic, let kept {
      reading.shot = shot(kept.frame, kept.outline, isAutomatic: true)
    }
    if !wanted.isAutomatic, outcome.phase == .holding || outcome.phase == .waiting {
      reading.phase = .found
      reading.progress = 0
      if outcome.phase == .waiting { reading.advice = nil }
    }
    // A kept frame occupies memory of the frame source.
    if outcome.phase != .holding { kept = nil }
    return reading
  }

  /// Finds the page: in luma in most frames, in the foreground on a patterned table, and in colours if paper is as bright as the
  /// table; nil without a page.
  private func page(in frame: Frame) -> Candidate? {
    let now = frame.captured
    let size = (frame.width, frame.height)
    if let last, last.size != size { self.last = nil }
    let before = last
    let foreground = frame.image.withView { memory.foreground(in: $0) }
    var found = frame.image.withView { followed(in: $0, foreground) }
    if isDue(found?.page, foreground != nil, at: now) {
      searched = now
      hasChanged = false
      let (afresh, again) = frame.image.withView { byLuma(in: $0, foreground, known: found) }
      // A followed outline is replaced only by a likelier outline, so that it does not alternate between two.
      if let known = found, let afresh {
        let rival = again ?? known.page
        let isLikelier =
          known.source == afresh.source
          ? isAhead(afresh.page, of: rival) ?? isClearlyLikelier(afresh.page, rival)
          : isClearlyLikelier(afresh.page, rival)
        if isLikelier { found = afresh }
      } else if found == nil {
        found = afresh
      }
    }
    // A sheet that fits the shape of the foreground better replaces the outline found.
    if let foreground,
      let sheet = frame.image.withView({
        NewPageDetector(detector: detector, memory: memory).page(insteadOf: found?.page, in: $0, foreground)
      })
    {
      found = (sheet, .foreground)
    }
    if let colours { lookAtColours(of: frame, colours, &found) }
    // A page that is lost without ever having been foreground was part of the background model from the start.
    if let before, found == nil, before.source != .foreground,
      (memory.change(of: before.page.outline)?.inside ?? 0) > 0.5, !memory.isForeground(before.page.outline)
    {
      memory.forget(before.page.outline)
    }
    memory.learn(at: now, page: found?.page.outline)
    last = found.map { ($0.page, size, $0.source) }
    return found?.page
  }

  /// Returns whether to search the whole frame for the page: at the latest after `doubt` seconds; sooner if the page came to
  /// rest, its score is low, it was lost, or the view changes or has a foreground.
  private func isDue(_ followed: Candidate?, _ isNew: Bool, at now: Double) -> Bool {
    let passed = now - searched
    if memory.changedFraction > Self.minChangedFraction { hasChanged = true }
    if passed < 0 || passed >= Self.doubt { return true }
    if let rest = capture.stillSince, now >= rest + Self.settling, searched < rest + Self.settling { return true }
    if let followed { return followed.score < Self.doubtful && passed >= 2 * Self.pause }
    return last != nil || passed >= Self.pause && (isNew || hasChanged)
  }

  /// Returns whether an outline's log-odds are clearly higher than those of another; nil if either is unknown.
  private func isAhead(_ page: Candidate, of other: Candidate) -> Bool? {
    guard let logOdds = page.logOdds, let otherLogOdds = other.logOdds else { return nil }
    return logOdds > otherLogOdds + Self.lead
  }

  /// Returns whether a page's score is clearly higher than another page's score, as a difference or as a ratio of odds.
  private func isClearlyLikelier(_ page: Candidate, _ other: Candidate) -> Bool {
    page.score > other.score + 0.1 || page.score * (1 - other.score) > 3 * other.score * (1 - page.score)
  }

  /// Follows the page of the previous frame; nil if it is lost or its score has fallen too far (`isStill`).
  private func followed(in view: ImageView, _ foreground: BackgroundModel.Foreground?) -> (
    page: Candidate, source: Source
  )? {
    guard let last else { return nil }
    var found: Candidate?
    switch last.source {
    case .luma: found = weighed(detector.follow(view, from: last.page.outline).map(Candidate.init))
    case .foreground:
      found = foreground.flatMap { foreground in
        let reduced = last.page.outline.scaled(by: 1 / Double(foreground.factor))
        return foreground.image.withView { detector.follow($0, from: reduced) }.flatMap { placed($0, foreground) }
      }
    case .colours: return (last.page, .colours)
    }
    // While the page rests, noise at the edge of the foreground is averaged.
    if last.source == .foreground { found?.outline.approach(last.page.outline) }
    return found.flatMap { isStill($0, last.page) ? ($0, last.source) : nil }
  }

  /// Returns whether a followed page has a score of at least `leastFollowed`, or of 60 % of its previous score if this is less.
  private func isStill(_ page: Candidate, _ before: Candidate) -> Bool {
    page.score >= min(0.6 * before.score, Self.leastFollowed)
  }

  /// Searches luma for the page, and scores the followed page in the same way, because scores from following and from searching are
  /// not comparable.
  /// comparable.
  private func byLuma(
    in view: ImageView, _ foreground: BackgroundModel.Foreground?, known: (page: Candidate, source: Source)?
  ) -> (found: (page: Candidate, source: Source)?, known: Candidate?) {
    var again: Candidate?
    let plain = weighed(detector.detect(view).map(Candidate.init))
    if let known, known.source == .luma {
      again = weighed(detector.lookAgain(near: known.page.outline).map(Candidate.init))
    }
    if let plain, plain.score >= Self.confidentScore { return ((plain, .luma), again) }
    let alone = foreground.flatMap { foreground in
      // `detectAgain` uses the network's probabilities for the whole picture, because the network is not suited for a picture of
      // the foreground alone.
      foreground.image.withView { detector.detectAgain($0) }.flatMap { placed($0, foreground) }
    }
    if let known, known.source == .foreground, let foreground {
      let reduced = known.page.outline.scaled(by: 1 / Double(foreground.factor))
      again = detector.lookAgain(near: reduced).flatMap { placed($0, foreground) }
    }
    if let alone, alone.score > plain?.score ?? 0 { return ((alone, .foreground), again) }
    return (plain.map { ($0, .luma) }, again)
  }

  /// Maps a page of the foreground to pixels of the frame; nil if it is where an object was removed.
  private func placed(_ page: DetectedPage, _ foreground: BackgroundModel.Foreground) -> Candidate? {
    let outline = page.outline.scaled(by: Double(foreground.factor))
    guard memory.isForeground(outline) else { return nil }
    var sighting = Candidate(page)
    sighting.outline = outline
    // The score of an outline that has the foreground's shape is raised.
    if let change = memory.change(of: outline), change.inside > 0.97, change.outside < 0.12 {
      sighting.weigh(.likelier)
    }
    return sighting
  }

  /// Raises the score of a page in the foreground, and lowers it in the background; nil stays nil.
  private func weighed(_ sighting: Candidate?) -> Candidate? {
    guard var sighting, let change = memory.change(of: sighting.outline) else { return sighting }
    if change.inside > 0.85, change.outside < 0.5 {
      if memory.isForeground(sighting.outline) { sighting.weigh(.likelier) }
    } else if change.inside < 0.4 {
      sighting.weigh(.unlikelier)
    }
    return sighting
  }

  /// Searches the colours of a frame if luma shows no page, or only a doubtful page.
  private func lookAtColours(of frame: Frame, _ colours: PageColours, _ found: inout (page: Candidate, source: Source)?)
  {
    let now = frame.captured
    if let known = found, known.source == .colours, let last {
      if now - followedColours < Self.colourStep, now >= followedColours { return }
      followedColours = now
      found = weighed(Self.candidate(in: frame, near: last.page.outline, colours)).flatMap {
        isStill($0, last.page) ? ($0, .colours) : nil
      }
    }
    let passed = now - searchedColours
    let isDoubted = found?.source == .colours && passed >= Self.doubt
    let isMissed = (found?.page.score ?? 0) < PageCapture.Settings().leastScore && passed >= Self.colourInterval
    // If a page was lost in this frame, luma is searched first.
    guard passed < 0 || isDoubted || isMissed, found != nil || searched == now else { return }
    searchedColours = now
    guard let other = weighed(Self.candidate(in: frame, near: nil, colours)),
      found.map({ isClearlyLikelier(other, $0.page) }) ?? true
    else {
      return
    }
    found = (other, .colours)
  }

  /// Finds the page in the colours of a frame; nil also if the frame cannot be encoded at its size.
  private static func candidate(in frame: Frame, near: Quadrilateral?, _ colours: PageColours) -> Candidate? {
    guard let found = colours.find({ picture(of: frame) }, near), found.isIn(frame) else {
      return nil
    }
    return Candidate(outline: found.outline, score: found.score)
  }

  /// Encodes a frame as a picture file; nil if this fails. A camera's JPEG is kept unchanged.
  private static func picture(of frame: Frame) -> [UInt8]? {
    var encoder = MediaEncoder(quality: JPEGQuality.capture)
    return encoder.encode(frame, wanted: nil)?.bytes
  }

  /// Makes the captured picture. Its outline is the exact outline found by the search in colours, or else `outline`.
  ///
  /// - Returns: the picture; nil if the frame cannot be encoded.
  private func shot(_ frame: Frame, _ outline: Quadrilateral?, isAutomatic: Bool) -> PageShot? {
    guard let picture = Self.picture(of: frame) else { return nil }
    let place = colours?.settle(picture, outline).flatMap { $0.isIn(frame) ? $0 : nil }
    return PageShot(
      picture: picture, width: frame.width, height: frame.height, outline: place?.outline ?? outline,
      bends: place?.bends, others: place?.others ?? [], sequence: frame.sequence, isAutomatic: isAutomatic)
  }
}

extension PageLocation {
  /// Returns whether the location is in pixels of a picture of the frame's size.
  fileprivate func isIn(_ frame: Frame) -> Bool { width == frame.width && height == frame.height }
}

extension Quadrilateral {
  /// Moves the corners 60 % towards the corners of the previous outline, unless a corner is farther away than 3 % of the diagonal.
  fileprivate mutating func approach(_ before: Quadrilateral) {
    let (now, old) = (corners, before.corners)
    let far = 0.03 * topLeft.distance(to: bottomRight)
    guard zip(now, old).allSatisfy({ $0.distance(to: $1) < far }) else { return }
    let c = zip(now, old).map { $0 * 0.4 + $1 * 0.6 }
    self = Quadrilateral(corners: c)
  }
}

/// Detects a new sheet by the shape of the foreground, also if the sheet's sides have no contrast or a hand covers them.
struct NewPageDetector {
  let detector: PageDetector
  let memory: BackgroundModel

  /// The least fit score with which the result of `BackgroundModel.sheet` is used.
  private static let minFitScore = 0.6
  /// The lead in fit score that a sheet needs over the known outline, which is traced more exactly.
  private static let lead = 0.08
  /// If the sheet has less than this share of a likely page's area, it may be only a part of the page.
  private static let part = 0.9
  /// The amount by which the fit score of the outline traced in luma may be below the sheet's fit score.
  private static let slack = 0.04
  /// The amount by which the sheet's score may be below the score of a likely page.
  private static let doubt = 0.1
  /// The fit score from which a sheet's score is raised.
  private static let confidentFitScore = 0.8

  /// Returns the sheet if its shape explains the foreground better than a known outline; otherwise nil.
  func page(
    insteadOf known: PageCandidate?, in view: ImageView, _ foreground: BackgroundModel.Foreground
  ) -> PageCandidate? {
    let fits = known.map { memory.fitScore(of: $0.outline) ?? 0 } ?? 0
    // If an outline fits this well, a sheet cannot lead by enough. Returning here saves the search while a page rests.
    guard fits + Self.lead < 1, let sheet = memory.sheet(), sheet.fitScore >= Self.minFitScore else { return nil }
    let isPage = known.map { $0.score >= PageCapture.Settings().leastScore } ?? false
    if let known {
      guard fits + Self.lead < sheet.fitScore else { return nil }
      // Parts of an object that are as bright as the table are missing from the shape.
      let isPart = sheet.outline.signedArea < Self.part * known.outline.signedArea
      if isPart, isPage { return nil }
      if isPage, memory.isShadow(between: known.outline, and: sheet.outline) { return nil }
    }
    guard memory.isForeground(sheet.outline, everySide: true) else { return nil }
    let reduced = sheet.outline.scaled(by: 1 / Double(foreground.factor))
    guard let judged = foreground.image.withView({ detector.follow($0, from: reduced) }) else { return nil }
    var page = PageCandidate(judged)
    if let known, isPage {
      // The shape may be the known page together with its shadow.
      let place = judged.outline.scaled(by: Double(foreground.factor))
      let isKnown = place.largestCornerDistance(to: known.outline) < place.largestCornerDistance(to: sheet.outline)
      if isKnown { return nil }
    }
    page.outline = sheet.outline
    if sheet.fitScore >= Self.confidentFitScore { page.weigh(.likelier) }
    // Sides that luma shows are more exact.
    if let traced = detector.follow(view, from: sheet.outline), let fitScore = memory.fitScore(of: traced.outline),
      fitScore + Self.slack >= sheet.fitScore
    {
      page.outline = traced.outline
    }
    // An unlikely page does not replace a known page.
    if let known, isPage, page.score < known.score - Self.doubt { return nil }
    return page
  }
}
