/// A point of the reference and the place in the frame where it was seen.
public struct PointPair: Hashable, Sendable {
  /// The place on the reference, in its pixels.
  public var reference: Point2
  /// The place in the frame, in its pixels.
  public var frame: Point2

  /// A pair from its two places.
  public init(reference: Point2, frame: Point2) {
    self.reference = reference
    self.frame = frame
  }
}
