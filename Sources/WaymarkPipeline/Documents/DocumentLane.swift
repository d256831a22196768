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
  package static func documents(
    maximumRate: Double? = nil, deliver: @escaping @Sendable (DocumentReading, Frame) -> Void
  ) -> DocumentLane {
    DocumentLane(
      name: "documents", settings: DocumentTask(), maximumRate: maximumRate, wantsEncoded: true, wantsLuma: true,
      makeWork: {
        let seeker = PageSeeker()
        return { seeker.look($0, $1) }
      }, deliver: deliver)
  }
}

/// Follows the page from frame to frame and keeps the best frame of one that is held still; lives on the lane's thread.
package final class PageSeeker {
  private let detector = PageDetector()
  private var task: DocumentTask?
  private var capture = PageCapture()
  private var last: (outline: Quadrilateral, score: Double, size: (Int, Int))?
  private var searched = -Double.infinity
  /// The best frame so far, and where the page is in it.
  private var kept: (frame: Frame, outline: Quadrilateral)?
  /// Seconds after which a page that is followed is looked for afresh: what is followed may be a part of it.
  private static let doubt = 0.5

  /// Nothing seen yet.
  package init() {}

  /// What a frame shows.
  package func look(_ frame: Frame, _ wanted: DocumentTask) -> DocumentReading? {
    if task?.generation != wanted.generation {
      capture = PageCapture()
      kept = nil
    }
    let isShot = task?.generation == wanted.generation && (task?.shots ?? 0) < wanted.shots
    if task?.generation == wanted.generation, (task?.retakes ?? 0) < wanted.retakes { capture.forget() }
    task = wanted
    let page = frame.image.withView { self.page(in: $0, at: frame.captured) }
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

  private func page(in view: ImageView, at now: Double) -> DetectedPage? {
    var found: DetectedPage?
    if let last, last.size == (view.width, view.height) {
      found = detector.follow(view, from: last.outline)
      // It must still be as good a page as it was.
      if let page = found, page.score < 0.6 * last.score { found = nil }
    }
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
    last = found.map { ($0.outline, $0.score, (view.width, view.height)) }
    return found
  }

  private static func shot(_ frame: Frame, _ outline: Quadrilateral?, isAutomatic: Bool) -> PageShot? {
    // The camera's own JPEG as it came; anything else is coded with care.
    var encoder = MediaEncoder(quality: 92)
    guard let picture = encoder.encode(frame, wanted: nil) else { return nil }
    return PageShot(
      picture: picture.bytes, width: frame.width, height: frame.height, outline: outline, sequence: frame.sequence,
      isAutomatic: isAutomatic)
  }
}
