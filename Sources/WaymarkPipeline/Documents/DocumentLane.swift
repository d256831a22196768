import WaymarkDocuments
package import WaymarkGeometry
package import WaymarkImage
import WaymarkSystem

/// The lane that looks for pages: luma in, outlines and captured pages out.
package typealias DocumentLane = Lane<DocumentTask, DocumentReading>

/// What the document lane does.
package struct DocumentTask: Hashable, Sendable {
  /// Rises with every session; readings carry it, so that late ones can be told.
  package var generation: Int
  /// Whether pages are captured by themselves.
  package var isAutomatic: Bool
  /// How often the shutter was pressed in this session.
  package var shots: Int
  /// Rises when the page that is in view may be captured once more: it is to take another's place, or was thrown away.
  package var retakes: Int

  package init(generation: Int = 0, isAutomatic: Bool = true, shots: Int = 0, retakes: Int = 0) {
    self.generation = generation
    self.isAutomatic = isAutomatic
    self.shots = shots
    self.retakes = retakes
  }
}

/// A picture that was taken of a page.
package struct PageShot: Sendable {
  /// A JPEG file.
  package var picture: [UInt8]
  /// Of the upright picture.
  package var width: Int
  package var height: Int
  /// Where the page is in it, as luma tells; nil: no page was found.
  package var outline: Quadrilateral?
  /// The number of its frame.
  package var sequence: UInt64
  /// Whether nobody pressed the shutter.
  package var isAutomatic: Bool
}

/// What the lane found in one frame.
package struct DocumentReading: Sendable {
  package var generation: Int
  /// Where the page is; nil: none is in view.
  package var outline: Quadrilateral?
  /// How likely it is one, 0…1.
  package var score: Double
  package var phase: PageCapture.Phase
  /// How much of the time of holding still is over, 0…1.
  package var progress: Double
  package var advice: PageCapture.Advice?
  /// A page was captured.
  package var shot: PageShot?
  /// The shutter was pressed, and no picture could be made of the frame.
  package var hasFailed = false
}

extension Lane where Settings == DocumentTask, Output == DocumentReading {
  /// A lane that is off until a session begins.
  ///
  /// - Parameter deliver: receives what every frame gave, also when that is nothing, on the lane's thread.
  ///
  /// - Parameter place: finds a page by colours, where luma does not show it.
  package static func documents(
    maximumRate: Double? = nil, place: PageSeeker.Place? = nil,
    deliver: @escaping @Sendable (DocumentReading, Frame) -> Void
  ) -> DocumentLane {
    DocumentLane(
      name: "documents", settings: DocumentTask(), maximumRate: maximumRate, wantsEncoded: true, wantsLuma: true,
      makeWork: {
        let seeker = PageSeeker(place: place)
        return { seeker.look($0, $1) }
      }, deliver: deliver)
  }
}

/// Follows the page from frame to frame and keeps the best frame of one that is held still; lives on the lane's thread.
package final class PageSeeker {
  /// A page that is in a frame.
  package struct Sighting: Sendable {
    package var outline: Quadrilateral
    /// 0…1.
    package var score: Double

    package init(outline: Quadrilateral, score: Double) {
      self.outline = outline
      self.score = score
    }
  }

  /// Looks for the page in a frame's colours: near that place, or anywhere. May take as long as decoding the frame.
  package typealias Place = @Sendable (Frame, Quadrilateral?) -> Sighting?

  private let detector = PageDetector()
  private let place: Place?
  private var task: DocumentTask?
  private var capture = PageCapture()
  private var last: (page: Sighting, size: (Int, Int), isByColour: Bool)?
  private var searched = -Double.infinity
  private var searchedColours = -Double.infinity
  private var followedColours = -Double.infinity
  /// The best frame so far, and where the page is in it.
  private var kept: (frame: Frame, outline: Quadrilateral)?
  /// Seconds after which a page that is followed is looked for afresh: what is followed may be a part of it.
  private static let doubt = 0.5
  /// Seconds between two looks at the colours of frames in which luma shows no page.
  private static let colourInterval = 0.2
  /// Seconds between two looks at the colours of frames with a page that luma does not show.
  private static let colourStep = 0.09

  /// Nothing seen yet.
  ///
  /// - Parameter place: nil: pages are found by luma alone.
  package init(place: Place? = nil) { self.place = place }

  /// What a frame shows.
  package func look(_ frame: Frame, _ wanted: DocumentTask) -> DocumentReading? {
    if task?.generation != wanted.generation {
      capture = PageCapture()
      kept = nil
    }
    let isShot = task?.generation == wanted.generation && (task?.shots ?? 0) < wanted.shots
    if task?.generation == wanted.generation, (task?.retakes ?? 0) < wanted.retakes { capture.forget() }
    task = wanted
    let page = self.page(in: frame)
    let sight = page.map { page in
      PageCapture.Sight(
        outline: page.outline, score: page.score,
        look: frame.image.withView { PageLook($0, outline: page.outline) })
    }
    var outcome = capture.see(sight, at: frame.captured)
    var reading = DocumentReading(
      generation: wanted.generation, outline: page?.outline, score: page?.score ?? 0, phase: outcome.phase,
      progress: outcome.progress, advice: outcome.advice)
    if outcome.keeps, let page { kept = (frame, page.outline) }
    if isShot {
      capture.captured(sight)
      reading.shot = Self.shot(frame, page?.outline, isAutomatic: false)
      reading.hasFailed = reading.shot == nil
      outcome.captures = false
    } else if outcome.captures, wanted.isAutomatic, let kept {
      reading.shot = Self.shot(kept.frame, kept.outline, isAutomatic: true)
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

  /// Where the page is. Luma is at hand and tells it in most frames; paper that is as bright as the table is told by colours only.
  private func page(in frame: Frame) -> Sighting? {
    let now = frame.captured
    let size = (frame.width, frame.height)
    if let last, last.size != size { self.last = nil }
    var isByColour = last?.isByColour == true
    var found = isByColour ? nil : frame.image.withView { byLuma(in: $0, at: now) }
    if let place {
      // One that is followed by colours is looked for afresh as often as others.
      let isAfresh = now - searchedColours >= Self.doubt || now < searchedColours
      if isByColour, let last, !isAfresh {
        if now - followedColours < Self.colourStep, now >= followedColours { return last.page }
        followedColours = now
        found = place(frame, last.page.outline)
        if let page = found, page.score < 0.6 * last.page.score { found = nil }
      }
      let isDue = now - searchedColours >= Self.colourInterval || now < searchedColours
      if isDue, isByColour ? found == nil : (found?.score ?? 0) < PageCapture.Settings().leastScore {
        searchedColours = now
        let other = place(frame, nil)
        isByColour = (other?.score ?? 0) > (found?.score ?? 0) + 0.1
        if isByColour { found = other }
      }
    }
    last = found.map { ($0, size, isByColour) }
    return found
  }

  private func byLuma(in view: ImageView, at now: Double) -> Sighting? {
    var found = last.flatMap { detector.follow(view, from: $0.page.outline) }
    // It must still be as good a page as it was.
    if let page = found, let last, page.score < 0.6 * last.page.score { found = nil }
    if found == nil || now - searched >= Self.doubt || now < searched {
      searched = now
      let afresh = detector.detect(view)
      // One that is followed gives way only to a likelier one, so that the outline does not jump between two.
      if let known = found, let afresh {
        if afresh.score > known.score + 0.1 { found = afresh }
      } else if found == nil {
        found = afresh
      }
    }
    return found.map { Sighting(outline: $0.outline, score: $0.score) }
  }

  /// A frame as a picture file: the camera's own JPEG as it came; anything else is coded with care.
  package static func picture(of frame: Frame) -> [UInt8]? {
    var encoder = MediaEncoder(quality: 92)
    return encoder.encode(frame, wanted: nil)?.bytes
  }

  private static func shot(_ frame: Frame, _ outline: Quadrilateral?, isAutomatic: Bool) -> PageShot? {
    guard let picture = picture(of: frame) else { return nil }
    return PageShot(
      picture: picture, width: frame.width, height: frame.height, outline: outline, sequence: frame.sequence,
      isAutomatic: isAutomatic)
  }
}
