package import WaymarkImage

/// The contents of one place: pictures and codes to look for, and the annotations that hang on them.
package struct Scene: Hashable, Sendable {
  /// The name people see.
  package var name: String
  /// The text of the coaching view; a general sentence where the file has none.
  package var instruction: String
  /// The pictures and codes to look for, in the order of the file.
  package var anchors: [SceneAnchor]
  /// The treatment of an anchor that may be another picture.
  package var ambiguous: AmbiguousAnchors
  /// The name of the camera in which it is followed, where a device has several; the first one where the file has none.
  package var camera: String?

  static let defaultInstruction = "Point the camera at the picture and hold still."

  package init(
    name: String, instruction: String = Scene.defaultInstruction, anchors: [SceneAnchor],
    ambiguous: AmbiguousAnchors = .show, camera: String? = nil
  ) {
    self.name = name
    self.instruction = instruction
    self.anchors = anchors
    self.ambiguous = ambiguous
    self.camera = camera
  }

  /// The anchors whose picture is looked for: those of the scene's library.
  package var pictures: [SceneAnchor] { anchors.filter { $0.code == nil } }

  /// Every annotation with the place of its anchor, in the stable order that next and previous follow.
  package var annotations: [(anchor: Int, annotation: Annotation)] {
    anchors.indices.flatMap { index in anchors[index].annotations.map { (index, $0) } }
  }
}

/// The treatment of an anchor that may be another picture: one that looks alike, or one that is alike in what is not covered.
package enum AmbiguousAnchors: String, CaseIterable, Hashable, Sendable {
  /// It is found as any other.
  case show
  /// It is found once it is proven.
  case wait
}

/// A picture or a code to look for, with what hangs on it.
package struct SceneAnchor: Hashable, Sendable {
  /// Unique in the scene; also the name of the anchor in the library.
  package var name: String
  /// Path of the picture, relative to the scene's folder. Beside a code it only shows people where to look.
  package var image: String?
  /// The code to look for; `nil` where the picture is looked for.
  package var code: SceneCode?
  /// Width of the printed picture, or of the code without its quiet zone, in metres; `nil` where unknown. Then positions
  /// count in widths and no pose or depth is given.
  package var physicalWidth: Double?
  /// The radius of the upright cylinder that the picture is wrapped round, in metres; `nil` where it is flat. Only with a physical width.
  package var radius: Double?
  /// How many copies of the picture are followed at once.
  package var copies: Int
  /// Which of several copies the annotations hang on.
  package var annotate: AnnotationCopies
  /// The annotations on it, in the order of the file.
  package var annotations: [Annotation]

  package init(
    name: String, image: String? = nil, code: SceneCode? = nil, physicalWidth: Double? = nil, radius: Double? = nil,
    copies: Int = 1, annotate: AnnotationCopies = .nearest, annotations: [Annotation] = []
  ) {
    self.name = name
    self.image = image
    self.code = code
    self.physicalWidth = physicalWidth
    self.radius = radius
    self.copies = copies
    self.annotate = annotate
    self.annotations = annotations
  }
}

extension SceneAnchor {
  /// True if several copies may be followed and the annotations hang on each of them.
  var hangsOnEach: Bool { copies > 1 && annotate == .each }
}

/// The copies of an anchor that its annotations hang on, where several are followed.
package enum AnnotationCopies: String, CaseIterable, Hashable, Sendable {
  /// The one nearest to the camera.
  case nearest
  /// Every one.
  case each
}

/// A marker in space and the card that explains it.
package struct Annotation: Hashable, Sendable {
  /// Unique in the scene.
  package var id: String
  /// In the anchor's frame: origin at its centre, x along its width (round a cylinder along the curve), y out of the picture, z down its height; metres,
  /// or widths of the picture or code where its physical width is unknown.
  package var position: Point3
  package var marker: Marker
  package var card: SceneCard?
  /// The object that the annotation stands for in another system; handed through as it is.
  package var businessObject: OpaqueValue?

  package init(
    id: String, position: Point3, marker: Marker = Marker(), card: SceneCard? = nil, businessObject: OpaqueValue? = nil
  ) {
    self.id = id
    self.position = position
    self.marker = marker
    self.card = card
    self.businessObject = businessObject
  }
}

/// How a marker looks.
package struct Marker: Hashable, Sendable {
  /// The name of an icon, or the path of a picture in the scene's folder.
  package var icon: String?
  /// The icon's name where iOS symbols are drawn.
  var iconIOS: String?
  /// The icon's name where Android symbols are drawn.
  var iconAndroid: String?

  package init(icon: String? = nil, iconIOS: String? = nil, iconAndroid: String? = nil) {
    self.icon = icon
    self.iconIOS = iconIOS
    self.iconAndroid = iconAndroid
  }
}

/// The card that explains an annotation.
package struct SceneCard: Hashable, Sendable {
  package var title: String
  package var description: String?
  /// Path of a picture, relative to the scene's folder.
  package var image: String?
  /// The label of the button; no button without it.
  package var actionText: String?
  package var actionType: CardActionType?
  /// The data that the button acts on: a link, a telephone number, or anything agreed on with the app.
  package var actionData: String?
  /// The language of the texts (ISO 639).
  package var language: String?

  package init(
    title: String, description: String? = nil, image: String? = nil, actionText: String? = nil,
    actionType: CardActionType? = nil, actionData: String? = nil, language: String? = nil
  ) {
    self.title = title
    self.description = description
    self.image = image
    self.actionText = actionText
    self.actionType = actionType
    self.actionData = actionData
    self.language = language
  }
}

/// The action of a card's button.
package enum CardActionType: String, CaseIterable, Hashable, Sendable {
  case link, video, phone, custom
}
