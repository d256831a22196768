import ArgumentParser

/// `waymark scene`: everything about scene folders.
struct SceneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Checks, imports and previews scenes: pictures and codes to look for, with markers and cards.",
    usage: "waymark scene check|import|preview …",
    subcommands: [SceneCheckCommand.self, SceneImportCommand.self, ScenePreviewCommand.self])
}
