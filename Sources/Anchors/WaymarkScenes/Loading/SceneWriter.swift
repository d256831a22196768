import WaymarkBarcodes
import WaymarkSystem

/// Writes a scene as the `scene.yaml` that the loader reads.
package enum SceneWriter {
  package static func yaml(_ scene: Scene) -> String {
    var out = "name: \(quoted(scene.name))\n"
    if scene.instruction != Scene.defaultInstruction { out += "instruction: \(quoted(scene.instruction))\n" }
    if scene.ambiguous != .show { out += "ambiguous: \(scene.ambiguous.rawValue)\n" }
    if let camera = scene.camera { out += "camera: \(quoted(camera))\n" }
    out += scene.anchors.isEmpty ? "anchors: []\n" : "anchors:\n"
    for anchor in scene.anchors {
      out += "  - name: \(quoted(anchor.name))\n"
      if let image = anchor.image { out += "    image: \(quoted(image))\n" }
      if let code = anchor.code { out += "    code: \(flow(code))\n" }
      if let width = anchor.physicalWidth { out += "    physicalWidth: \(number(width)) # metres\n" }
      if let radius = anchor.radius { out += "    radius: \(number(radius)) # metres\n" }
      if anchor.copies > 1 { out += "    copies: \(anchor.copies)\n" }
      if anchor.annotate != .nearest { out += "    annotate: \(anchor.annotate.rawValue)\n" }
      if anchor.annotations.isEmpty { continue }
      out += "    annotations:\n"
      for annotation in anchor.annotations { out += yaml(annotation) }
    }
    return out
  }

  private static func yaml(_ annotation: Annotation) -> String {
    let p = annotation.position
    var out = "      - id: \(quoted(annotation.id))\n"
    if let place = annotation.place {
      out += "        \(place.unit.rawValue): [\(number(place.point.x)), \(number(place.point.y))]\n"
    } else {
      out += "        position: [\(number(p.x)), \(number(p.y)), \(number(p.z))]\n"
    }
    let marker = [
      ("icon", annotation.marker.icon), ("icon-ios", annotation.marker.iconIOS),
      ("icon-android", annotation.marker.iconAndroid),
    ]
    let parts = marker.compactMap { key, value in value.map { "\(key): \(quoted($0))" } }
    if !parts.isEmpty { out += "        marker: { \(parts.joined(separator: ", ")) }\n" }
    if let card = annotation.card {
      out += "        card:\n"
      let fields: [(String, String?)] = [
        ("title", card.title), ("description", card.description), ("image", card.image),
        ("actionText", card.actionText), ("actionType", card.actionType?.rawValue), ("actionData", card.actionData),
        ("language", card.language),
      ]
      for (key, value) in fields {
        if let value { out += "          \(key): \(quoted(value))\n" }
      }
    }
    if let business = annotation.businessObject { out += "        businessObject: \(flow(business))\n" }
    return out
  }

  private static func flow(_ code: SceneCode) -> String {
    var parts: [String]
    switch code.content {
    case .text(let text): parts = ["text: \(quoted(text))"]
    case .prefix(let prefix): parts = ["prefix: \(quoted(prefix))"]
    case .pattern(let pattern): parts = ["pattern: \(quoted(pattern.expression))"]
    case .gs1(let identifier, let value):
      parts = ["gs1: { ai: \(quoted(identifier))\(value.map { ", value: \(quoted($0))" } ?? "") }"]
    }
    if !code.symbologies.isEmpty {
      parts.append("symbologies: [\(code.symbologies.map(\.rawValue).joined(separator: ", "))]")
    }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  /// Returns a value in JSON syntax, which is a subset of YAML.
  private static func flow(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let digits): digits
    case .string(let value): quoted(value)
    case .array(let values): "[" + values.map(flow).joined(separator: ", ") + "]"
    case .object(let members):
      "{ " + members.map { "\(quoted($0.name)): \(flow($0.value))" }.joined(separator: ", ") + " }"
    }
  }

  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// Returns a text as a double-quoted scalar (YAML 1.2.2, section 7.3.1), or as a plain scalar if this cannot be misread.
  private static func quoted(_ text: String) -> String {
    let safe = text.utf8.allSatisfy {
      ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x30 && $0 <= 0x39)
        || "-_. /".utf8.contains($0)
    }
    let words = ["true", "false", "null", "yes", "no", "on", "off"]
    if safe, let first = text.first, first.isLetter, text.last != " ", !words.contains(text.lowercased()) {
      return text
    }
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case _
      where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
        || scalar.value == 0x2028 || scalar.value == 0x2029:
        out += "\\u" + scalar.value.digits(4, radix: 16)
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
