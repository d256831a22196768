import ArgumentParser
import Foundation
import WaymarkAnchors
import WaymarkSystem

/// `waymark anchors build`: makes a library of pictures.
struct AnchorsBuildCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build",
    abstract: "Compiles pictures into a library of anchors to find in frames.",
    discussion: """
      Takes folders, pictures and manifests. A manifest is a YAML or JSON list of entries with image, and optionally name, \
      physicalWidth and, for prints wrapped round a can, a bottle or a column, radius (metres). Without a name an anchor is called like its file. The same pictures give the same bytes.

      Where the library is there already, anchors whose picture has not changed are taken from it; and a build that was ended is \
      taken up where it was, from OUTPUT.parts. --fresh compiles everything again.
      Example:
        waymark anchors build posters/ -o posters.wmlib --physical-width 0.42
      """)

  @Argument(help: "Folders, pictures or manifests.", completion: .file())
  var sources: [String]

  @Option(name: .letter(.output), help: "The library to write.", completion: .file())
  var output: String

  @OptionGroup var prints: PrintOptions

  @Option(
    help: ArgumentHelp(
      "The most features an anchor keeps, 44 bytes each: 700, down to 600 in libraries of more than 800 anchors, and fewer beyond 9,000. In libraries of up to 66 anchors up to 700 more are kept of how it looks from near and from far aside.",
      valueName: "n"))
  var features: Int?

  @Flag(help: "Compile every picture again.")
  var fresh = false

  @Option(help: "The number of threads.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  func validate() throws {
    guard (50...5000).contains(features ?? 700) else { throw ValidationError("--features takes 50 to 5000") }
    guard jobs > 0 else { throw ValidationError("--jobs takes a whole number of at least 1") }
  }

  func run() async throws {
    do {
      let entries = try AnchorEntry.collect(sources, physicalWidth: prints.physicalWidth, radius: prints.radius)
      guard !entries.isEmpty else {
        throw AnchorError(
          .cannotOpen, "There are no pictures in \(sources.joined(separator: ", ")).",
          hint: "Name a folder with pictures.")
      }
      // Said before the work, not after it.
      var names = Set<String>()
      if let twice = entries.map(\.name).first(where: { !names.insert($0).inserted }) {
        throw AnchorError(
          .duplicateName, "Two anchors are named \"\(twice)\".", hint: "Rename one of the pictures or its entry.")
      }
      // A pipe or a device holds nothing to go on from.
      let parts = fresh || (FileKind(output) ?? .regular) != .regular ? nil : PartialBuild(beside: output)
      let (anchors, reused, status) = AnchorCompilation.run(entries, jobs: jobs, features: features, parts: parts)
      guard !anchors.isEmpty else { throw ExitCode(status.rawValue) }
      try LibraryWriter.write(LibraryWriter.bytesWithTwins(of: anchors), to: output)
      parts?.finish()
      if !reused.isEmpty {
        Output.diagnostic(
          "\(output): \(reused.count) anchors were taken over, \(anchors.count - reused.count) compiled")
      }
      // Of the others it was told when they were new.
      try LibraryReport.writeResult(output, of: anchors.map(\.name).filter { !reused.contains($0) })
      guard status == .success else { throw ExitCode(status.rawValue) }
    } catch let error as AnchorError {
      try fail(error)
    }
  }
}

/// The report about a library that was just written.
enum LibraryReport {
  /// Opens it again, names near-duplicates among the new anchors and says what it holds.
  static func writeResult(_ path: String, of new: [String]) throws {
    // A library that went into a pipe or a device cannot be read again.
    guard FileKind(path) == .regular else {
      Output.diagnostic("\(path): \(new.count) anchors")
      return
    }
    let library = try AnchorLibrary(path: path)
    let names = Set(new)
    for pair in library.lookalikes where names.contains(pair.first) || names.contains(pair.second) {
      Output.diagnostic(
        "waymark: \"\(pair.first)\" looks like \"\(pair.second)\": \(pair.difference.text)")
    }
    Output.line(
      "\(path): \(library.references.count) anchors, \(library.featureCount) features")
  }
}
