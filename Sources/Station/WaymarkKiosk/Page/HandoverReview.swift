import Foundation
import WaymarkConfiguration

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
