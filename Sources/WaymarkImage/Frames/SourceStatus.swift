import WaymarkSystem

/// A change of state of a source, as `camera.status` tells it.
package struct SourceStatus: Sendable, Equatable {
  /// What it is now.
  package enum State: String, Sendable, Codable {
    /// Not in use; its light is off and others may use it.
    case closed
    /// Opened and set up, no frame yet.
    case opened
    /// Frames arrive.
    case streaming
    /// Open, but frames have ceased to arrive.
    case stalled
    /// Gone, or not to be used; tried again until it is back.
    case lost
    /// Opened again after it was lost.
    case back
  }

  /// What it is now.
  package var state: State
  /// Which source: the identity of a camera, else a path or `-`.
  package var device: String
  /// Form and size of the frames as captured; nil while closed or lost.
  package var layout: PixelLayout?
  /// Frames a second as agreed with the device; nil while closed or lost.
  package var rate: Double?
  /// What is wrong; nil if nothing is.
  package var problem: SourceError?
  /// Whether the source has come to its end and will not deliver again.
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
