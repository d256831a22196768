/// How a stream is played.
package struct StreamOptions: Sendable {
  /// Frames a second; nil: what the stream says, else 30. Only files are held to it.
  package var rate: Double?
  /// A file begins again after its end.
  package var loops: Bool
  /// Turns the pictures upright.
  package var transform: FrameTransform
  /// The width below which a picture need not be decoded; nil: in full.
  package var sufficientWidth: Int?
  /// An address from which no first frame came for so many seconds counts as stalled.
  package var connectTimeout = 12.0
  /// How long an address that is silent is left alone before it is opened again, in seconds.
  package var reopensAfter = 3.0
  /// A pipe from which no frame came for so many seconds counts as stalled.
  package var frameTimeout: Double
  /// How long to wait before a stream that ended or broke is opened again, in seconds: at first, and at the longest.
  package var pause: ClosedRange<Double>

  /// Options.
  package init(
    rate: Double? = nil, loops: Bool = true, transform: FrameTransform = .identity, sufficientWidth: Int? = nil,
    frameTimeout: Double = 2, pause: ClosedRange<Double> = 0.25...5
  ) {
    self.rate = rate
    self.loops = loops
    self.transform = transform
    self.sufficientWidth = sufficientWidth
    self.frameTimeout = frameTimeout
    self.pause = pause
  }
}
