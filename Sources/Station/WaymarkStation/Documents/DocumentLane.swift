package import WaymarkImage
package import WaymarkProtocol
package import WaymarkService

/// The lane that finds pages: luma in, outlines and captured pages out. Below are its settings (`DocumentTask`), and
/// its result for a frame (`DocumentReading`) with a captured page (`PageShot`); `PageTracker` does the work.
package typealias DocumentLane = Lane<DocumentTask, DocumentReading>

/// The requests of the open document to its lane.
package struct DocumentTask: Hashable, Sendable {
  /// The number of the session, by which late readings are recognized.
  package var generation: Int
  package var isAutomatic: Bool
  /// The number of times that the shutter was pressed in this session.
  package var shots: Int
  /// The number of times that the page in view was allowed to be captured again.
  package var retakes: Int

  package init(generation: Int = 0, isAutomatic: Bool = true, shots: Int = 0, retakes: Int = 0) {
    self.generation = generation
    self.isAutomatic = isAutomatic
    self.shots = shots
    self.retakes = retakes
  }
}

/// A captured picture with the outline of its page.
package struct PageShot: Sendable {
  /// A JPEG file.
  package var picture: [UInt8]
  /// The size of the upright picture in pixels.
  package var width: Int
  package var height: Int
  /// The outline of the page; nil if none was found.
  package var outline: Quadrilateral?
  /// `PageBends.numbers`; nil if the page is flat or was not examined.
  package var bends: [Double]?
  /// The outlines of further pages in the picture, likeliest first.
  package var others: [Quadrilateral] = []
  /// The number of the frame.
  package var sequence: UInt64
  /// True if it was captured automatically.
  package var isAutomatic: Bool
}

/// The result of the lane for one frame.
package struct DocumentReading: Sendable {
  package var generation: Int
  /// The outline of the page; nil if none is in view.
  package var outline: Quadrilateral?
  /// The probability that it is a page, 0…1.
  package var score: Double
  package var phase: DocumentPhase
  /// The elapsed share of `PageCapture.Settings.holdTime`, 0…1.
  package var progress: Double
  package var advice: DocumentAdvice?
  /// The captured page, from this frame or the best frame before it; nil if no page was captured.
  package var shot: PageShot?
  /// True if the shutter was pressed and the frame could not be encoded.
  package var hasFailed = false
}
