import Foundation
import WaymarkConfiguration
import WaymarkSystem

/// The sources and result of an import.
package struct SceneImport: Sendable {
  /// The scene, when nothing but warnings was found.
  package var scene: Scene?
  /// Pictures to write beside the scene: path in the folder and bytes.
  package var pictures: [(path: String, bytes: [UInt8])]
  package var problems: [SceneProblem]
}

/// Reads the card files of SAP's AR annotations: the flat array of cards that an app ships, and the scene that the
/// service delivers (SAP cloud-sdk-ios-fiori-ar: `StringIdentifyingCardItem`, `GET /scene`).
///
/// Neither holds the anchor's picture: the array leaves it to the app, the service delivers it as a file of its own. So
/// the picture is taken from the caller, or from a file beside the JSON that has the name or id the scene gives.
package struct SceneImporter {
  package typealias Options = SceneImportOptions

  private var draft: ImportDraft

  /// Reads a file; never throws: what is wrong is in `problems`.
  package static func read(file path: String, options: Options = Options()) -> SceneImport {
    var importer = SceneImporter(draft: ImportDraft(path: path, options: options))
    let scene = importer.run()
    let draft = importer.draft
    return SceneImport(
      scene: draft.reader.hasErrors ? nil : scene, pictures: draft.pictures,
      problems: SceneReport(scene: nil, problems: draft.reader.problems).problems)
  }

  private mutating func run() -> Scene? {
    let start = SourceMark(line: 0, column: 0)
    let suffix = (draft.path as NSString).pathExtension.lowercased()
    if ["usdz", "reality", "rcproject"].contains(suffix) {
      draft.reader.report(
        start, "", "notASceneFile",
        "\(suffix == "usdz" ? "USDZ" : "Reality") files hold 3D models for Apple's RealityKit, not cards",
        hint: "export the cards of the scene as JSON and import that file")
      return nil
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(draft.path, limit: SceneLimits.importBytes)
    } catch {
      if error.code == .tooLarge {
        draft.reader.report(
          start, "", "tooLarge", "the file is larger than \(SceneLimits.importBytes >> 20) MiB",
          hint: "save its pictures smaller")
      } else {
        draft.reader.report(
          start, "", "cannotOpen", "the file cannot be read", hint: "check its path and its permissions")
      }
      return nil
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      draft.reader.report(
        start, "", "notASceneFile", "the file is an archive (USDZ files are)", hint: "import the cards as JSON")
      return nil
    }
    do throws(SourceSyntaxError) {
      let root = try SourceNode.json(bytes)
      switch root.value {
      case .list(let nodes):
        var file = CardListFile(draft: draft)
        defer { draft = file.draft }
        return file.scene(nodes, root)
      case .map:
        var file = ServiceSceneFile(draft: draft)
        defer { draft = file.draft }
        return file.scene(root)
      default:
        draft.reader.wrongType(root, "", wanted: "a list of cards or a scene of the service")
        return nil
      }
    } catch {
      draft.reader.report(error.mark, "", error.code, error.message, hint: error.hint)
      return nil
    }
  }
}
