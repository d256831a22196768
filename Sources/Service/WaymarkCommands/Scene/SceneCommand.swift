import ArgumentParser
import FoundationEssentials
import WaymarkAnchors
import WaymarkImage
import WaymarkScenes
import WaymarkSystem

/// `waymark scene`: checks, imports and draws scenes. Its subcommands `check`, `import` and `preview` are in this file.
struct SceneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scene",
    abstract: "Checks, imports and previews scenes: pictures and codes to look for, with markers and cards.",
    usage: "waymark scene check|import|preview …",
    subcommands: [SceneCheckCommand.self, SceneImportCommand.self, ScenePreviewCommand.self])
}

extension ExitStatus {
  /// Creates the exit status of a command that found these problems.
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
    var report = SceneLoader.load(folder: folder)
    if let scene = report.scene {
      report.problems += scene.pictures.compactMap(problem)
      if report.problems.contains(where: { $0.severity == .error }) { report.scene = nil }
    }
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
          "\(scene.name): \(Output.count(scene.anchors.count, "anchor")), \(Output.count(scene.annotations.count, "annotation"))"
            + (width > 0 ? ", \(Output.count(width, "anchor")) without a physical width" : ""))
      }
    }
    guard status == .success else { throw ExitCode(status.rawValue) }
  }

  /// Returns the problem of an anchor whose picture cannot be found in a frame; nil if it can.
  private func problem(of anchor: SceneAnchor) -> SceneProblem? {
    let image = anchor.image ?? ""
    func problem(_ code: String, _ message: String, _ hint: String) -> SceneProblem {
      SceneProblem(
        file: "\(folder)/\(image)", field: "image of \(anchor.name)", code: code, message: message, hint: hint)
    }
    do {
      let picture = try PictureDecoder().gray(PictureFile.read("\(folder)/\(image)")).image
      if let found = SceneLimits.problem(width: picture.width, height: picture.height) {
        return problem("unusablePicture", found.message, found.hint)
      }
      try AnchorCompiler.check(
        AnchorCompiler().compile(name: anchor.name, physicalWidth: anchor.physicalWidth, picture: picture))
      return nil
    } catch let error as any CommandError {
      return problem("unusablePicture", error.message, error.hint)
    } catch {
      return problem("unusablePicture", "\(error)", "Choose another picture.")
    }
  }

  private struct Record: Encodable {
    var folder: String
    var usable: Bool
    var name: String?
    var anchors: Int?
    var annotations: Int?
    var problems: [SceneProblem]
    var omitted: Int
  }

  private func writeJSON(_ report: SceneReport) throws {
    let record = Record(
      folder: folder, usable: report.scene != nil, name: report.scene?.name, anchors: report.scene?.anchors.count,
      annotations: report.scene?.annotations.count, problems: report.problems,
      omitted: report.omitted)
    try Output.record(record)
  }
}

struct SceneImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a scene folder from an SAP AR card file: a flat list of cards or the service's scene.",
    discussion: """
      Pictures inside the file are unpacked. The anchor's picture is not part of either format: name it with \
      --anchor-image, or put it beside the file under the name or id that the scene gives.
      Example:
        waymark scene import cards.json -o pump-room --anchor-image poster.png --physical-width 0.42
      """)

  @Argument(help: "The JSON file.", completion: .file(extensions: ["json"]))
  var file: String

  @Option(name: .letter(.output), help: "The folder to make.", completion: .directory)
  var output: String

  @Option(help: "The picture to look for.", completion: .file())
  var anchorImage: String?

  @Option(help: "The width of the printed picture in metres.")
  var physicalWidth: Double?

  @Option(help: "The scene's name; the file's alias or name by default.")
  var name: String?

  @Flag(help: "Write into a folder that exists already; files of the same names are replaced.")
  var force = false

  func validate() throws {
    if let physicalWidth, !(physicalWidth > 0 && physicalWidth <= 100) {
      throw ValidationError("--physical-width is a width in metres, above 0 and at most 100")
    }
  }

  func run() async throws {
    let result = SceneImporter.read(
      file: file, options: .init(anchorImage: anchorImage, physicalWidth: physicalWidth, name: name))
    for problem in result.problems { Output.diagnostic("\(problem)") }
    guard let scene = result.scene else { throw ExitCode(ExitStatus(result.problems).rawValue) }
    if !force, let entries = try? Folder.names(output), !entries.isEmpty {
      Output.diagnostic("\(output): the folder is not empty (name a new one, or add --force)")
      throw ExitCode(ExitStatus.usage.rawValue)
    }
    do throws(FileError) {
      try Folder.make(output, mode: 0o777)
      for picture in result.pictures {
        try DurableFile.write(picture.bytes, to: "\(output)/\(picture.path)")
      }
      // Written last, so that a program that watches the folder finds a complete scene.
      try DurableFile.write(Array(SceneWriter.yaml(scene).utf8), to: "\(output)/scene.yaml")
    } catch {
      Output.diagnostic("\(output): cannot be written: \(error.cause ?? error.message)")
      throw ExitCode(ExitStatus.cannotOpen.rawValue)
    }
    Output.line(
      "\(output)/scene.yaml: \(scene.annotations.count) annotations, \(result.pictures.count) pictures unpacked")
  }
}

struct ScenePreviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Draws the markers of a scene on the picture of an anchor, or on the square of a code, with their cards.",
    discussion: """
      Example:
        waymark scene preview Samples/scenes/pump-room -o preview.png
      """)

  @Argument(help: "The folder with the scene.", completion: .directory)
  var folder: String

  @Option(help: "Which anchor: its number in the scene, from 1, or its name.")
  var anchor = "1"

  @Option(name: .letter(.output), help: "The PNG file to write.", completion: .file(extensions: ["png"]))
  var output: String

  func run() async throws {
    guard output.lowercased().hasSuffix(".png") else {
      throw ValidationError("-o names a PNG file, such as preview.png")
    }
    let report = SceneLoader.load(folder: folder)
    for problem in report.problems { Output.diagnostic("\(problem)") }
    guard let scene = report.scene, let place = SceneFolder(folder) else {
      throw ExitCode(ExitStatus(report.problems).rawValue)
    }
    let number = Int(anchor).flatMap { scene.anchors.indices.contains($0 - 1) ? $0 - 1 : nil }
    guard let index = scene.anchors.firstIndex(where: { $0.name == anchor }) ?? number else {
      Output.diagnostic(
        "\(folder): there is no anchor '\(anchor)' (it has \(scene.anchors.map(\.name).joined(separator: ", ")))")
      throw ExitCode(ExitStatus.usage.rawValue)
    }
    let subject = scene.anchors[index]
    do throws(ImageError) {
      // A code is drawn as the square that it covers, because positions are relative to the middle of the code.
      let picture = try subject.code == nil ? read(subject.image ?? "", place) : CodeSketch.draw()
      var cards: [String: RGBImage] = [:]
      for annotation in subject.annotations {
        if let image = annotation.card?.image { cards[annotation.id] = try read(image, place) }
      }
      let drawing = ScenePreview(anchor: subject, picture: picture, cardPictures: cards).draw()
      Output.file(output, try PNGEncoder.encode(drawing))
    } catch {
      Output.diagnostic("\(folder): \(error.message) (\(error.hint))")
      throw ExitCode((error.code == .cannotOpen ? ExitStatus.cannotOpen : .badData).rawValue)
    }
    Output.line("\(output): \(subject.name), \(subject.annotations.count) annotations")
  }

  private func read(_ path: String, _ folder: SceneFolder) throws(ImageError) -> RGBImage {
    guard let file = folder.resolved(path), let bytes = try? WholeFile.read(file, limit: SceneLimits.pictureBytes)
    else {
      throw ImageError(.cannotOpen, "\(path) cannot be read.", hint: "Check that it is there and who may read it.")
    }
    do throws(ImageError) {
      return try PictureDecoder().rgb(bytes).image
    } catch {
      throw ImageError(error.code, "\(path): \(error.message)", hint: error.hint)
    }
  }
}
