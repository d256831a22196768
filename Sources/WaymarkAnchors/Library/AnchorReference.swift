public import WaymarkImage

/// One preset picture, as the library holds it.
public struct AnchorReference: Sendable {
  /// Its name, unique in its library.
  public let name: String
  /// The width of the printed picture in metres; `nil` where it is not known, and then there is no pose.
  public let physicalWidth: Double?
  /// The picture in gray with its long side scaled to 480 pixels. Homographies and corners are in its pixels.
  public let image: GrayImage

  /// The radius of the upright cylinder that the picture is wrapped round, in metres; `nil` where it is flat.
  public let radius: Double?

  /// A reference from its parts.
  public init(name: String, physicalWidth: Double?, image: GrayImage, radius: Double? = nil) {
    self.name = name
    self.radius = radius
    self.physicalWidth = physicalWidth
    self.image = image
  }

  /// Width of the reference in pixels.
  public var width: Int { image.width }
  /// Height of the reference in pixels.
  public var height: Int { image.height }
}
