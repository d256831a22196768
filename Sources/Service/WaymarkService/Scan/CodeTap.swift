import WaymarkServer

/// Sees the codes that a camera's lane follows, on the thread of the lane: what takes longer than clients should wait is done there.
package protocol CodeTap: Sendable {
  /// Takes what was followed in a frame.
  ///
  /// - Parameters:
  ///   - width: of the frame, in pixels; so is `height`.
  ///   - frame: the frame's number.
  /// - Returns: nil where there is nothing to tell.
  func take(_ reading: CodeReading, width: Int, height: Int, frame: Int) -> TappedCodes?
}

/// What a tap made of a frame.
package struct TappedCodes: Sendable {
  /// The numbers of codes in the frame that count.
  package let counted: Set<Int>
  /// Tells it, while the codes are known that are lost with this frame.
  package let tell: @ServiceActor @Sendable () -> Void

  package init(counted: Set<Int>, tell: @escaping @ServiceActor @Sendable () -> Void) {
    self.counted = counted
    self.tell = tell
  }
}
