import WaymarkSystem

/// A change of state of a source, as `camera.status` reports it.
package struct SourceStatus: Sendable, Equatable {
  /// The present state.
  package enum State: String, Sendable, Codable {
    /// Not in use; its light is off and others may use it.
    case closed
    /// Opened and set up, no frame yet.
    case opened
    /// Frames arrive.
    case streaming
    /// Open, but frames no longer arrive.
    case stalled
    /// Gone, or not to be used; tried again until it is back.
    case lost
    /// Opened again after it was lost.
    case back
  }

  /// The present state.
  package var state: State
  /// Which source: the identity of a camera, else a path or `-`.
  package var device: String
  /// Form and size of the frames as captured; nil while closed or lost.
  package var layout: PixelLayout?
  /// Frames a second as agreed with the device; nil while closed or lost.
  package var rate: Double?
  /// The problem; nil if there is none.
  package var problem: SourceError?
  /// True if the source has come to its end and will not deliver again.
  package var ended: Bool

  /// A status.
  package init(
    _ state: State, device: String, layout: PixelLayout? = nil, rate: Double? = nil, problem: SourceError? = nil,
    ended: Bool = false
  ) {
    self.state = state
    self.device = device
    self.layout = layout
    self.rate = rate
    self.problem = problem
    self.ended = ended
  }
}
