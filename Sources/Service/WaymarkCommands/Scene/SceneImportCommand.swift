import ArgumentParser
import Foundation
import WaymarkScenes
import WaymarkSystem

/// `waymark scene import`: makes a scene folder of a card file of SAP's AR annotations.
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
      // Last, so that whoever watches the folder finds a whole scene.
      try DurableFile.write(Array(SceneWriter.yaml(scene).utf8), to: "\(output)/scene.yaml")
    } catch {
      Output.diagnostic("\(output): cannot be written: \(error.cause ?? error.message)")
      throw ExitCode(ExitStatus.cannotOpen.rawValue)
    }
    Output.line(
      "\(output)/scene.yaml: \(scene.annotations.count) annotations, \(result.pictures.count) pictures unpacked")
  }
}
