import ArgumentParser
import FoundationEssentials
import WaymarkAnchors
import WaymarkSystem

/// `waymark anchors`: makes and changes libraries of anchors. `build`, `add`, `remove` and `list` are in this file,
/// with the report about a written library (`LibraryReport`) and the options for the size of prints (`PrintOptions`).
struct AnchorsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "anchors",
    abstract: "Builds libraries of preset pictures, judges them and finds them in frames.",
    usage: "waymark anchors build|add|remove|compare|list|quality|match|track …",
    subcommands: [
      AnchorsBuildCommand.self,
      AnchorsAddCommand.self,
      AnchorsRemoveCommand.self,
      AnchorsCompareCommand.self,
      AnchorsListCommand.self,
      AnchorsQualityCommand.self,
      AnchorsMatchCommand.self,
      AnchorsTrackCommand.self,
    ])
}

extension AnchorErrorCode: CommandErrorCode {
  package var exitStatus: ExitStatus {
    switch self {
    case .cannotOpen: .cannotOpen
    case .cannotWrite: .cannotWrite
    case .unknownName, .duplicateName: .invalid
    default: .badData
    }
  }
}

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
    let entries = try AnchorEntry.collect(sources, physicalWidth: prints.physicalWidth, radius: prints.radius)
    guard !entries.isEmpty else {
      throw AnchorError(
        .cannotOpen, "There are no pictures in \(sources.joined(separator: ", ")).",
        hint: "Name a folder with pictures.")
    }
    // Checked before compiling the pictures, which takes long.
    var names = Set<String>()
    if let twice = entries.map(\.name).first(where: { !names.insert($0).inserted }) {
      throw AnchorError(
        .duplicateName, "Two anchors are named \"\(twice)\".", hint: "Rename one of the pictures or its entry.")
    }
    // A build whose output is a pipe or a device cannot be resumed.
    let parts = fresh || (FileKind(output) ?? .regular) != .regular ? nil : PartialBuild(beside: output)
    let (anchors, reused, status) = AnchorCompilation.run(entries, jobs: jobs, features: features, parts: parts)
    guard !anchors.isEmpty else { throw ExitCode(status.rawValue) }
    try LibraryWriter.write(LibraryWriter.bytesWithTwins(of: anchors), to: output)
    parts?.finish()
    if !reused.isEmpty {
      Output.diagnostic(
        "\(output): of \(Output.count(anchors.count, "anchor")) \(reused.count) taken over, \(anchors.count - reused.count) compiled"
      )
    }
    // Near-duplicates among the remaining anchors were reported when these were compiled.
    try LibraryReport.writeResult(output, of: anchors.map(\.name).filter { !reused.contains($0) })
    guard status == .success else { throw ExitCode(status.rawValue) }
  }
}

/// The report about a library that was just written.
enum LibraryReport {
  /// Opens a library again, and prints near-duplicates among the new anchors and a summary of its contents.
  ///
  /// - Throws: the error of opening the library.
  static func writeResult(_ path: String, of new: [String]) throws {
    // A library written to a pipe or a device cannot be read again.
    guard FileKind(path) == .regular else {
      Output.diagnostic("\(path): \(Output.count(new.count, "anchor"))")
      return
    }
    let library = try AnchorLibrary(path: path)
    let names = Set(new)
    for pair in library.lookalikes where names.contains(pair.first) || names.contains(pair.second) {
      Output.diagnostic(
        "waymark: \"\(pair.first)\" looks like \"\(pair.second)\": \(pair.difference.text)")
    }
    Output.line(
      "\(path): \(Output.count(library.references.count, "anchor")), \(Output.count(library.featureCount, "feature"))")
  }
}

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
    let old = try AnchorLibrary(path: library)
    var entries = try AnchorEntry.collect(sources, physicalWidth: prints.physicalWidth, radius: prints.radius)
    if let name {
      guard entries.count == 1 else { throw ValidationError("--name is for one picture, not \(entries.count)") }
      entries[0].name = name
    }
    let names = Set(entries.map(\.name))
    let kept = old.references.indices.filter { !replace || !names.contains(old.references[$0].name) }
    // Checked before compiling the pictures, which takes long.
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
  }
}

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
    let old = try AnchorLibrary(path: library)
    for name in names where old.index(of: name) == nil {
      throw AnchorError(
        .unknownName, "The library has no anchor named \"\(name)\".",
        hint: "`waymark anchors list \(library)` shows the names.")
    }
    let gone = Set(names)
    let kept = old.references.indices.filter { !gone.contains(old.references[$0].name) }
    try LibraryWriter.write(LibraryWriter.bytesWithTwins(of: kept.map { try old.compiled($0) }), to: library)
    Output.line("\(library): \(Output.count(kept.count, "anchor"))")
  }
}

struct AnchorsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the anchors of a library: name, size, width, features, quality.",
    discussion: """
      Example:
        waymark anchors list posters.wmlib
      """)

  @Argument(help: "The library.", completion: .file())
  var library: String

  @Flag(help: "One JSON object an anchor.")
  var json = false

  private struct Row: Encodable {
    var name: String
    var width: Int
    var height: Int
    @NullEncoded var physicalWidth: Double?
    var radius: Double?
    var features: Int
    var quality: Int
  }

  func run() async throws {
    let library = try AnchorLibrary(path: library)
    for (i, r) in library.references.enumerated() {
      let row = Row(
        name: r.name, width: r.width, height: r.height, physicalWidth: r.physicalWidth, radius: r.radius,
        features: library.featureCount(of: i), quality: library.quality(of: i))
      if json {
        try Output.record(row)
      } else {
        let width = (r.physicalWidth.map { "\($0) m" } ?? "-") + (r.radius.map { " round \($0) m" } ?? "")
        Output.line("\(r.name)\t\(r.width)×\(r.height)\t\(width)\t\(row.features) features\tquality \(row.quality)")
      }
    }
  }
}

/// The size and shape of prints, unless a manifest has them.
struct PrintOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The width of the printed pictures, where the manifest names none.", valueName: "metres"))
  var physicalWidth: Double?

  @Option(
    help: ArgumentHelp(
      """
      The pictures are wrapped round upright cylinders of this radius (cans, bottles, columns), where the manifest names none; \
      with a width, which then runs round the cylinder.
      """, valueName: "metres"))
  var radius: Double?

  func validate() throws {
    if let physicalWidth, !(physicalWidth > 0 && physicalWidth <= 100) {
      throw ValidationError("--physical-width is a width in metres, above 0 and at most 100")
    }
    if let radius, !(radius > 0 && radius <= 100) {
      throw ValidationError("--radius is in metres, above 0 and at most 100")
    }
  }
}
