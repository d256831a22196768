import WaymarkConfiguration
import WaymarkImage

/// The scene of the service: an anchor's picture by its file id, and annotations that hang on it.
struct ServiceSceneFile {
  private(set) var draft: ImportDraft

  init(draft: ImportDraft) { self.draft = draft }

  private static let sceneKeys = [
    "id", "alias", "annotationAnchors", "referenceAnchor", "sourceFile", "sourceFileType", "nameInSourceFile",
  ]
  private static let anchorKeys = [
    "id", "card", "marker", "sceneId", "relPosition-x", "relPosition-y", "relPosition-z", "businessObject",
    "nameInSourceFile",
  ]
  private static let cardKeys = [
    "language", "title", "description", "image", "actionText", "actionData", "actionType",
  ]

  mutating func scene(_ root: SourceNode) -> Scene? {
    guard let map = draft.reader.map(root, "", keys: Self.sceneKeys) else { return nil }
    guard let listNode = map["annotationAnchors"] else {
      draft.reader.report(
        root.mark, "annotationAnchors", "missing", "the file is neither a list of cards nor a scene of the service",
        hint: "a scene of the service has 'annotationAnchors'")
      return nil
    }
    guard let nodes = draft.reader.list(listNode, "annotationAnchors") else { return nil }
    guard !draft.tooMany(nodes.count) else {
      draft.reportTooMany(nodes.count, listNode.mark, "annotationAnchors")
      return nil
    }
    refuseModels(map)
    let alias = draft.reader.text(map, "alias", "", limit: SceneLimits.nameLength)
    let name =
      alias ?? draft.reader.text(map, "id", "", limit: SceneLimits.nameLength).map { "scene-\($0)" } ?? draft.stem
    var anchor = SceneAnchor(name: name, image: "", physicalWidth: draft.options.physicalWidth)
    reference(map, root, &anchor)
    anchor.annotations = nodes.enumerated().compactMap {
      annotation($0.element, "annotationAnchors[\($0.offset)]")
    }
    return Scene(name: draft.options.name ?? name, anchors: [anchor])
  }

  /// A scene that hangs on a 3D model has nothing that could be looked for in a camera's picture.
  private mutating func refuseModels(_ map: [String: SourceNode]) {
    guard let type = draft.reader.text(map, "sourceFileType", ""), let node = map["sourceFileType"] else { return }
    draft.reader.warn(
      node.mark, "sourceFileType", "modelIgnored",
      "the scene comes with a 3D model (\(type.prefix(20))), which only Apple's RealityKit can show",
      hint: "the cards are placed from the anchor's picture instead")
  }

  private mutating func reference(_ map: [String: SourceNode], _ root: SourceNode, _ anchor: inout SceneAnchor) {
    var names: [String] = []
    if let node = map["referenceAnchor"], !node.isNull,
      let inner = draft.reader.map(node, "referenceAnchor", keys: ["data", "physicalWidth", "name", "type", "id"])
    {
      names = ["data", "name"].compactMap { draft.reader.text(inner, $0, "referenceAnchor") }
      if let type = draft.reader.text(inner, "type", "referenceAnchor"), type != "image", let typeNode = inner["type"] {
        draft.reader.report(
          typeNode.mark, "referenceAnchor.type", "notAnImage", "the anchor is of the type '\(type.prefix(20))'",
          hint: "only anchors that are pictures can be followed")
      }
      if draft.options.physicalWidth == nil, let widthNode = inner["physicalWidth"], !widthNode.isNull,
        let width = draft.reader.number(widthNode, "referenceAnchor.physicalWidth")
      {
        if width > 0, width <= SceneLimits.reach {
          anchor.physicalWidth = width
        } else {
          draft.reader.report(
            widthNode.mark, "referenceAnchor.physicalWidth", "notPositive", "the width is \(width) m",
            hint: "set the width of the print with --physical-width")
        }
      }
    }
    anchor.image = draft.anchorImage(named: names, map["referenceAnchor"]?.mark ?? root.mark, "referenceAnchor")
  }

  private mutating func annotation(_ node: SourceNode, _ field: String) -> Annotation? {
    guard let map = draft.reader.map(node, field, keys: Self.anchorKeys),
      let id = draft.reader.requiredText(map, "id", field, owner: node)
    else { return nil }
    draft.unique(id, map["id"]?.mark ?? node.mark, "\(field).id")
    var position = Point3(0, 0, 0)
    for (index, key) in ["relPosition-x", "relPosition-y", "relPosition-z"].enumerated() {
      if let number = map[key], !number.isNull {
        position[index] = draft.reader.number(number, "\(field).\(key)") ?? 0
      } else {
        draft.reader.warn(
          node.mark, "\(field).\(key)", "noPosition", "'\(key)' is missing and counts as 0",
          hint: "set the position in scene.yaml")
      }
    }
    var marker = Marker()
    if let markerNode = map["marker"], !markerNode.isNull,
      let inner = draft.reader.map(markerNode, "\(field).marker", keys: ["icon", "icon-ios", "icon-android"])
    {
      marker.icon = draft.reader.text(inner, "icon", "\(field).marker", limit: SceneLimits.nameLength)
      marker.iconIOS = draft.reader.text(inner, "icon-ios", "\(field).marker", limit: SceneLimits.nameLength)
      marker.iconAndroid = draft.reader.text(inner, "icon-android", "\(field).marker", limit: SceneLimits.nameLength)
    }
    var card: SceneCard?
    if let cardNode = map["card"], !cardNode.isNull { card = self.card(cardNode, "\(field).card", id: id) }
    return Annotation(
      id: id, position: position, marker: marker, card: card, businessObject: map["businessObject"]?.opaque)
  }

  private mutating func card(_ node: SourceNode, _ field: String, id: String) -> SceneCard? {
    guard let map = draft.reader.map(node, field, keys: Self.cardKeys) else { return nil }
    var card = SceneCard(title: draft.reader.text(map, "title", field)?.nonEmpty ?? id)
    card.language = draft.reader.text(map, "language", field, limit: 35)
    card.description = draft.reader.text(map, "description", field)
    card.actionText = draft.reader.text(map, "actionText", field)
    card.actionData = draft.reader.text(map, "actionData", field)
    if let name = draft.reader.text(map, "actionType", field)?.nonEmpty, let typeNode = map["actionType"] {
      card.actionType = CardActionType(rawValue: name.lowercased())
      if card.actionType == nil {
        draft.reader.report(
          typeNode.mark, "\(field).actionType", "unknownActionType", "'\(name.prefix(40))' is not an action",
          hint: "use \(CardActionType.allCases.map(\.rawValue).joined(separator: ", "))")
      }
    }
    if let type = card.actionType, type != .custom, let dataNode = map["actionData"] ?? map["actionType"] {
      if let problem = type.problem(about: card.actionData ?? "") {
        draft.reader.report(
          dataNode.mark, "\(field).actionData", "badActionData", problem.message, hint: problem.hint)
      }
    }
    if let image = draft.reader.text(map, "image", field, limit: SceneLimits.importBytes)?.nonEmpty,
      let imageNode = map["image"]
    {
      if image.count > 256 || image.hasPrefix("data:") {
        card.image = draft.unpack(image, stem: id, imageNode.mark, "\(field).image")
      } else if let beside = draft.pictureBeside([image]) {
        card.image = beside
      } else {
        draft.reader.warn(
          imageNode.mark, "\(field).image", "missingPicture",
          "the card's picture '\(image.prefix(60))' is not beside the file, so the card has none",
          hint: "download the service's file of that id to the folder of the JSON")
      }
    }
    return card
  }
}
