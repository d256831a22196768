import ArgumentParser
import Foundation
import WaymarkImage
import WaymarkScenes
import WaymarkSystem

/// `waymark scene preview`: draws an anchor with its markers and cards, to check a scene without a camera.
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
      // A code is drawn as the square that it covers: positions count from its middle.
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
