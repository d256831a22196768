import WaymarkBarcodes
import WaymarkConfiguration
import WaymarkSystem

/// Reads values from a scene file or card file and collects all problems, instead of stopping at the first.
///
/// The file also has the parser of an anchor's code (`SceneCodeParser`) and the messages about pictures and actions.
struct SceneReader {
  let file: String
  private(set) var problems: [SceneProblem] = []

  init(file: String) { self.file = file }

  var hasErrors: Bool { problems.contains { $0.severity == .error } }

  mutating func report(_ mark: SourceMark, _ field: String, _ code: String, _ message: String, hint: String) {
    problems.append(SceneProblem(file: file, mark: mark, field: field, code: code, message: message, hint: hint))
  }

  /// Reports a problem of a value and returns `nil` for it.
  mutating func refuse<Value>(
    _ mark: SourceMark, _ field: String, _ code: String, _ message: String, hint: String
  ) -> Value? {
    report(mark, field, code, message, hint: hint)
    return nil
  }

  mutating func warn(_ mark: SourceMark, _ field: String, _ code: String, _ message: String, hint: String) {
    problems.append(
      SceneProblem(.warning, file: file, mark: mark, field: field, code: code, message: message, hint: hint))
  }

  /// Returns the entries of a map, without duplicate and unknown keys, which are reported; `nil` if the node is not a
  /// map. Keys that start with `x-` are free for the author's use and not reported.
  mutating func map(_ node: SourceNode, _ field: String, keys: [String]) -> [String: SourceNode]? {
    guard case .map(let entries) = node.value else {
      return wrongType(node, field, wanted: "a map with \(keys.prefix(4).joined(separator: ", "))")
    }
    var result: [String: SourceNode] = [:]
    for entry in entries {
      let path = join(field, entry.key)
      if result[entry.key] != nil {
        report(
          entry.mark, path, "duplicateKey", "the key '\(entry.key.prefix(40))' occurs twice in one map",
          hint: "keep one of them")
      } else if keys.contains(entry.key) || entry.key.hasPrefix("x-") {
        result[entry.key] = entry.node
      } else {
        let guess = NearestWord.of(entry.key, among: keys).map { "did you mean '\($0)'?" }
        report(
          entry.mark, path, "unknownKey", "there is no key '\(entry.key.prefix(40))'",
          hint: guess ?? "use \(keys.joined(separator: ", ")), or a key that starts with 'x-'")
      }
    }
    return result
  }

  mutating func list(_ node: SourceNode, _ field: String) -> [SourceNode]? {
    guard case .list(let nodes) = node.value else {
      return wrongType(node, field, wanted: "a list")
    }
    return nodes
  }

  /// The control characters allowed in texts: line breaks and tabs.
  private static let layout: [Unicode.Scalar] = ["\n", "\t", "\r", "\u{2028}", "\u{2029}"]

  /// Returns an optional text; `nil` if it is missing, or invalid and therefore reported. A number or Boolean is
  /// returned as written in the document.
  mutating func text(
    _ map: [String: SourceNode], _ key: String, _ field: String, limit: Int = SceneLimits.textLength
  ) -> String? {
    guard let node = map[key] else { return nil }
    let path = join(field, key)
    switch node.value {
    case .null: return nil
    case .text, .number, .bool:
      let text = node.written ?? ""
      if text.count > limit {
        return refuse(
          node.mark, path, "tooLong", "\(text.count) characters; at most \(limit) are read", hint: "shorten the text")
      }
      if text.unicodeScalars.contains(where: { $0.isControl && !Self.layout.contains($0) }) {
        return refuse(node.mark, path, "controlCharacter", "the text contains a control character", hint: "remove it")
      }
      return text
    case .list, .map:
      return wrongType(node, path, wanted: "a string")
    }
  }

  /// Returns a required, non-empty text; if it is missing, the problem is reported at `owner`.
  mutating func requiredText(
    _ map: [String: SourceNode], _ key: String, _ field: String, owner: SourceNode, limit: Int = SceneLimits.nameLength
  ) -> String? {
    let before = problems.count
    if let text = text(map, key, field, limit: limit), !text.allSatisfy(\.isWhitespace) { return text }
    if problems.count == before {
      report(
        map[key]?.mark ?? owner.mark, join(field, key), "missing", "'\(key)' is missing", hint: "add '\(key): …' here")
    }
    return nil
  }

  /// Returns the action of a card; reports an unknown name.
  mutating func action(
    _ name: String, ignoringCase: Bool = false, _ node: SourceNode, _ field: String
  ) -> CardActionType? {
    if let action = CardActionType(rawValue: ignoringCase ? name.lowercased() : name) { return action }
    return refuse(
      node.mark, field, "unknownActionType", "'\(name.prefix(40))' is not an action",
      hint: "use \(CardActionType.allCases.map(\.rawValue).joined(separator: ", "))")
  }

  mutating func number(_ node: SourceNode, _ field: String) -> Double? {
    guard case .number(let value) = node.value else {
      return wrongType(node, field, wanted: "a number")
    }
    guard value.isFinite else {
      return refuse(
        node.mark, field, "notFinite", "\(node.written ?? "it") is not a finite number", hint: "write metres")
    }
    return value
  }

  mutating func wrongType<Value>(_ node: SourceNode, _ field: String, wanted: String) -> Value? {
    refuse(node.mark, field, "wrongType", "\(node.kind) where \(wanted) belongs", hint: "write \(wanted)")
  }

  func join(_ field: String, _ key: String) -> String { field.isEmpty ? key : "\(field).\(key)" }
}

extension [String: SourceNode] {
  /// Returns the value of a key; `nil` if it is missing or null.
  func given(_ key: String) -> SourceNode? { self[key].flatMap { $0.isNull ? nil : $0 } }
}

/// Parses the `code` of an anchor, by which a QR code or bar code is recognised, and reports every problem.
enum SceneCodeParser {
  /// - Parameter anchor: The field of the anchor whose `code` is parsed.
  /// - Returns: The code; `nil` if it is invalid, in which case the problem is reported.
  static func parse(_ node: SourceNode, of anchor: String, _ reader: inout SceneReader) -> SceneCode? {
    // A plain text is the exact content.
    guard case .map = node.value else {
      return reader.requiredText(["code": node], "code", anchor, owner: node, limit: SceneLimits.textLength)
        .map { SceneCode(.text($0)) }
    }
    let field = reader.join(anchor, "code")
    let kinds = ["text", "prefix", "pattern", "gs1"]
    guard let map = reader.map(node, field, keys: kinds + ["symbologies"]) else { return nil }
    let named = kinds.filter { map[$0] != nil }
    guard let kind = named.first, named.count == 1 else {
      return reader.refuse(
        node.mark, field, named.isEmpty ? "missing" : "ambiguousCode",
        named.isEmpty ? "the entry does not say which code it means" : "it says \(named.joined(separator: " and "))",
        hint: "write one of \(kinds.joined(separator: ", "))")
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
        return reader.refuse(
          map[kind]?.mark ?? owner.mark, "\(field).pattern", "badPattern",
          "the regular expression cannot be used: \(error.message)",
          hint: "it must match the whole text; lookaround and back-references are not supported")
      }
    }
  }

  private static func gs1(_ node: SourceNode, _ field: String, _ reader: inout SceneReader) -> SceneCode.Content? {
    guard let map = reader.map(node, field, keys: ["ai", "value"]) else { return nil }
    guard let identifier = reader.requiredText(map, "ai", field, owner: node) else { return nil }
    let value = reader.text(map, "value", field, limit: 90)
    guard (2...4).contains(identifier.utf8.count), identifier.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return reader.refuse(
        map["ai"]?.mark ?? node.mark, "\(field).ai", "badIdentifier",
        "'\(identifier.prefix(40))' is not an application identifier",
        hint: "write its two to four digits in quotes, such as \"01\"")
    }
    if let value, ["01", "02"].contains(identifier), !isTradeItem(value) {
      reader.warn(
        map["value"]?.mark ?? node.mark, "\(field).value", "suspiciousNumber",
        "'\(value.prefix(40))' is not a trade item number: its length or check digit is wrong",
        hint: "write its 8, 12, 13 or 14 digits in quotes")
    }
    return .gs1(identifier: identifier, value: value)
  }

  /// Returns whether a value is a trade item number with a valid check digit (GS1 General Specifications, 7.9).
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

extension SourceNode {
  /// The value as JSON, without source positions; `nil` if a number in it is not finite.
  var json: JSONValue? {
    switch value {
    case .null: return .null
    case .bool(let value): return .bool(value)
    case .number(let value): return value.isFinite ? Int(exactly: value).map { .int($0) } ?? .double(value) : nil
    case .text(let value): return .string(value)
    case .list(let nodes):
      let values = nodes.compactMap(\.json)
      return values.count == nodes.count ? .array(values) : nil
    case .map(let entries):
      var map: [String: JSONValue] = [:]
      for entry in entries {
        guard let value = entry.node.json else { return nil }
        map[entry.key] = value
      }
      return .object(map)
    }
  }
}

/// The messages about pictures that a scene cannot use.
extension SceneFolder.Refusal {
  /// The code of the problem, and the hint that describes the remedy.
  var remedy: (code: String, hint: String) {
    switch self {
    case .absolute, .outside: ("outsideFolder", "put the picture into the folder and name it from there")
    case .missing: ("missingPicture", "put the picture into the folder or correct the name")
    case .tooLarge: ("pictureTooLarge", "save it smaller")
    case .unreadable: ("badPicture", "let the service's user read it")
    case .notAFile, .empty, .notAPicture: ("badPicture", "put a JPEG, PNG, WebP, BMP, GIF or PNM picture there")
    }
  }

  func message(_ path: String) -> String {
    let name = "'\(path.prefix(80))'"
    return switch self {
    case .absolute: "\(name) is an absolute path"
    case .outside: "\(name) lies outside the scene's folder"
    case .missing: "there is no picture \(name)"
    case .notAFile: "\(name) is not a file"
    case .empty: "\(name) is empty"
    case .tooLarge: "\(name) is larger than \(SceneLimits.pictureBytes >> 20) MiB"
    case .notAPicture: "\(name) is neither JPEG, PNG, WebP, BMP, GIF nor PNM"
    case .unreadable: "\(name) cannot be read"
    }
  }
}

extension CardActionType {
  /// Returns the problem with the data of an action; `nil` if the data are valid. A link must be a web address, because
  /// viewers of the card open it.
  func problem(about data: String) -> (message: String, hint: String)? {
    switch self {
    case .link, .video:
      let lower = data.lowercased()
      let schemes = self == .link ? ["https://", "http://"] : ["https://", "http://", "rtsp://", "rtsps://"]
      guard let scheme = schemes.first(where: lower.hasPrefix), lower.count > scheme.count,
        !data.contains(where: \.isWhitespace)
      else {
        return ("'\(data.prefix(80))' is not a web address", "write a whole address with https://")
      }
      return nil
    case .phone:
      let digits = data.filter(\.isNumber)
      guard digits.count >= 3, data.allSatisfy({ $0.isASCII && ($0.isNumber || "+-()/. #*".contains($0)) }) else {
        return ("'\(data.prefix(80))' is not a telephone number", "write it like +49 6227 7 0")
      }
      return nil
    case .custom: return nil
    }
  }
}
