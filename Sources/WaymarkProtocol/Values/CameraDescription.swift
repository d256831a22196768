/// A camera that is plugged in.
public struct CameraDescription: Codable, Hashable, Sendable {
  /// Its stable identity, for `camera.select`.
  public var id: String
  /// The device's own name.
  public var name: String
  /// Its device node now.
  public var device: String
  /// True if the service uses it.
  public var selected: Bool
  /// The formats that it can send.
  public var formats: [CameraFormat]
  /// The controls that can be set.
  public var controls: [CameraControlDescription]
  /// True if it has a light that can be switched.
  public var torch: Bool
  /// The name of the configured camera that it is, where there are several.
  public var camera: String?

  /// A value from its parts.
  public init(
    id: String, name: String, device: String, selected: Bool, formats: [CameraFormat] = [],
    controls: [CameraControlDescription] = [], torch: Bool = false, camera: String? = nil
  ) {
    self.id = id
    self.name = name
    self.device = device
    self.selected = selected
    self.formats = formats
    self.controls = controls
    self.torch = torch
    self.camera = camera
  }
}

/// A pixel format and size of a camera.
public struct CameraFormat: Codable, Hashable, Sendable {
  /// Its four-character code.
  public var format: String
  /// Width in pixels.
  public var width: Int
  /// Height in pixels.
  public var height: Int
  /// Frames a second that it offers.
  public var rates: [Double]

  /// A value from its parts.
  public init(
    format: String, width: Int, height: Int, rates: [Double]
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.rates = rates
  }
}

/// A control of a camera.
public struct CameraControlDescription: Codable, Hashable, Sendable {
  /// Its name for `camera.control`.
  public var name: String
  /// The present value.
  public var value: Int?
  /// The least value.
  public var minimum: Int
  /// The greatest value.
  public var maximum: Int
  /// The step between values.
  public var step: Int
  /// The value that the driver starts with.
  public var defaultValue: Int?

  /// A value from its parts.
  public init(
    name: String, value: Int? = nil, minimum: Int, maximum: Int, step: Int = 1, defaultValue: Int? = nil
  ) {
    self.name = name
    self.value = value
    self.minimum = minimum
    self.maximum = maximum
    self.step = step
    self.defaultValue = defaultValue
  }
}
