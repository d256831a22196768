/// A camera that is plugged in.
public struct CameraDescription: Codable, Hashable, Sendable {
  /// Its stable identity, for `camera.select`.
  public var id: String
  /// What the device calls itself.
  public var name: String
  /// Its device node now.
  public var device: String
  /// Whether the service uses it.
  public var selected: Bool
  /// What it can send.
  public var formats: [CameraFormat]
  /// What can be set.
  public var controls: [CameraControlDescription]
  /// Whether it has a light that can be switched.
  public var torch: Bool

  /// A value from its parts.
  public init(
    id: String, name: String, device: String, selected: Bool, formats: [CameraFormat] = [],
    controls: [CameraControlDescription] = [], torch: Bool = false
  ) {
    self.id = id
    self.name = name
    self.device = device
    self.selected = selected
    self.formats = formats
    self.controls = controls
    self.torch = torch
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
  /// What it stands at.
  public var value: Int?
  /// The least value.
  public var minimum: Int
  /// The greatest value.
  public var maximum: Int
  /// The step between values.
  public var step: Int
  /// What the driver starts with.
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
