import Foundation
import WaymarkConfiguration

/// Looks at the ways on which results leave by a program, once the table of keys has found their kinds right.
struct HandoverReview {
  private let document: ConfigurationDocument
  private(set) var problems: [ConfigurationProblem] = []
  /// The ways in which nothing is wrong.
  private(set) var ways: [HandoverWay] = []

  init(document: ConfigurationDocument) { self.document = document }

  mutating func run() {
    let nodes = document.checked["handover"]?.elements ?? []
    if nodes.count > HandoverWay.limit {
      add(
        "it has \(nodes.count) entries, and may have \(HandoverWay.limit)", "handover", nodes[HandoverWay.limit],
        "Leave some out.")
    }
    for (index, node) in nodes.prefix(HandoverWay.limit).enumerated() { look(at: node, "handover.\(index + 1)") }
  }

  private mutating func add(_ message: String, _ key: String, _ node: SourceNode?, _ hint: String) {
    problems.append(document.problem(message, key, node, hint: hint))
  }

  private mutating func look(at node: SourceNode, _ path: String) {
    for key in ["name", "label", "program"] where node[key] == nil {
      add("\(key) is missing", path, node, "Add \(key).")
    }
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
    if let problem = document.patternProblem("\(path).pattern", node["pattern"]) { problems.append(problem) }
    guard let way = HandoverWay(node, in: document) else { return }
    if ways.contains(where: { $0.name == way.name }) {
      add("another one is called \(way.name), too", "\(path).name", node["name"], "Use distinct names.")
    }
    ways.append(way)
  }
}
