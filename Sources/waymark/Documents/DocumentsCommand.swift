import ArgumentParser

/// `waymark documents`: pages in pictures, and clean files of them.
struct DocumentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "documents",
    abstract: "Finds the page in a picture, and makes a clean PDF or picture of it.",
    subcommands: [DocumentsFindCommand.self, DocumentsScanCommand.self])
}
