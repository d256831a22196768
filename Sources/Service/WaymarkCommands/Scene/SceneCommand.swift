import ArgumentParser
import WaymarkScenes

/// `waymark scene`: everything about scene folders.
struct SceneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Checks, imports and previews scenes: pictures and codes to look for, with markers and cards.",
    usage: "waymark scene check|import|preview …",
    subcommands: [SceneCheckCommand.self, SceneImportCommand.self, ScenePreviewCommand.self])
}

extension ExitStatus {
  /// How a command ends that found these problems.
  init(_ problems: [SceneProblem]) {
    let errors = problems.filter { $0.severity == .error }
    let statuses = errors.map { problem -> ExitStatus in
      switch problem.code {
      case "noFolder", "noScene", "cannotOpen", "unreadable": .cannotOpen
      case "badYAML", "badJSON", "notUTF8", "emptyFile", "notASceneFile", "tooLarge", "tooDeep": .badData
      default: .invalid
      }
    }
    self = statuses.max() ?? .success
  }
}
