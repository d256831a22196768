import WaymarkSystem
import Yams

/// A section of the configuration that holds lists and maps, which the configuration library cannot list: its values by name, and
/// what is wrong with them, with their lines.
struct SectionReader {
  private let origin: String
  private(set) var problems: [ConfigurationProblem] = []

  init(origin: String) { self.origin = origin }

  mutating func add(_ message: String, _ key: String, _ node: Node?, hint: String) {
    problems.append(
      ConfigurationProblem(origin: origin, line: node?.mark?.line, key: key, message: message, hint: hint))
  }

  /// The keys and values of a section, each key once and known.
  ///
  /// A key without a value is as good as left out, unless it is one of `lists`: an empty list could mean all or nothing.
  mutating func section(
    _ node: Node, _ key: String, known: [String]?, lists: Set<String> = []
  ) -> [(name: String, value: Node)] {
    guard case .mapping(let mapping) = node else {
      add("a section with keys is expected", key, node, hint: "Write key: value under \(key):.")
      return []
    }
    var found: [(name: String, value: Node)] = []
    for (keyNode, value) in mapping {
      let name = keyNode.scalar?.string ?? "?"
      if let known, !known.contains(name) {
        add("there is no such key", "\(key).\(name)", keyNode, hint: "Keys are \(known.joined(separator: ", ")).")
      } else if found.contains(where: { $0.name == name }) {
        add("it occurs twice", "\(key).\(name)", keyNode, hint: "Keep one.")
      } else if value.null == nil || value.scalar?.style != .plain {
        found.append((name, value))
      } else if lists.contains(name) {
        problems.append(.emptyList("\(key).\(name)", origin: origin, line: keyNode.mark?.line))
      }
    }
    return found
  }

  mutating func list(_ node: Node, _ key: String) -> [Node] {
    if case .sequence(let sequence) = node { return Array(sequence) }
    add("a list is expected", key, node, hint: "Write - for each element.")
    return []
  }

  mutating func text(_ node: Node, _ key: String, limit: Int = 10_000) -> String? {
    guard let text = node.scalar?.string, !text.isEmpty else {
      add("a string is expected", key, node, hint: "Write \(key): text.")
      return nil
    }
    guard text.utf8.count <= limit else {
      add("it has more than \(limit) bytes", key, node, hint: "Make it shorter.")
      return nil
    }
    return text
  }

  mutating func flag(_ node: Node, _ key: String) -> Bool? {
    if node.scalar?.style == .plain, let flag = ["true": true, "false": false][node.scalar?.string.lowercased() ?? ""] {
      return flag
    }
    add("true or false is expected", key, node, hint: "Correct the value.")
    return nil
  }

  mutating func number(_ node: Node, _ key: String, _ range: ClosedRange<Double>, whole: Bool = false) -> Double? {
    if node.scalar?.style == .plain, let number = node.scalar.flatMap({ Double($0.string) }), range.contains(number),
      !whole || number == number.rounded()
    {
      return number
    }
    let bounds =
      whole ? "\(Int(range.lowerBound)) to \(Int(range.upperBound))" : "\(range.lowerBound) to \(range.upperBound)"
    add("a \(whole ? "whole " : "")number from \(bounds) is expected", key, node, hint: "Correct the value.")
    return nil
  }

  /// Some of the words of an enumeration, in the order written.
  mutating func words<Word: RawRepresentable & CaseIterable>(
    _ node: Node, _ key: String, _ type: Word.Type
  ) -> [Word] where Word.RawValue == String {
    let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
    if node.sequence?.isEmpty == true { problems.append(.emptyList(key, origin: origin, line: node.mark?.line)) }
    var found: [Word] = []
    for element in node.scalar == nil ? list(node, key) : [node] {
      guard let word = element.scalar.flatMap({ Word(rawValue: $0.string) }) else {
        add(
          "\"\(element.scalar?.string ?? "")\" is not one of the allowed values", key, element,
          hint: "Write one of \(known).")
        continue
      }
      if found.contains(where: { $0.rawValue == word.rawValue }) {
        add("\(word.rawValue) occurs twice", key, element, hint: "Keep one.")
      } else {
        found.append(word)
      }
    }
    return found
  }
}
