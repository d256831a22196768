/// Asks how the service is.
public struct StatusRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = StatusResult

  /// The name on the wire.
  public static let method = "status"

  /// The only value.
  public init() {}
}

/// How the service is.
public struct StatusResult: Codable, Hashable, Sendable {
  /// Its version.
  public var version: String
  /// Its run.
  public var instance: String
  /// When it started: RFC 3339, UTC.
  public var started: String
  /// Where it listens.
  public var socket: String
  /// The scanner.
  public var scanner: ScannerStatus
  /// The camera.
  public var camera: CameraStatus
  /// The armed scan.
  public var scan: ArmedScan?
  /// The session that reads text.
  public var text: TextSession?
  /// The AR session's phase.
  public var session: SessionPhase?
  /// The scene in use.
  public var scene: String?
  /// Anchors in view.
  public var anchors: [String]
  /// The camera's geometry.
  public var intrinsics: Intrinsics?
  /// Figures.
  public var statistics: Statistics
  /// The cameras in the order of the configuration, where there are several; `scanner`, `camera` and `scan` are of the first.
  public var cameras: [CameraOverview]?

  /// A value from its parts.
  public init(
    version: String, instance: String, started: String, socket: String, scanner: ScannerStatus, camera: CameraStatus,
    scan: ArmedScan? = nil, text: TextSession? = nil, session: SessionPhase? = nil, scene: String? = nil,
    anchors: [String] = [],
    intrinsics: Intrinsics? = nil, statistics: Statistics, cameras: [CameraOverview]? = nil
  ) {
    self.version = version
    self.instance = instance
    self.started = started
    self.socket = socket
    self.scanner = scanner
    self.camera = camera
    self.scan = scan
    self.text = text
    self.session = session
    self.scene = scene
    self.anchors = anchors
    self.intrinsics = intrinsics
    self.statistics = statistics
    self.cameras = cameras
  }
}
