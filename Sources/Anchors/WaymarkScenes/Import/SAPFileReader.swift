import WaymarkConfiguration
import WaymarkImage

// The files of apps with SAP's AR annotations: card lists, and scenes of the service.

// MARK: - Card lists

/// Reads card lists: a flat array of cards, each with its picture embedded.
extension ImportDraft {
  private static let listedKeys = [
    "id", "title_", "subtitle_", "descriptionText_", "detailImage_", "image_", "actionText_", "actionContentURL_",
    "icon_", "position_",
  ]

  mutating func cardList(_ nodes: [SourceNode], _ root: SourceNode) -> Scene? {
    if nodes.count > SceneLimits.annotations { return refuseTooMany(nodes.count, root.mark, "") }
    if nodes.isEmpty {
      return reader.refuse(root.mark, "", "empty", "the list has no card", hint: "export the cards again")
    }
    let image = anchorImage(named: ["anchor", stem], root.mark, "")
    let annotations = nodes.enumerated().compactMap { listedCard($0.element, "[\($0.offset)]") }
    let anchor = SceneAnchor(
      name: stem, image: image, physicalWidth: options.physicalWidth, annotations: annotations)
    return Scene(name: options.name ?? stem, anchors: [anchor])
  }

  private mutating func listedCard(_ node: SourceNode, _ field: String) -> Annotation? {
    guard let map = reader.map(node, field, keys: Self.listedKeys) else { return nil }
    guard let id = reader.requiredText(map, "id", field, owner: node),
      let title = reader.requiredText(map, "title_", field, owner: node, limit: SceneLimits.textLength)
    else { return nil }
    unique(id, map["id"]?.mark ?? node.mark, "\(field).id")
    var card = SceneCard(title: title)
    card.description = reader.text(map, "subtitle_", field) ?? reader.text(map, "descriptionText_", field)
    card.image = listedImage(map, field, id: id)
    card.actionText = reader.text(map, "actionText_", field)
    if let link = reader.text(map, "actionContentURL_", field), let linkNode = map["actionContentURL_"] {
      if let problem = CardActionType.link.problem(about: link) {
        reader.report(
          linkNode.mark, "\(field).actionContentURL_", "badActionData", problem.message, hint: problem.hint)
      }
      card.actionType = .link
      card.actionData = link
    } else if card.actionText != nil {
      // A button without an address was handled by the app that contained the list, by the card's id.
      card.actionType = .custom
      card.actionData = id
    }
    var position = Point3(0, 0, 0)
    if let positionNode = map.given("position_") {
      guard let nodes = reader.list(positionNode, "\(field).position_") else { return nil }
      let numbers = nodes.enumerated().compactMap {
        reader.number($0.element, "\(field).position_[\($0.offset)]")
      }
      // A vector of three numbers may have a fourth number as padding.
      guard numbers.count == nodes.count, nodes.count == 3 || nodes.count == 4 else {
        if numbers.count == nodes.count {
          reader.report(
            positionNode.mark, "\(field).position_", "wrongLength", "\(nodes.count) numbers where three belong",
            hint: "write [x, y, z] in metres")
        }
        return nil
      }
      position = Point3(numbers[0], numbers[1], numbers[2])
    } else {
      reader.warn(
        node.mark, "\(field).position_", "noPosition", "the card has no position and goes to the picture's centre",
        hint: "set its position in scene.yaml")
    }
    // The icon names in this format are the names of iOS symbols.
    let icon = reader.text(map, "icon_", field, limit: SceneLimits.nameLength)
    return Annotation(id: id, position: position, marker: Marker(icon: icon, iconIOS: icon), card: card)
  }

  /// Returns the path of a card's picture: `detailImage_` in base64, otherwise `image_` in base64 or as a map of `id`
  /// and `data`.
  private mutating func listedImage(_ map: [String: SourceNode], _ field: String, id: String) -> String? {
    if let node = map.given("detailImage_") {
      guard case .text(let text) = node.value else {
        return reader.wrongType(node, "\(field).detailImage_", wanted: "a picture in base64")
      }
      return unpack(text, stem: id, node.mark, "\(field).detailImage_")
    }
    guard let node = map.given("image_") else { return nil }
    switch node.value {
    case .text(let text): return unpack(text, stem: id, node.mark, "\(field).image_")
    case .map:
      guard let inner = reader.map(node, "\(field).image_", keys: ["id", "data"]), let data = inner["data"],
        case .text(let text) = data.value
      else { return nil }
      return unpack(text, stem: id, data.mark, "\(field).image_.data")
    default:
      return reader.wrongType(node, "\(field).image_", wanted: "a picture in base64")
    }
  }
}

// MARK: - Scenes of the service

/// Reads scenes: annotations, and an anchor whose picture is given by its file id.
extension ImportDraft {
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

  mutating func serviceScene(_ root: SourceNode) -> Scene? {
    guard let map = reader.map(root, "", keys: Self.sceneKeys) else { return nil }
    guard let listNode = map["annotationAnchors"] else {
      return reader.refuse(
        root.mark, "annotationAnchors", "missing", "the file is neither a list of cards nor a scene of the service",
        hint: "a scene of the service has 'annotationAnchors'")
    }
    guard let nodes = reader.list(listNode, "annotationAnchors") else { return nil }
    if nodes.count > SceneLimits.annotations { return refuseTooMany(nodes.count, listNode.mark, "annotationAnchors") }
    reportModels(map)
    let alias = reader.text(map, "alias", "", limit: SceneLimits.nameLength)
    let name =
      alias ?? reader.text(map, "id", "", limit: SceneLimits.nameLength).map { "scene-\($0)" } ?? stem
    var anchor = SceneAnchor(name: name, image: "", physicalWidth: options.physicalWidth)
    reference(map, root, &anchor)
    anchor.annotations = nodes.enumerated().compactMap {
      annotation($0.element, "annotationAnchors[\($0.offset)]")
    }
    return Scene(name: options.name ?? name, anchors: [anchor])
  }

  /// Warns if a scene is attached to a 3D model, which cannot be found in a camera's picture.
  private mutating func reportModels(_ map: [String: SourceNode]) {
    guard let type = reader.text(map, "sourceFileType", ""), let node = map["sourceFileType"] else { return }
    reader.warn(
      node.mark, "sourceFileType", "modelIgnored",
      "the scene comes with a 3D model (\(type.prefix(20))), which only Apple's RealityKit can show",
      hint: "the cards are placed from the anchor's picture instead")
  }

  private mutating func reference(_ map: [String: SourceNode], _ root: SourceNode, _ anchor: inout SceneAnchor) {
    var names: [String] = []
    if let node = map.given("referenceAnchor"),
      let inner = reader.map(node, "referenceAnchor", keys: ["data", "physicalWidth", "name", "type", "id"])
    {
      names = ["data", "name"].compactMap { reader.text(inner, $0, "referenceAnchor") }
      if let type = reader.text(inner, "type", "referenceAnchor"), type != "image", let typeNode = inner["type"] {
        reader.report(
          typeNode.mark, "referenceAnchor.type", "notAnImage", "the anchor is of the type '\(type.prefix(20))'",
          hint: "only anchors that are pictures can be followed")
      }
      if options.physicalWidth == nil, let widthNode = inner.given("physicalWidth"),
        let width = reader.number(widthNode, "referenceAnchor.physicalWidth")
      {
        if width > 0, width <= SceneLimits.reach {
          anchor.physicalWidth = width
        } else {
          reader.report(
            widthNode.mark, "referenceAnchor.physicalWidth", "notPositive", "the width is \(width) m",
            hint: "set the width of the print with --physical-width")
        }
      }
    }
    anchor.image = anchorImage(named: names, map["referenceAnchor"]?.mark ?? root.mark, "referenceAnchor")
  }

  private mutating func annotation(_ node: SourceNode, _ field: String) -> Annotation? {
    guard let map = reader.map(node, field, keys: Self.anchorKeys),
      let id = reader.requiredText(map, "id", field, owner: node)
    else { return nil }
    unique(id, map["id"]?.mark ?? node.mark, "\(field).id")
    var position = Point3(0, 0, 0)
    for (index, key) in ["relPosition-x", "relPosition-y", "relPosition-z"].enumerated() {
      if let number = map.given(key) {
        position[index] = reader.number(number, "\(field).\(key)") ?? 0
      } else {
        reader.warn(
          node.mark, "\(field).\(key)", "noPosition", "'\(key)' is missing and counts as 0",
          hint: "set the position in scene.yaml")
      }
    }
    var marker = Marker()
    if let markerNode = map.given("marker"),
      let inner = reader.map(markerNode, "\(field).marker", keys: ["icon", "icon-ios", "icon-android"])
    {
      marker.icon = reader.text(inner, "icon", "\(field).marker", limit: SceneLimits.nameLength)
      marker.iconIOS = reader.text(inner, "icon-ios", "\(field).marker", limit: SceneLimits.nameLength)
      marker.iconAndroid = reader.text(inner, "icon-android", "\(field).marker", limit: SceneLimits.nameLength)
    }
    let card = map.given("card").flatMap { self.card($0, "\(field).card", id: id) }
    return Annotation(
      id: id, position: position, marker: marker, card: card, businessObject: map["businessObject"]?.json)
  }

  private mutating func card(_ node: SourceNode, _ field: String, id: String) -> SceneCard? {
    guard let map = reader.map(node, field, keys: Self.cardKeys) else { return nil }
    var card = SceneCard(title: reader.text(map, "title", field)?.nonEmpty ?? id)
    card.language = reader.text(map, "language", field, limit: 35)
    card.description = reader.text(map, "description", field)
    card.actionText = reader.text(map, "actionText", field)
    card.actionData = reader.text(map, "actionData", field)
    if let name = reader.text(map, "actionType", field)?.nonEmpty, let typeNode = map["actionType"] {
      card.actionType = reader.action(name, ignoringCase: true, typeNode, "\(field).actionType")
    }
    if let type = card.actionType, type != .custom, let dataNode = map["actionData"] ?? map["actionType"] {
      if let problem = type.problem(about: card.actionData ?? "") {
        reader.report(
          dataNode.mark, "\(field).actionData", "badActionData", problem.message, hint: problem.hint)
      }
    }
    if let image = reader.text(map, "image", field, limit: SceneLimits.importBytes)?.nonEmpty,
      let imageNode = map["image"]
    {
      if image.count > 256 || image.hasPrefix("data:") {
        card.image = unpack(image, stem: id, imageNode.mark, "\(field).image")
      } else if let beside = pictureBeside([image]) {
        card.image = beside
      } else {
        reader.warn(
          imageNode.mark, "\(field).image", "missingPicture",
          "the card's picture '\(image.prefix(60))' is not beside the file, so the card has none",
          hint: "download the service's file of that id to the folder of the JSON")
      }
    }
    return card
  }
}
