import Foundation
import WaymarkConfiguration
import WaymarkSystem

/// Checks parts of the page's file that depend on each other, which a table of keys cannot check.
protocol SettingsReview {
  var document: ConfigurationDocument { get }
  var problems: [ConfigurationProblem] { get set }
}

extension SettingsReview {
  mutating func add(_ message: String, _ key: String, _ node: SourceNode?, _ hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  /// Reports a list with too many elements.
  mutating func bound(_ nodes: [SourceNode], _ limit: Int, _ path: String) {
    guard nodes.count > limit else { return }
    add("it has \(nodes.count) entries, and may have \(limit)", path, nodes[limit], "Leave some out.")
  }

  /// Reports keys that a section lacks.
  mutating func require(_ node: SourceNode, _ keys: [String], _ path: String) {
    for key in keys where node[key] == nil { add("\(key) is missing", path, node, "Add \(key).") }
  }

  /// Reports elements with the name of an earlier one.
  mutating func distinct(_ nodes: [SourceNode], _ key: String, _ path: String) {
    var seen: Set<String> = []
    for (index, node) in nodes.enumerated() {
      guard let name = node[key]?.string, !seen.insert(name).inserted else { continue }
      add("another one is called \(name), too", "\(path).\(index + 1).\(key)", node[key], "Use distinct names.")
    }
  }

  /// Reports a text that is not a regular expression.
  mutating func checkPattern(_ key: String, _ node: SourceNode?) {
    guard let node, let pattern = node.string else { return }
    do throws(RegularExpressionFlaw) {
      _ = try RegularExpression(pattern)
    } catch {
      add(
        "it is not a regular expression: \(error.message)", key, node, "Correct it; backslashes need single quotes.")
    }
  }
}

/// Checks the section `handover` of the page's file: the programs to which results are handed over.
struct HandoverReview: SettingsReview {
  let document: ConfigurationDocument
  var problems: [ConfigurationProblem] = []
  /// The ways that have a name and a program, including those with other problems.
  private(set) var ways: [HandoverWay] = []

  init(document: ConfigurationDocument) { self.document = document }

  mutating func run() {
    let nodes = document.checked["handover"]?.elements ?? []
    bound(nodes, HandoverWay.limit, "handover")
    for (index, node) in nodes.prefix(HandoverWay.limit).enumerated() { look(at: node, "handover.\(index + 1)") }
  }

  private mutating func look(at node: SourceNode, _ path: String) {
    require(node, ["name", "label", "program"], path)
    if let program = node["program"]?.string {
      let file = document.resolved(program)
      if !FileManager.default.isExecutableFile(atPath: file) {
        add(
          "\(file) cannot be run", "\(path).program", node["program"],
          "Name a program's file; its arguments stand in arguments.")
      }
    }
    for argument in node["arguments"]?.elements ?? [] {
      for place in PageWords.places(argument.string ?? "").subtracting(["file", "number"]).sorted() {
        add(
          "there is no {\(place)}", "\(path).arguments", argument,
          "{file} and {number} stand for those of a result; the rest comes on standard input.")
      }
    }
    for key in ["pattern", "wrong"] where node["ask"] == nil && node[key] != nil {
      add("nothing is asked", "\(path).\(key)", node[key], "Add ask, or leave it out.")
    }
    checkPattern("\(path).pattern", node["pattern"])
    guard let way = HandoverWay(node, in: document) else { return }
    if ways.contains(where: { $0.name == way.name }) {
      add("another one is called \(way.name), too", "\(path).name", node["name"], "Use distinct names.")
    }
    ways.append(way)
  }
}
