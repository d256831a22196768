/// Switches the camera's light.
public struct TorchRequest: ServiceRequest {
  /// On or off.
  public var on: Bool
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = TorchResult

  /// The name on the wire.
  public static let method = "torch"

  /// A value from its parts.
  public init(
    on: Bool, camera: String? = nil
  ) {
    self.on = on
    self.camera = camera
  }
}

/// The light.
public struct TorchResult: Codable, Hashable, Sendable {
  /// On or off.
  public var on: Bool

  /// A value from its parts.
  public init(
    on: Bool
  ) {
    self.on = on
  }
}

/// Asks for the cameras.
public struct CameraListRequest: ServiceRequest {

  /// The result of a success.
  public typealias Result = CameraListResult

  /// The name on the wire.
  public static let method = "camera.list"

  /// The only value.
  public init() {}
}

/// The cameras.
public struct CameraListResult: Codable, Hashable, Sendable {
  /// The cameras that are plugged in.
  public var cameras: [CameraDescription]

  /// A value from its parts.
  public init(
    cameras: [CameraDescription]
  ) {
    self.cameras = cameras
  }
}

/// Uses another camera, until the service ends.
public struct CameraSelectRequest: ServiceRequest {
  /// Its identity or device.
  public var id: String
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = CameraSelectResult

  /// The name on the wire.
  public static let method = "camera.select"

  /// A value from its parts.
  public init(
    id: String, camera: String? = nil
  ) {
    self.id = id
    self.camera = camera
  }
}

/// The camera that is used.
public struct CameraSelectResult: Codable, Hashable, Sendable {
  /// Its identity.
  public var id: String

  /// A value from its parts.
  public init(
    id: String
  ) {
    self.id = id
  }
}

/// Sets a control of the camera.
public struct CameraControlRequest: ServiceRequest {
  /// The control.
  public var name: String
  /// The value.
  public var value: Double
  /// The camera, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = CameraControlResult

  /// The name on the wire.
  public static let method = "camera.control"

  /// A value from its parts.
  public init(
    name: String, value: Double, camera: String? = nil
  ) {
    self.name = name
    self.value = value
    self.camera = camera
  }
}

/// The value of the control after the change.
public struct CameraControlResult: Codable, Hashable, Sendable {
  /// The control.
  public var name: String
  /// The value that the driver made of it.
  public var value: Double

  /// A value from its parts.
  public init(
    name: String, value: Double
  ) {
    self.name = name
    self.value = value
  }
}
