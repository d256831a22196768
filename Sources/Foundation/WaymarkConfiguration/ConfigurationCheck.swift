/// Holds a document to a table of keys: what is unknown, of another kind or out of bounds is named, with its place, and left out of what
/// goes on to the readers of sections, which then look only at what the values say.
struct ConfigurationCheck {
  private typealias Level = ConfigurationTable.Level

  private let table: ConfigurationTable
  private let origin: String
  private(set) var problems: [ConfigurationProblem] = []

  init(table: ConfigurationTable, origin: String) {
    self.table = table
    self.origin = origin
  }

  /// The document's known and right values.
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

  /// The checked value of a key; nil where it is left open or wrong.
  private mutating func value(_ node: SourceNode, _ level: Level, _ path: String) -> SourceNode? {
    // A name of the user's choice stands for something; any other key without a value is as good as left out.
    let isOpen = node.isNull && !level.isPlaceholder
    guard let key = level.key else { return isOpen ? nil : section(node, level, path) }
    if key.kind.isList, !key.mayBeEmpty, node.elements.isEmpty {
      problems.append(.emptyList(path, origin: origin, mark: node.mark, hint: key.remedy))
      return nil
    }
    if node.isNull { return isOpen ? nil : wrong(node, key, path) }
    switch key.kind {
    case .string, .text, .choice, .int, .double, .bool, .flag: return scalar(node, key, path)
    case .strings: return list(node, key, path) { $0.string != nil }
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
    switch (key.kind, node.value) {
    // A number in quotes is a text.
    case (.int, .number), (.double, .number), (.bool, .bool), (.string, _), (.choice, _):
      return key.kind.value(of: text) == nil ? wrong(node, key, path) : node
    case (.flag, .bool): return node
    case (.flag, .text) where !node.isQuoted:
      guard let flag = Self.flags[text.lowercased()] else { return wrong(node, key, path) }
      return SourceNode(mark: node.mark, value: .bool(flag), written: text)
    case (.text(let limit), _), (.textOrSection(let limit), _):
      guard text.utf8.count <= limit else {
        add("it has more than \(limit) bytes", path, node.mark, hint: key.remedy ?? "Make it shorter.")
        return nil
      }
      return ConfigurationKind.isText(text, limit) ? node : wrong(node, key, path)
    default: return wrong(node, key, path)
    }
  }

  private static let flags = ["yes": true, "on": true, "no": false, "off": false]

  /// A list, or one element of it, in which every one is right.
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

  /// The words of a list that are known.
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
  /// Checks a document.
  package func check(_ root: SourceNode, origin: String) -> (checked: SourceNode, problems: [ConfigurationProblem]) {
    var check = ConfigurationCheck(table: self, origin: origin)
    let checked = check.document(root)
    return (checked, check.problems.inOrder)
  }
}
