public import WaymarkJSON

/// Arms a scan.
public struct ScanBeginRequest: ServiceRequest {
  /// The purpose.
  public var mode: ScanMode
  /// The symbologies to read; the configured ones when missing.
  public var symbologies: [String]?
  /// x, y, width, height as shares of the frame: a code counts when its centre lies inside.
  public var region: [Double]?
  /// Seconds after which it ends without a read; never when missing. More than 0, at most 86400.
  public var timeout: Double?
  /// Ends after the first code (barcode mode).
  public var once: Bool?
  /// Anything; comes back with every event of the scan.
  public var context: JSONValue?
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = ScanBeginResult

  /// The name on the wire.
  public static let method = "scan.begin"

  /// A value from its parts.
  public init(
    mode: ScanMode, symbologies: [String]? = nil, region: [Double]? = nil, timeout: Double? = nil, once: Bool? = nil,
    context: JSONValue? = nil, camera: String? = nil
  ) {
    self.mode = mode
    self.symbologies = symbologies
    self.region = region
    self.timeout = timeout
    self.once = once
    self.context = context
    self.camera = camera
  }
}

/// The scan that is armed.
public struct ScanBeginResult: Codable, Hashable, Sendable {
  /// Its id.
  public var scan: String

  /// A value from its parts.
  public init(
    scan: String
  ) {
    self.scan = scan
  }
}

/// Ends a scan.
public struct ScanCancelRequest: ServiceRequest {
  /// Which; the armed one when missing.
  public var scan: String?
  /// The camera, by its name; when missing that of the scan, and the first one without either.
  public var camera: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "scan.cancel"

  /// A value from its parts.
  public init(
    scan: String? = nil, camera: String? = nil
  ) {
    self.scan = scan
    self.camera = camera
  }
}

/// Confirms the verdict that is waiting.
public struct ScanConfirmRequest: ServiceRequest {
  /// Which; the armed one when missing.
  public var scan: String?
  /// The camera, by its name; when missing that of the scan, and the first one without either.
  public var camera: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "scan.confirm"

  /// A value from its parts.
  public init(
    scan: String? = nil, camera: String? = nil
  ) {
    self.scan = scan
    self.camera = camera
  }
}
