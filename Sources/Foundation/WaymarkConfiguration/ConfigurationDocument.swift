import Glibc
import WaymarkSystem

/// A configuration file, or several in which later files override earlier ones: the content with positions, its known and valid
/// part, and the problems of the rest. `ConfigurationCheck` below finds the problems; a `ConfigurationProblem` describes one of
/// them.
package struct ConfigurationDocument: Sendable {
  /// The paths of the files, as problems show them.
  private var paths: [String]
  /// The unchecked content of the files, in which later files override earlier ones; `nil` if every file is empty or not YAML.
  package private(set) var root: SourceNode?
  /// The known and valid part of the content: a map.
  package private(set) var checked: SourceNode
  /// The problems of the files, in the order of their positions.
  package private(set) var problems: [ConfigurationProblem]

  /// The path of the first file.
  package var path: String { paths[0] }

  /// Parses a text as YAML, and checks it by a table.
  ///
  /// - Parameter prepare: changes the content before it is checked.
  package init(
    _ text: String, path: String, table: ConfigurationTable, prepare: (SourceNode) -> SourceNode = { $0 }
  ) {
    paths = [path]
    let nothing = SourceNode(mark: SourceMark(line: 1, column: 1), value: .map([]))
    do throws(SourceSyntaxError) {
      root = try YAMLSource.parse(text)
      (checked, problems) = root.map { table.check(prepare($0), origin: path) } ?? (nothing, [])
    } catch {
      root = nil
      checked = nothing
      problems = [.notYAML(error, origin: path)]
    }
  }

  /// Returns the document with the keys of a checked section overriding the keys of `checked`.
  package func overlaid(by section: SourceNode) -> ConfigurationDocument {
    var result = self
    result.checked = checked.overlaid(by: section)
    return result
  }

  /// Returns the document with the keys of another file overriding its own.
  package func overlaid(by file: ConfigurationDocument) -> ConfigurationDocument {
    var result = overlaid(by: file.checked.inFile(paths.count))
    if let upper = file.root?.inFile(paths.count), !upper.isNull { result.root = root?.overlaid(by: upper) ?? upper }
    result.problems += file.problems
    result.paths += file.paths
    return result
  }

  /// Returns the position of a value as `FILE:LINE`.
  package func place(_ node: SourceNode) -> String { "\(paths[node.mark.file]):\(node.mark.line)" }

  /// Resolves a path of the document, relative to the folder of the first file.
  ///
  /// - Parameter node: the value that contains the path. If the value is in a later file that is a symbolic link, the path is
  ///   relative to the folder of the link's target.
  package func resolved(_ name: String, in node: SourceNode? = nil) -> String {
    var file = path
    if let own = node?.mark.file, own > 0, let target = Self.linkTarget(of: paths[own]) { file = target }
    guard !name.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return name }
    return String(file[...slash]) + name
  }

  /// Returns the value of a checked node of a kind, with paths resolved; nil for sections, `ints`, `localized` and
  /// `words`.
  func value(of kind: ConfigurationKind, at node: SourceNode) -> ConfigurationValue? {
    switch (kind, kind.value(of: node)) {
    case (.path, .string(let text)): .string(resolvedValue(text, in: node))
    case (.paths, .strings(let texts)): .strings(texts.map { resolvedElement($0, in: node) })
    case (_, let value): value
    }
  }

  /// Resolves the value of a key of kind `path`. Addresses, `-` and credentials remain as written.
  private func resolvedValue(_ text: String, in node: SourceNode) -> String {
    text == "-" || text.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:/) != nil ? text : resolved(text, in: node)
  }

  /// Resolves an element of a key of kind `paths`; in `NAME=PATH`, only the path changes.
  package func resolvedElement(_ text: String, in node: SourceNode) -> String {
    guard let name = text.prefixMatch(of: /[^\/=]+=/) else { return resolvedValue(text, in: node) }
    return name.0 + resolvedValue(String(text[name.range.upperBound...]), in: node)
  }

  /// Returns the path to which a symbolic link points, not followed further; nil for other files.
  private static func linkTarget(of path: String) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &target, target.count)
    guard count > 0, count < target.count else { return nil }
    let name = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard !name.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return name }
    return path[...slash] + name
  }

  /// Returns a problem at a position in the document.
  package func problem(_ message: String, _ key: String?, _ node: SourceNode?, hint: String) -> ConfigurationProblem {
    ConfigurationProblem(
      origin: paths[node?.mark.file ?? 0], mark: node?.mark, key: key, message: message, hint: hint)
  }
}

// MARK: - Problems

/// A problem with a value of the configuration: its position, its description and the remedy.
package struct ConfigurationProblem: ExplainedError, CustomStringConvertible, Hashable, Sendable {
  /// The origin of the value: a file, `environment` or `flags`.
  package let origin: String
  /// The position in the file; nil for a value of another origin.
  package let mark: SourceMark?
  package let key: String?
  package let message: String
  package let hint: String

  /// The line in the file, from 1.
  package var line: Int? { mark?.line }

  /// The index of the file in its document; 0 for a value that is not from a file.
  fileprivate var file: Int { mark?.file ?? 0 }

  /// The column in the file, in characters from 1.
  package var column: Int? { mark?.column }

  package init(origin: String, mark: SourceMark? = nil, key: String? = nil, message: String, hint: String) {
    self.origin = origin
    self.mark = mark
    self.key = key
    self.message = message
    self.hint = hint
  }

  /// The problem of an empty list, which is refused because it could mean either "all" or "none".
  static func emptyList(_ key: String, origin: String, mark: SourceMark?, hint: String?) -> ConfigurationProblem {
    ConfigurationProblem(
      origin: origin, mark: mark, key: key, message: "the list is empty",
      hint: hint ?? "List what is allowed, or leave the key out for the default.")
  }

  /// The problem of a text that is not YAML.
  static func notYAML(_ error: SourceSyntaxError, origin: String) -> ConfigurationProblem {
    if error.code == "duplicateKey" {
      return ConfigurationProblem(
        origin: origin, mark: error.mark, key: error.problem, message: "it occurs twice", hint: "Keep one.")
    }
    return ConfigurationProblem(
      origin: origin, mark: error.mark, message: "it is not YAML: \(error.problem)",
      hint: "Correct the file; indent with spaces.")
  }

  /// The problem in the style of compilers: `waymark.yaml:7: camera.rotaton: …`.
  package var description: String {
    let place = line.map { "\(origin):\($0)" } ?? origin
    return key.map { "\(place): \($0): \(message)" } ?? "\(place): \(message)"
  }

  /// The problem and its hint, on one line.
  package var sentences: String { "\(description)\(description.hasSuffix(".") ? "" : ".") \(hint)" }
}

extension Sequence<ConfigurationProblem> {
  /// The problems in the order of their positions in the file.
  package var inOrder: [ConfigurationProblem] {
    sorted { ($0.file, $0.line ?? 0, $0.column ?? 0) < ($1.file, $1.line ?? 0, $1.column ?? 0) }
  }

  /// The message and the hint of one error for all problems, each on a line. The hint is the hint of the last problem; all other
  /// hints are in the message. Nil for an empty sequence.
  package var text: (message: String, hint: String)? {
    let problems = Array(self)
    guard let last = problems.last else { return nil }
    return (problems.dropLast().map { $0.sentences + "\n" }.joined() + last.description, last.hint)
  }
}

// MARK: - Check

/// Checks a document by a table of keys. Unknown keys, and values of the wrong kind or out of bounds, are reported with their
/// positions and removed, so that the readers of sections see only valid values.
struct ConfigurationCheck {
  private typealias Level = ConfigurationTable.Level

  private let table: ConfigurationTable
  private let origin: String
  private(set) var problems: [ConfigurationProblem] = []

  init(table: ConfigurationTable, origin: String) {
    self.table = table
    self.origin = origin
  }

  /// Returns the known and valid values of the document.
  mutating func document(_ root: SourceNode) -> SourceNode {
    let nothing = SourceNode(mark: root.mark, value: .map([]))
    return root.isNull ? nothing : section(root, table.root, "") ?? nothing
  }

  private mutating func add(_ message: String, _ key: String, _ mark: SourceMark, hint: String) {
    problems.append(
      ConfigurationProblem(
        origin: origin, mark: mark, key: key.isEmpty ? nil : key, message: message, hint: hint))
  }

  private mutating func section(_ node: SourceNode, _ level: Level, _ path: String) -> SourceNode? {
    guard case .map(let entries) = node.value else {
      add(
        "a section with keys is expected", path, node.mark,
        hint: path.isEmpty ? "Write key: value." : "Write key: value under \(path):.")
      return nil
    }
    var found: [SourceNode.Entry] = []
    var seen: Set<String> = []
    for entry in entries {
      let full = path.isEmpty ? entry.key : "\(path).\(entry.key)"
      guard seen.insert(entry.key).inserted else {
        add("it occurs twice", full, entry.mark, hint: "Keep one.")
        continue
      }
      guard let child = level.child(entry.key), !entry.key.isEmpty else {
        if let fixed = table.fixed(full) {
          add(
            fixed.key?.change == .restart
              ? "it cannot change here, because it takes effect at the next start"
              : "it cannot change here: it holds for the whole device", full, entry.mark,
            hint: "Set \(fixed.path) at the top of the file.")
          continue
        }
        if path.isEmpty, let package = table.elsewhere[entry.key] {
          add(
            "it belongs to the package \(package)", full, entry.mark,
            hint: "Install \(package) in place of this one, or leave the section out.")
          continue
        }
        let meant = table.suggestion(for: entry.key, in: level, at: path)
        add(
          "there is no such key", full, entry.mark,
          hint: meant.map { "Did you mean \($0)?" } ?? "Keys are \(level.names.joined(separator: ", ")).")
        continue
      }
      if let value = value(entry.node, child, full) {
        found.append(SourceNode.Entry(key: entry.key, mark: entry.mark, node: value))
      }
    }
    return SourceNode(mark: node.mark, value: .map(found))
  }

  /// Returns the checked value of a key; `nil` if it is missing or invalid.
  private mutating func value(_ node: SourceNode, _ level: Level, _ path: String) -> SourceNode? {
    // A key without a value is treated as missing, except for a name of the user's choice.
    let isOpen = node.isNull && !level.isPlaceholder
    guard let key = level.key else { return isOpen ? nil : section(node, level, path) }
    if key.kind.isList, !key.mayBeEmpty, node.elements.isEmpty {
      problems.append(.emptyList(path, origin: origin, mark: node.mark, hint: key.remedy))
      return nil
    }
    if node.isNull { return isOpen ? nil : wrong(node, key, path) }
    switch key.kind {
    case .string, .path, .text, .choice, .int, .double, .bool, .flag: return scalar(node, key, path)
    case .strings, .paths: return list(node, key, path) { $0.string != nil }
    case .texts(let limit):
      guard case .list = node.value else { return wrong(node, key, path) }
      return list(node, key, path) { $0.string.map { ConfigurationKind.isText($0, limit) } ?? false }
    case .choices(let words): return choices(node, words, key, path)
    case .ints(let range):
      return (1...2).contains(node.elements.count) && node.elements.allSatisfy { $0.int.map(range.contains) ?? false }
        ? node : wrong(node, key, path)
    case .localized: return localized(node, path)
    case .section: return level.children.isEmpty ? node : section(node, level, path)
    case .named: return section(node, level, path)
    case .textOrSection: return node.string == nil ? section(node, level, path) : scalar(node, key, path)
    case .sections:
      guard case .list(let elements) = node.value else { return wrong(node, key, path) }
      let found = elements.enumerated().compactMap { section($0.element, level, "\(path).\($0.offset + 1)") }
      return SourceNode(mark: node.mark, value: .list(found))
    case .words: return list(node, key, path) { $0.string?.isEmpty == false }
    }
  }

  private mutating func wrong(_ node: SourceNode, _ key: ConfigurationKey, _ path: String) -> SourceNode? {
    let found =
      switch node.value {
      case .list: "a list"
      case .map: "a section"
      default: "\"\((node.written ?? "").prefix(200))\""
      }
    add("\(key.kind.description) is expected, not \(found)", path, node.mark, hint: key.remedy ?? key.kind.remedy)
    return nil
  }

  private mutating func scalar(_ node: SourceNode, _ key: ConfigurationKey, _ path: String) -> SourceNode? {
    guard let text = node.string else { return wrong(node, key, path) }
    let limit =
      switch key.kind {
      case .path: ConfigurationKind.pathLimit
      case .text(let limit), .textOrSection(let limit): limit
      default: 0
      }
    switch (key.kind, node.value) {
    // A number in quotes is a string.
    case (.int, .number), (.double, .number), (.bool, .bool), (.string, _), (.choice, _):
      return key.kind.value(of: text) == nil ? wrong(node, key, path) : node
    case (.flag, .bool): return node
    case (.flag, .text) where !node.isQuoted:
      guard let flag = Self.flags[text.lowercased()] else { return wrong(node, key, path) }
      return SourceNode(mark: node.mark, value: .bool(flag), written: text)
    case (.path, _), (.text, _), (.textOrSection, _):
      guard text.utf8.count <= limit else {
        add("it has more than \(limit) bytes", path, node.mark, hint: key.remedy ?? "Make it shorter.")
        return nil
      }
      return ConfigurationKind.isText(text, limit) ? node : wrong(node, key, path)
    default: return wrong(node, key, path)
    }
  }

  private static let flags = ["yes": true, "on": true, "no": false, "off": false]

  /// Returns the list of valid elements; a single value is treated as a list of one.
  private mutating func list(
    _ node: SourceNode, _ key: ConfigurationKey, _ path: String, _ isRight: (SourceNode) -> Bool
  ) -> SourceNode? {
    if case .map = node.value { return wrong(node, key, path) }
    for element in node.elements where !isRight(element) {
      add("\(key.kind.description) is expected", path, element.mark, hint: key.remedy ?? "Write [A, B].")
      return nil
    }
    return node
  }

  /// Returns the known words of a list.
  private mutating func choices(
    _ node: SourceNode, _ words: [String], _ key: ConfigurationKey, _ path: String
  ) -> SourceNode? {
    if case .map = node.value { return wrong(node, key, path) }
    let known = words.joined(separator: ", ")
    let found = node.elements.filter { element in
      if let word = element.string, words.contains(word) { return true }
      add(
        "\"\((element.written ?? "").prefix(200))\" is not one of \(known)", path, element.mark,
        hint: key.remedy ?? "Choose of \(known).")
      return false
    }
    return SourceNode(mark: node.mark, value: .list(found))
  }

  private mutating func localized(_ node: SourceNode, _ path: String) -> SourceNode? {
    guard case .map(let entries) = node.value else { return localizedText(node, path) }
    let found = entries.compactMap { entry -> SourceNode.Entry? in
      guard entry.key.wholeMatch(of: #/[a-z]{2,3}/#) != nil else {
        add(
          "\"\(entry.key.prefix(200))\" is not a language", path, entry.mark,
          hint: "Write two or three letters, such as en or de.")
        return nil
      }
      guard let text = localizedText(entry.node, "\(path).\(entry.key)") else { return nil }
      return SourceNode.Entry(key: entry.key, mark: entry.mark, node: text)
    }
    return found.isEmpty ? nil : SourceNode(mark: node.mark, value: .map(found))
  }

  private static let localizedLimit = 10_000

  private mutating func localizedText(_ node: SourceNode, _ path: String) -> SourceNode? {
    scalar(node, ConfigurationKey(path, .text(Self.localizedLimit), ""), path)
  }
}

extension ConfigurationTable {
  /// Checks a document; returns its known and valid part, and the problems of the rest.
  package func check(_ root: SourceNode, origin: String) -> (checked: SourceNode, problems: [ConfigurationProblem]) {
    var check = ConfigurationCheck(table: self, origin: origin)
    let checked = check.document(root)
    return (checked, check.problems.inOrder)
  }
}
