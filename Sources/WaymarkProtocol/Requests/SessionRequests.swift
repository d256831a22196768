/// Opens the AR session: coaching.
public struct SessionStartRequest: ServiceRequest {
  /// The scene; the one in use when missing.
  public var scene: String?
  /// The camera in which it is followed, by its name; when missing that of `scene.load`, and the same as before where the scene is in use.
  public var camera: String?

  /// The result of a success.
  public typealias Result = SessionResult

  /// The name on the wire.
  public static let method = "session.start"

  /// A value from its parts.
  public init(
    scene: String? = nil, camera: String? = nil
  ) {
    self.scene = scene
    self.camera = camera
  }
}

/// Begin Scan, or Return to Scan.
public struct SessionScanRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = SessionResult

  /// The name on the wire.
  public static let method = "session.scan"

  /// The only value.
  public init() {}
}

/// Opens the coaching view again.
public struct SessionCoachRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = SessionResult

  /// The name on the wire.
  public static let method = "session.coach"

  /// The only value.
  public init() {}
}

/// Leaves the session.
public struct SessionExitRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = SessionResult

  /// The name on the wire.
  public static let method = "session.exit"

  /// The only value.
  public init() {}
}

/// Where the session is.
public struct SessionResult: Codable, Hashable, Sendable {
  /// The phase.
  public var phase: SessionPhase

  /// A value from its parts.
  public init(
    phase: SessionPhase
  ) {
    self.phase = phase
  }
}
