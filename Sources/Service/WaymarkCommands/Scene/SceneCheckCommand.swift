import ArgumentParser
import Foundation
import WaymarkScenes

/// `waymark scene check`: lists all problems of a scene.
struct SceneCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks a scene folder and names every problem with file, line and field.",
    discussion: """
      Ends with 0 when the scene can be used, 2 when it has errors, 65 when its file is not YAML or JSON, 66 when the \
      folder or its scene.yaml is missing.
      Example:
        waymark scene check Samples/scenes/pump-room
      """)

  @Argument(help: "The folder with the scene.yaml or scene.json.", completion: .directory)
  var folder: String

  @Flag(help: "Count warnings as errors.")
  var strict = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let report = SceneLoader.load(folder: folder)
    var status = ExitStatus(report.problems)
    if strict, status == .success, !report.problems.isEmpty { status = .invalid }
    if json {
      try writeJSON(report)
    } else {
      for problem in report.problems { Output.line("\(problem)") }
      if report.omitted > 0 { Output.line("… and \(report.omitted) more") }
      if let scene = report.scene {
        let width = scene.anchors.count { $0.physicalWidth == nil }
        Output.line(
          "\(scene.name): \(scene.anchors.count) anchors, \(scene.annotations.count) annotations"
            + (width > 0 ? ", \(width) anchors without a physical width" : ""))
      }
    }
    guard status == .success else { throw ExitCode(status.rawValue) }
  }

  /// A problem as the JSON output gives it.
  private struct ProblemRecord: Encodable {
    var severity: String
    var file: String
    var line: Int
    var column: Int
    var field: String
    var code: String
    var message: String
    var hint: String

    init(_ problem: SceneProblem) {
      severity = problem.severity.rawValue
      file = problem.file
      line = problem.line
      column = problem.column
      field = problem.field
      code = problem.code
      message = problem.message
      hint = problem.hint
    }
  }

  private struct Record: Encodable {
    var folder: String
    var usable: Bool
    var name: String?
    var anchors: Int?
    var annotations: Int?
    var problems: [ProblemRecord]
    var omitted: Int
  }

  private func writeJSON(_ report: SceneReport) throws {
    let record = Record(
      folder: folder, usable: report.scene != nil, name: report.scene?.name, anchors: report.scene?.anchors.count,
      annotations: report.scene?.annotations.count, problems: report.problems.map(ProblemRecord.init),
      omitted: report.omitted)
    try Output.record(record)
  }
}
