/// The state of the scanner.
public struct ScannerStatus: EventPayload {
  /// Its state.
  public var status: ScannerState
  /// The armed scan.
  public var scan: String?
  /// The mode of the armed scan.
  public var mode: ScanMode?
  /// The client that holds the armed scan; nobody when the service armed itself.
  public var by: Actor?
  /// Frames that the armed scan has looked at.
  public var frames: Int?
  /// The error's code.
  public var code: String?
  /// The message.
  public var message: String?
  /// The remedy.
  public var hint: String?

  /// The name on the wire.
  public static let event = "scanner.status"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    status: ScannerState, scan: String? = nil, mode: ScanMode? = nil, by: Actor? = nil, frames: Int? = nil,
    code: String? = nil, message: String? = nil, hint: String? = nil
  ) {
    self.status = status
    self.scan = scan
    self.mode = mode
    self.by = by
    self.frames = frames
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// The states of the scanner.
public enum ScannerState: String, Codable, CaseIterable, Sendable {
  /// Nothing is armed, the camera rests.
  case idle
  /// A verdict waits for its confirmation, or the camera streams for somebody else.
  case ready
  /// A scan is armed.
  case scanning
  /// It cannot scan.
  case error
}
