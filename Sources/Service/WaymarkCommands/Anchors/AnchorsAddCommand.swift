import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkSystem

/// `waymark anchors add`: puts more pictures into a library.
struct AnchorsAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Adds pictures to a library; the file is replaced as a whole.",
    discussion: """
      Example:
        waymark anchors add posters.wmlib new-poster.png --name poster-7
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Argument(help: "Folders, pictures or manifests.", completion: .file())
  var sources: [String]

  @Option(help: "The name of the anchor, when one picture is added.")
  var name: String?

  @OptionGroup var prints: PrintOptions

  @Flag(help: "Replace anchors of the same name.")
  var replace = false

  @Option(help: "The number of threads.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  func validate() throws {
    guard jobs > 0 else { throw ValidationError("--jobs takes a whole number of at least 1") }
  }

  func run() async throws {
    do {
      let old = try AnchorLibrary(path: library)
      var entries = try AnchorEntry.collect(sources, physicalWidth: prints.physicalWidth, radius: prints.radius)
      if let name {
        guard entries.count == 1 else { throw ValidationError("--name is for one picture, not \(entries.count)") }
        entries[0].name = name
      }
      let names = Set(entries.map(\.name))
      let kept = old.references.indices.filter { !replace || !names.contains(old.references[$0].name) }
      // Said before the work, not after it.
      if let twice = kept.map({ old.references[$0].name }).first(where: names.contains) {
        throw AnchorError(
          .duplicateName, "The library has an anchor named \"\(twice)\" already.", hint: "Use --name or --replace.")
      }
      let (anchors, _, status) = AnchorCompilation.run(entries, jobs: jobs, beside: kept.count)
      guard !anchors.isEmpty else { throw ExitCode(status.rawValue) }
      try LibraryWriter.write(
        LibraryWriter.bytesWithTwins(of: kept.map { try old.compiled($0) } + anchors), to: library)
      try LibraryReport.writeResult(library, of: anchors.map(\.name))
      guard status == .success else { throw ExitCode(status.rawValue) }
    } catch let error as AnchorError {
      try fail(error)
    }
  }
}
