import ArgumentParser
import WaymarkAnchors
import WaymarkSystem

/// `waymark anchors remove`: takes anchors out of a library.
struct AnchorsRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Takes anchors out of a library; the file is replaced as a whole.",
    discussion: """
      Example:
        waymark anchors remove posters.wmlib poster-7
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Argument(help: "Names of anchors.")
  var names: [String]

  func run() async throws {
    do {
      let old = try AnchorLibrary(path: library)
      for name in names where old.index(of: name) == nil {
        throw AnchorError(
          .unknownName, "The library has no anchor named \"\(name)\".",
          hint: "`waymark anchors list \(library)` shows the names.")
      }
      let gone = Set(names)
      let kept = old.references.indices.filter { !gone.contains(old.references[$0].name) }
      try LibraryWriter.write(LibraryWriter.bytesWithTwins(of: kept.map { try old.compiled($0) }), to: library)
      Output.line("\(library): \(kept.count) anchors")
    } catch let error as AnchorError {
      try fail(error)
    }
  }
}
