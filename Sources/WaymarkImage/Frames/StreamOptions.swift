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
  /// A pipe from which no frame came for so many seconds counts as stalled.
  package var patience: Double

  /// Options.
  package init(
    rate: Double? = nil, loops: Bool = true, transform: FrameTransform = .identity, sufficientWidth: Int? = nil,
    patience: Double = 2
  ) {
    self.rate = rate
    self.loops = loops
    self.transform = transform
    self.sufficientWidth = sufficientWidth
    self.patience = patience
  }
}
