import WaymarkBarcodes
import WaymarkConfiguration
import WaymarkSystem

/// Reads which code an anchor is, with every complaint.
enum SceneCodeParser {
  /// - Parameter anchor: the field that has it as its `code`.
  /// - Returns: `nil` where it cannot be used; the reader then knows why.
  static func parse(_ node: SourceNode, of anchor: String, _ reader: inout SceneReader) -> SceneCode? {
    // A text alone is exactly that text.
    guard case .map = node.value else {
      return reader.requiredText(["code": node], "code", anchor, owner: node, limit: SceneLimits.textLength)
        .map { SceneCode(.text($0)) }
    }
    let field = reader.join(anchor, "code")
    let kinds = ["text", "prefix", "pattern", "gs1"]
    guard let map = reader.map(node, field, keys: kinds + ["symbologies"]) else { return nil }
    let named = kinds.filter { map[$0] != nil }
    guard let kind = named.first, named.count == 1 else {
      reader.report(
        node.mark, field, named.isEmpty ? "missing" : "ambiguousCode",
        named.isEmpty ? "the entry does not say which code it means" : "it says \(named.joined(separator: " and "))",
        hint: "write one of \(kinds.joined(separator: ", "))")
      return nil
    }
    let symbologies = map["symbologies"].map { self.symbologies($0, "\(field).symbologies", &reader) } ?? []
    return content(kind, map, field, node, &reader).map { SceneCode($0, symbologies: symbologies) }
  }

  private static func content(
    _ kind: String, _ map: [String: SourceNode], _ field: String, _ owner: SourceNode, _ reader: inout SceneReader
  ) -> SceneCode.Content? {
    if kind == "gs1" { return map["gs1"].flatMap { gs1($0, "\(field).gs1", &reader) } }
    guard let text = reader.requiredText(map, kind, field, owner: owner, limit: SceneLimits.textLength) else {
      return nil
    }
    switch kind {
    case "text": return .text(text)
    case "prefix": return .prefix(text)
    default:
      do throws(RegularExpressionFlaw) {
        return .pattern(try RegularExpression(text))
      } catch {
        reader.report(
          map[kind]?.mark ?? owner.mark, "\(field).pattern", "badPattern",
          "the regular expression cannot be used: \(error.message)",
          hint: "it must match the whole text; lookaround and back-references are not supported")
        return nil
      }
    }
  }

  private static func gs1(_ node: SourceNode, _ field: String, _ reader: inout SceneReader) -> SceneCode.Content? {
    guard let map = reader.map(node, field, keys: ["ai", "value"]) else { return nil }
    guard let identifier = reader.requiredText(map, "ai", field, owner: node) else { return nil }
    let value = reader.text(map, "value", field, limit: 90)
    guard (2...4).contains(identifier.utf8.count), identifier.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      reader.report(
        map["ai"]?.mark ?? node.mark, "\(field).ai", "badIdentifier",
        "'\(identifier.prefix(40))' is not an application identifier",
        hint: "write its two to four digits in quotes, such as \"01\"")
      return nil
    }
    if let value, ["01", "02"].contains(identifier), !isTradeItem(value) {
      reader.warn(
        map["value"]?.mark ?? node.mark, "\(field).value", "suspiciousNumber",
        "'\(value.prefix(40))' is not a trade item number: its length or check digit is wrong",
        hint: "write its 8, 12, 13 or 14 digits in quotes")
    }
    return .gs1(identifier: identifier, value: value)
  }

  /// GS1 General Specifications, 7.9: weights 3 and 1 from the right.
  private static func isTradeItem(_ value: String) -> Bool {
    guard [8, 12, 13, 14].contains(value.utf8.count) else { return false }
    return GS1Element.parse("01" + value.zeroPadded(to: 14)) != nil
  }

  private static func symbologies(_ node: SourceNode, _ field: String, _ reader: inout SceneReader) -> [Symbology] {
    guard let nodes = reader.list(node, field) else { return [] }
    var result: [Symbology] = []
    for (index, node) in nodes.enumerated() {
      let name = node.written ?? ""
      if let symbology = Symbology(rawValue: name) {
        if !result.contains(symbology) { result.append(symbology) }
        continue
      }
      let all = Symbology.allCases.map(\.rawValue)
      let guess = NearestWord.of(name, among: all).map { "did you mean '\($0)'?" }
      reader.report(
        node.mark, "\(field)[\(index)]", "unknownSymbology", "'\(name.prefix(40))' is not a symbology",
        hint: guess ?? "use \(all.joined(separator: ", "))")
    }
    if nodes.isEmpty {
      reader.report(node.mark, field, "empty", "the list names no symbology", hint: "leave it out, or name some")
    }
    return result
  }
}
