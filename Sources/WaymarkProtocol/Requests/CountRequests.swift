/// Begins to count the codes that the camera sees, each copy once, or takes part in the count that goes on: it lasts until everybody who
/// takes part has ended it or left.
public struct CountBeginRequest: ServiceRequest {
  /// The symbologies to count; all that are configured for scans when missing. A count that goes on keeps its own.
  public var symbologies: [String]?
  /// The count to go on with, for a client that lost its connection: it is kept for 30 seconds after the last one has left so.
  public var count: String?
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = CountState

  /// The name on the wire.
  public static let method = "count.begin"

  /// A value from its parts.
  public init(symbologies: [String]? = nil, count: String? = nil, camera: String? = nil) {
    self.symbologies = symbologies
    self.count = count
    self.camera = camera
  }
}

/// Forgets what was counted so far, for everybody who takes part.
public struct CountResetRequest: ServiceRequest {
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = CountState

  /// The name on the wire.
  public static let method = "count.reset"

  /// A value from its parts.
  public init(camera: String? = nil) { self.camera = camera }
}

/// Ends a client's part in the count; with the last one the count is over.
public struct CountEndRequest: ServiceRequest {
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "count.end"

  /// A value from its parts.
  public init(camera: String? = nil) { self.camera = camera }
}
