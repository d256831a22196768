package import WaymarkDocuments
package import WaymarkFrames
import WaymarkImage
import WaymarkService

/// Follows the page from frame to frame and keeps the best frame of one that is held still; lives on the lane's thread.
package final class PageTracker {
  package typealias Candidate = PageCandidate

  /// The source that tells where the page is.
  private enum Source {
    /// Luma as it is.
    case luma
    /// Luma without what was in view before.
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
  private var searched = -Double.infinity
  /// True if anything has changed since then.
  private var hasChanged = false
  private var searchedColours = -Double.infinity
  private var followedColours = -Double.infinity
  /// The best frame so far, and where the page is in it.
  private var kept: (frame: Frame, outline: Quadrilateral)?
  /// Seconds after which a page that is followed is looked for afresh: what is followed may be a part of it.
  private static let doubt = 0.5
  /// Seconds between two searches while something comes and goes.
  private static let pause = 0.1
  /// The share of the picture that must have changed for something to stir.
  private static let minChangedFraction = 0.002
  /// Seconds between two looks at the colours of frames in which luma shows no page.
  private static let colourInterval = 0.2
  /// Seconds between two looks at the colours of frames with a page that luma does not show.
  private static let colourStep = 0.09
  /// Seconds after which a page that has come to rest is looked for afresh: on its way it was followed as well as that went.
  private static let settling = 0.15
  /// The lead that an outline must have over the one that is followed in the same kind of picture.
  private static let lead = 1.0
  /// The score below which a followed page is looked for afresh more often.
  private static let doubtful = 0.6
  /// The score at which a followed outline is still a page, however sure it was.
  private static let leastFollowed = 0.33
  /// From that score on nothing surer is looked for.
  private static let sure = 0.8

  /// Nothing seen yet.
  ///
  /// - Parameters:
  ///   - models: by which outlines are found and judged.
  ///   - colours: nil: pages are found by luma alone.
  package init(_ models: PageModels, colours: PageColours? = nil) {
    detector = PageDetector(models)
    self.colours = colours
  }

  /// Looks at a frame.
  package func look(_ frame: Frame, _ wanted: DocumentTask) -> DocumentReading? {
    if task?.generation != wanted.generation {
      capture = PageCapture()
      kept = nil
    }
    // The shutter may have been pressed before the first frame came: it is that frame which is taken then.
    let isShot = (task?.generation == wanted.generation ? task?.shots ?? 0 : 0) < wanted.shots
    if task?.generation == wanted.generation, (task?.retakes ?? 0) < wanted.retakes { capture.forget() }
    task = wanted
    let page = self.page(in: frame)
    let sight = page.map { page in
      PageCapture.Sighting(
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
    // Frames hold memory of the source.
    if outcome.phase != .holding { kept = nil }
    return reading
  }

  /// Where the page is. Luma is at hand and tells it in most frames; on a patterned table what came into view tells it, and paper that is as
  /// bright as the table is told by colours only.
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
      let (afresh, again) = frame.image.withView { byLuma(in: $0, foreground, besides: found) }
      // One that is followed gives way only to a likelier one, so that the outline does not jump between two.
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
    // An outline that fits the new object's shape is followed in its place.
    if let foreground,
      let sheet = frame.image.withView({
        NewPageDetector(detector: detector, memory: memory).page(insteadOf: found?.page, in: $0, foreground)
      })
    {
      found = (sheet, .foreground)
    }
    if let colours { lookAtColours(of: frame, colours, &found) }
    // A page that was never new was there when remembering began, and was taken away.
    if let before, found == nil, before.source != .foreground,
      (memory.change(of: before.page.outline)?.inside ?? 0) > 0.5, !memory.isForeground(before.page.outline)
    {
      memory.forget(before.page.outline)
    }
    memory.learn(at: now, page: found?.page.outline)
    last = found.map { ($0.page, size, $0.source) }
    return found?.page
  }

  /// Returns whether the page is looked for everywhere: a view in which nothing stirs and nothing is new shows what it showed a moment ago.
  private func isDue(_ followed: Candidate?, _ isNew: Bool, at now: Double) -> Bool {
    let passed = now - searched
    if memory.changedFraction > Self.minChangedFraction { hasChanged = true }
    if passed < 0 || passed >= Self.doubt { return true }
    if let rest = capture.stillSince, now >= rest + Self.settling, searched < rest + Self.settling { return true }
    if let followed { return followed.score < Self.doubtful && passed >= 2 * Self.pause }
    return last != nil || passed >= Self.pause && (isNew || hasChanged)
  }

  /// Returns whether an outline explains a picture so much better than another does; nil where that is not known.
  private func isAhead(_ page: Candidate, of other: Candidate) -> Bool? {
    guard let logOdds = page.logOdds, let otherLogOdds = other.logOdds else { return nil }
    return logOdds > otherLogOdds + Self.lead
  }

  /// Returns whether one page is so much likelier than another that it takes its place.
  private func isClearlyLikelier(_ page: Candidate, _ other: Candidate) -> Bool {
    page.score > other.score + 0.1 || page.score * (1 - other.score) > 3 * other.score * (1 - page.score)
  }

  /// The page where it was in the frame before.
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
    // Noise at the edge of the foreground is averaged out while the page rests.
    if last.source == .foreground { found?.outline.approach(last.page.outline) }
    return found.flatMap { isStill($0, last.page) ? ($0, last.source) : nil }
  }

  /// Returns whether what is followed is still as good a page as it was.
  private func isStill(_ page: Candidate, _ before: Candidate) -> Bool {
    page.score >= min(0.6 * before.score, Self.leastFollowed)
  }

  /// The page wherever it is, by luma, and what the same looks say of the one that is followed: following judges by less, so that what it tells
  /// does not compare.
  private func byLuma(
    in view: ImageView, _ foreground: BackgroundModel.Foreground?, besides known: (page: Candidate, source: Source)?
  ) -> (found: (page: Candidate, source: Source)?, known: Candidate?) {
    var again: Candidate?
    let plain = weighed(detector.detect(view).map(Candidate.init))
    if let known, known.source == .luma {
      again = weighed(detector.lookAgain(near: known.page.outline).map(Candidate.init))
    }
    if let plain, plain.score >= Self.sure { return ((plain, .luma), again) }
    let alone = foreground.flatMap { foreground in
      // The rest of the view looks like no photograph: the whole picture told where a page probably is.
      foreground.image.withView { detector.detectAgain($0) }.flatMap { placed($0, foreground) }
    }
    if let known, known.source == .foreground, let foreground {
      let reduced = known.page.outline.scaled(by: 1 / Double(foreground.factor))
      again = detector.lookAgain(near: reduced).flatMap { placed($0, foreground) }
    }
    if let alone, alone.score > plain?.score ?? 0 { return ((alone, .foreground), again) }
    return (plain.map { ($0, .luma) }, again)
  }

  /// A page that was found in what came into view, in pixels of the frame; nil for the place from where something was taken away.
  private func placed(_ page: DetectedPage, _ foreground: BackgroundModel.Foreground) -> Candidate? {
    let outline = page.outline.scaled(by: Double(foreground.factor))
    guard memory.isForeground(outline) else { return nil }
    var sighting = Candidate(page)
    sighting.outline = outline
    // An outline of just this shape needs to look less like paper.
    if let change = memory.change(of: outline), change.inside > 0.97, change.outside < 0.12 {
      sighting.weigh(.likelier)
    }
    return sighting
  }

  /// A page that came into view is likelier one than what has been lying there all the time while something else came.
  private func weighed(_ sighting: Candidate?) -> Candidate? {
    guard var sighting, let change = memory.change(of: sighting.outline) else { return sighting }
    if change.inside > 0.85, change.outside < 0.5 {
      if memory.isForeground(sighting.outline) { sighting.weigh(.likelier) }
    } else if change.inside < 0.4 {
      sighting.weigh(.unlikelier)
    }
    return sighting
  }

  /// Where luma shows no page, or shows it badly: what the frame's colours show.
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
    // One that is followed by colours is looked for afresh as often as others.
    let passed = now - searchedColours
    let isDoubted = found?.source == .colours && passed >= Self.doubt
    let isMissed = (found?.page.score ?? 0) < PageCapture.Settings().leastScore && passed >= Self.colourInterval
    // A page that was lost in this frame is looked for in luma first.
    guard passed < 0 || isDoubted || isMissed, found != nil || searched == now else { return }
    searchedColours = now
    guard let other = weighed(Self.candidate(in: frame, near: nil, colours)),
      found.map({ isClearlyLikelier(other, $0.page) }) ?? true
    else {
      return
    }
    found = (other, .colours)
  }

  /// The page that the colours of a frame show; nil where no picture can be made of it, or one of another size.
  private static func candidate(in frame: Frame, near: Quadrilateral?, _ colours: PageColours) -> Candidate? {
    guard let found = colours.find({ picture(of: frame) }, near), found.size == (frame.width, frame.height) else {
      return nil
    }
    return Candidate(outline: found.outline, score: found.score)
  }

  /// A frame as a picture file: the camera's own JPEG as it came; anything else is coded with care.
  private static func picture(of frame: Frame) -> [UInt8]? {
    var encoder = MediaEncoder(quality: 92)
    return encoder.encode(frame, wanted: nil)?.bytes
  }

  /// The picture that is kept of a page, and where the page is in it: by colours, as luma has it where they tell nothing.
  private func shot(_ frame: Frame, _ outline: Quadrilateral?, isAutomatic: Bool) -> PageShot? {
    guard let picture = Self.picture(of: frame) else { return nil }
    let place = colours?.settle(picture, outline).flatMap { $0.size == (frame.width, frame.height) ? $0 : nil }
    return PageShot(
      picture: picture, width: frame.width, height: frame.height, outline: place?.outline ?? outline,
      bends: place?.bends, others: place?.others ?? [], sequence: frame.sequence, isAutomatic: isAutomatic)
  }
}

extension Quadrilateral {
  /// Goes a good half of the way to where it was before, unless that is so far that it has moved.
  fileprivate mutating func approach(_ before: Quadrilateral) {
    let (now, old) = (corners, before.corners)
    let far = 0.03 * topLeft.distance(to: bottomRight)
    guard zip(now, old).allSatisfy({ $0.distance(to: $1) < far }) else { return }
    let c = zip(now, old).map { $0 * 0.4 + $1 * 0.6 }
    self = Quadrilateral(corners: c)
  }
}
