import WaymarkConfiguration
import WaymarkImage

/// The flat array: one card after the other, with its picture inside.
struct CardListFile {
  private(set) var draft: ImportDraft

  init(draft: ImportDraft) { self.draft = draft }

  private static let keys = [
    "id", "title_", "subtitle_", "descriptionText_", "detailImage_", "image_", "actionText_", "actionContentURL_",
    "icon_", "position_",
  ]

  mutating func scene(_ nodes: [SourceNode], _ root: SourceNode) -> Scene? {
    guard !draft.tooMany(nodes.count) else {
      draft.reportTooMany(nodes.count, root.mark, "")
      return nil
    }
    if nodes.isEmpty {
      draft.reader.report(root.mark, "", "empty", "the list has no card", hint: "export the cards again")
      return nil
    }
    let image = draft.anchorImage(named: ["anchor", draft.stem], root.mark, "")
    let annotations = nodes.enumerated().compactMap { card($0.element, "[\($0.offset)]") }
    let anchor = SceneAnchor(
      name: draft.stem, image: image, physicalWidth: draft.options.physicalWidth, annotations: annotations)
    return Scene(name: draft.options.name ?? draft.stem, anchors: [anchor])
  }

  private mutating func card(_ node: SourceNode, _ field: String) -> Annotation? {
    guard let map = draft.reader.map(node, field, keys: Self.keys) else { return nil }
    guard let id = draft.reader.requiredText(map, "id", field, owner: node),
      let title = draft.reader.requiredText(map, "title_", field, owner: node, limit: SceneLimits.textLength)
    else { return nil }
    draft.unique(id, map["id"]?.mark ?? node.mark, "\(field).id")
    var card = SceneCard(title: title)
    card.description = draft.reader.text(map, "subtitle_", field) ?? draft.reader.text(map, "descriptionText_", field)
    card.image = image(map, field, id: id)
    card.actionText = draft.reader.text(map, "actionText_", field)
    if let link = draft.reader.text(map, "actionContentURL_", field), let linkNode = map["actionContentURL_"] {
      if let problem = CardActionType.link.problem(about: link) {
        draft.reader.report(
          linkNode.mark, "\(field).actionContentURL_", "badActionData", problem.message, hint: problem.hint)
      }
      card.actionType = .link
      card.actionData = link
    } else if card.actionText != nil {
      // A button without an address: the app that shipped the list knew what to do with it.
      card.actionType = .custom
      card.actionData = id
    }
    var position = Point3(0, 0, 0)
    if let positionNode = map["position_"], !positionNode.isNull {
      guard let nodes = draft.reader.list(positionNode, "\(field).position_") else { return nil }
      let numbers = nodes.enumerated().compactMap {
        draft.reader.number($0.element, "\(field).position_[\($0.offset)]")
      }
      // A vector of three may be written with the padding of four.
      guard numbers.count == nodes.count, nodes.count == 3 || nodes.count == 4 else {
        if numbers.count == nodes.count {
          draft.reader.report(
            positionNode.mark, "\(field).position_", "wrongLength", "\(nodes.count) numbers where three belong",
            hint: "write [x, y, z] in metres")
        }
        return nil
      }
      position = Point3(numbers[0], numbers[1], numbers[2])
    } else {
      draft.reader.warn(
        node.mark, "\(field).position_", "noPosition", "the card has no position and goes to the picture's centre",
        hint: "set its position in scene.yaml")
    }
    // The icon's names in this dialect are those of iOS symbols.
    let icon = draft.reader.text(map, "icon_", field, limit: SceneLimits.nameLength)
    return Annotation(id: id, position: position, marker: Marker(icon: icon, iconIOS: icon), card: card)
  }

  /// `detailImage_` in base64, else `image_`: base64, or a map of `id` and `data`.
  private mutating func image(_ map: [String: SourceNode], _ field: String, id: String) -> String? {
    if let node = map["detailImage_"], !node.isNull {
      guard case .text(let text) = node.value else {
        draft.reader.wrongType(node, "\(field).detailImage_", wanted: "a picture in base64")
        return nil
      }
      return draft.unpack(text, stem: id, node.mark, "\(field).detailImage_")
    }
    guard let node = map["image_"], !node.isNull else { return nil }
    switch node.value {
    case .text(let text): return draft.unpack(text, stem: id, node.mark, "\(field).image_")
    case .map:
      guard let inner = draft.reader.map(node, "\(field).image_", keys: ["id", "data"]), let data = inner["data"],
        case .text(let text) = data.value
      else { return nil }
      return draft.unpack(text, stem: id, data.mark, "\(field).image_.data")
    default:
      draft.reader.wrongType(node, "\(field).image_", wanted: "a picture in base64")
      return nil
    }
  }
}
