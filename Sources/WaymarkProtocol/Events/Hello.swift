/// The first line on every connection.
public struct Hello: EventPayload {
  /// The version of the protocol.
  public var `protocol`: Int
  /// Always `waymark`.
  public var server: String
  /// The version of the service.
  public var version: String
  /// Changes with every run of the service.
  public var instance: String
  /// The role of this connection.
  public var role: Role
  /// The number of this connection, as `by.client` shows it in events.
  public var client: Int
  /// The features of this service beyond the plain protocol.
  public var features: [String]
  /// How numbers are meant.
  public var conventions: Conventions

  /// The name on the wire.
  public static let event = "hello"

  /// Nothing in it is a secret.
  public var forObservers: Self { self }

  /// A value from its parts.
  public init(
    `protocol`: Int = 1, server: String = "waymark", version: String, instance: String, role: Role, client: Int,
    features: [String], conventions: Conventions = Conventions()
  ) {
    self.protocol = `protocol`
    self.server = server
    self.version = version
    self.instance = instance
    self.role = role
    self.client = client
    self.features = features
    self.conventions = conventions
  }
}

/// How numbers are meant, for the reader of a log; clients need not parse it.
public struct Conventions: Codable, Hashable, Sendable {
  /// Units.
  public var units: String
  /// The frame of pixel coordinates.
  public var pixels: String
  /// The order of a code's corners.
  public var codeCorners: String
  /// The order of an anchor's corners.
  public var anchorCorners: String
  /// The long side to which references are scaled, in pixels.
  public var anchorReferenceLongSide: Int
  /// How it is to be read.
  public var homography: String
  /// The camera's frame.
  public var cameraFrame: String
  /// The anchor's frame.
  public var anchorFrame: String
  /// How it is to be read.
  public var matrix: String

  /// A value from its parts.
  public init(
    units: String = "metres, seconds, radians, pixels",
    pixels: String = "origin top left, pixel centres at whole numbers, after rotation and mirroring",
    codeCorners: String = "of the upright code, from its top left clockwise",
    anchorCorners: String = "images of (0,0) (w,0) (w,h) (0,h)", anchorReferenceLongSide: Int = 480,
    homography: String = "row-major, reference to frame",
    cameraFrame: String = "right-handed, +x right, +y up, looking along -z",
    anchorFrame: String = "origin at the centre, +x along the width, +y out of the picture, +z down the height",
    matrix: String = "anchor to camera, column-major"
  ) {
    self.units = units
    self.pixels = pixels
    self.codeCorners = codeCorners
    self.anchorCorners = anchorCorners
    self.anchorReferenceLongSide = anchorReferenceLongSide
    self.homography = homography
    self.cameraFrame = cameraFrame
    self.anchorFrame = anchorFrame
    self.matrix = matrix
  }
}
