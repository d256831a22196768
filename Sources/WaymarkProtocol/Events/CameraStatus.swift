/// The state of the camera.
public struct CameraStatus: EventPayload {
  /// Its state.
  public var status: CameraState
  /// Which camera.
  public var device: String?
  /// The pixel format it sends.
  public var format: String?
  /// Width in pixels.
  public var width: Int?
  /// Height in pixels.
  public var height: Int?
  /// Frames a second.
  public var rate: Double?
  /// Why it is not available.
  public var code: String?
  /// The message.
  public var message: String?
  /// The remedy.
  public var hint: String?

  /// The name on the wire.
  public static let event = "camera.status"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    status: CameraState, device: String? = nil, format: String? = nil, width: Int? = nil, height: Int? = nil,
    rate: Double? = nil, code: String? = nil, message: String? = nil, hint: String? = nil
  ) {
    self.status = status
    self.device = device
    self.format = format
    self.width = width
    self.height = height
    self.rate = rate
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// The states of the camera.
public enum CameraState: String, Codable, CaseIterable, Sendable {
  /// Nobody needs it.
  case closed
  /// It is open.
  case opened
  /// Frames arrive.
  case streaming
  /// Frames stay out.
  case stalled
  /// It is gone.
  case lost
  /// It is there again.
  case back
}
