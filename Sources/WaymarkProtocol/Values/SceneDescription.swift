public import WaymarkJSON

/// A scene as clients see it.
public struct SceneDescription: Codable, Hashable, Sendable {
  /// Its name for `scene.load`.
  public var scene: String
  /// Its title for people.
  public var title: String?
  /// Its anchors.
  public var anchors: [AnchorDescription]

  /// A value from its parts.
  public init(
    scene: String, title: String? = nil, anchors: [AnchorDescription]
  ) {
    self.scene = scene
    self.title = title
    self.anchors = anchors
  }
}

/// An anchor of a scene.
public struct AnchorDescription: Codable, Hashable, Sendable {
  /// Its name.
  public var anchor: String
  /// The id of its picture, for `media.resource`.
  public var resource: String?
  /// Width of the reference in pixels, its long side scaled to 480.
  public var width: Int?
  /// Height of the reference in pixels, its long side scaled to 480.
  public var height: Int?
  /// Width of the real picture in metres, where known.
  public var physicalWidth: Double?
  /// What is annotated on it.
  public var annotations: [AnnotationDescription]

  /// A value from its parts.
  public init(
    anchor: String, resource: String? = nil, width: Int? = nil, height: Int? = nil, physicalWidth: Double? = nil,
    annotations: [AnnotationDescription]
  ) {
    self.anchor = anchor
    self.resource = resource
    self.width = width
    self.height = height
    self.physicalWidth = physicalWidth
    self.annotations = annotations
  }
}

/// A marker and its card.
public struct AnnotationDescription: Codable, Hashable, Sendable {
  /// Its id, unique in the scene.
  public var id: String
  /// Metres in the anchor's frame: +x along its width, +y out of the picture, +z down its height.
  public var position: [Double]
  /// The name of the marker's icon.
  public var icon: String?
  /// Its card.
  public var card: Card
  /// What the integrator attached to it, as it is in the scene.
  public var businessObject: JSONValue?

  /// A value from its parts.
  public init(
    id: String, position: [Double], icon: String? = nil, card: Card, businessObject: JSONValue? = nil
  ) {
    self.id = id
    self.position = position
    self.icon = icon
    self.card = card
    self.businessObject = businessObject
  }
}
