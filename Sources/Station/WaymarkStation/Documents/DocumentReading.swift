package import WaymarkImage

/// The task of the document lane.
package struct DocumentTask: Hashable, Sendable {
  /// Rises with every session; readings carry it, so that late ones can be told.
  package var generation: Int
  /// True if pages are captured by themselves.
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
  /// Where the page is in it; nil: no page was found.
  package var outline: Quadrilateral?
  /// How it bends, `PageBends.numbers`; nil where it is flat, or nobody looked.
  package var bends: [Double]?
  /// The outlines of further pages in the picture, likeliest first.
  package var others: [Quadrilateral] = []
  /// The number of its frame.
  package var sequence: UInt64
  /// True if nobody pressed the shutter.
  package var isAutomatic: Bool
}

/// The result of the lane for one frame.
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
