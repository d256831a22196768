import ArgumentParser
import WaymarkCommands
import WaymarkDocuments
import WaymarkImage
import WaymarkSystem

/// `waymark documents`: pages in pictures, and clean files of them.
struct DocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Finds the page in a picture, and makes a clean PDF or picture of it.",
    subcommands: [DocumentsFindCommand.self, DocumentsScanCommand.self])
}

/// The models by which pages are found; ends the command where they cannot be used.
func pageModels() throws -> PageModels {
  do {
    return try PageModels.load()
  } catch {
    try fail(error)
  }
}
