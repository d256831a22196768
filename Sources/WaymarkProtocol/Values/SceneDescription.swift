public import WaymarkJSON

/// A scene as clients see it.
public struct SceneDescription: Codable, Hashable, Sendable {
  /// Its name for `scene.load`.
  public var scene: String
  /// Its title for people.
  public var title: String?
  /// Its anchors.
  public var anchors: [AnchorDescription]
  /// The camera in which it is followed, where there are several.
  public var camera: String?

  /// A value from its parts.
  public init(
    scene: String, title: String? = nil, anchors: [AnchorDescription], camera: String? = nil
  ) {
    self.scene = scene
    self.title = title
    self.anchors = anchors
    self.camera = camera
  }

  /// Without what codes must say: who knows that could make one.
  package var forObservers: Self {
    var copy = self
    for index in copy.anchors.indices {
      copy.anchors[index].code = copy.anchors[index].code.map {
        AnchorCodeDescription(symbologies: $0.symbologies, redacted: true)
      }
    }
    return copy
  }
}

/// An anchor of a scene.
public struct AnchorDescription: Codable, Hashable, Sendable {
  /// Its name.
  public var anchor: String
  /// The id of its picture, for `media.resource`. Of an anchor that is a code it shows where to look, and may be missing.
  public var resource: String?
  /// Width of the reference in pixels, its long side scaled to 480.
  public var width: Int?
  /// Height of the reference in pixels, its long side scaled to 480.
  public var height: Int?
  /// The code that it is; missing where it is the picture.
  public var code: AnchorCodeDescription?
  /// Width of the real picture, or of the code without its quiet zone, in metres, where known.
  public var physicalWidth: Double?
  /// The radius in metres of the upright cylinder that the picture is wrapped round; missing where it is flat.
  public var radius: Double?
  /// How many copies of it are followed at once; missing: one.
  public var copies: Int?
  /// Which of several copies its annotations hang on; missing where one is followed.
  public var annotate: AnnotatedCopies?
  /// The annotations on it.
  public var annotations: [AnnotationDescription]

  /// A value from its parts.
  public init(
    anchor: String, resource: String? = nil, width: Int? = nil, height: Int? = nil, code: AnchorCodeDescription? = nil,
    physicalWidth: Double? = nil, radius: Double? = nil, copies: Int? = nil, annotate: AnnotatedCopies? = nil,
    annotations: [AnnotationDescription]
  ) {
    self.anchor = anchor
    self.resource = resource
    self.width = width
    self.height = height
    self.code = code
    self.physicalWidth = physicalWidth
    self.radius = radius
    self.copies = copies
    self.annotate = annotate
    self.annotations = annotations
  }
}

/// The copies of an anchor that its annotations hang on, where several are followed.
public enum AnnotatedCopies: String, Codable, CaseIterable, Sendable {
  /// The one nearest to the camera.
  case nearest
  /// Every one.
  case each
}

/// Which code an anchor is; one of `text`, `prefix`, `pattern` and `identifier` says what it says.
public struct AnchorCodeDescription: Codable, Hashable, Sendable {
  /// Exactly this.
  public var text: String?
  /// It begins with this.
  public var prefix: String?
  /// A regular expression for the whole text.
  public var pattern: String?
  /// The GS1 application identifier of an element string that it has.
  public var identifier: String?
  /// The value of that element string; any value where it is missing.
  public var value: String?
  /// The symbologies that it may have; missing: those that the service reads.
  public var symbologies: [String]?
  /// True where what it says was left out for an observer.
  public var redacted: Bool?

  /// A value from its parts.
  public init(
    text: String? = nil, prefix: String? = nil, pattern: String? = nil, identifier: String? = nil,
    value: String? = nil, symbologies: [String]? = nil, redacted: Bool? = nil
  ) {
    self.text = text
    self.prefix = prefix
    self.pattern = pattern
    self.identifier = identifier
    self.value = value
    self.symbologies = symbologies
    self.redacted = redacted
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
  /// The integrator's data attached to it, as it is in the scene.
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
