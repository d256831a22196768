import WaymarkConfiguration
import WaymarkSystem

/// The sources and result of an import.
package struct SceneImport: Sendable {
  /// The scene; `nil` if there are errors.
  package var scene: Scene?
  /// The pictures to write beside the scene: path relative to the folder, and bytes.
  package var pictures: [(path: String, bytes: [UInt8])]
  package var problems: [SceneProblem]
}

/// Reads the card files of SAP's AR annotations: the flat array of cards in an app, and the scene from the service (SAP
/// cloud-sdk-ios-fiori-ar: `StringIdentifyingCardItem`, `GET /scene`).
///
/// Neither contains the anchor's picture: with the array it is in the app, and the service sends it as a separate file. So
/// the picture is given by the caller, or is a file beside the JSON file with the name or id from the scene.
package enum SceneImporter {
  /// Reads a file; its problems are in `problems`.
  package static func read(file path: String, options: SceneImportOptions = SceneImportOptions()) -> SceneImport {
    var draft = ImportDraft(path: path, options: options)
    let scene = draft.scene()
    return SceneImport(
      scene: draft.reader.hasErrors ? nil : scene, pictures: draft.pictures,
      problems: SceneReport(scene: nil, problems: draft.reader.problems).problems)
  }
}

extension ImportDraft {
  fileprivate mutating func scene() -> Scene? {
    let start = SourceMark(line: 0, column: 0)
    let suffix = path.pathExtension.lowercased()
    if ["usdz", "reality", "rcproject"].contains(suffix) {
      return reader.refuse(
        start, "", "notASceneFile",
        "\(suffix == "usdz" ? "USDZ" : "Reality") files hold 3D models for Apple's RealityKit, not cards",
        hint: "export the cards of the scene as JSON and import that file")
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(path, limit: SceneLimits.importBytes)
    } catch {
      if error.code == .tooLarge {
        return reader.refuse(
          start, "", "tooLarge", "the file is larger than \(SceneLimits.importBytes >> 20) MiB",
          hint: "save its pictures smaller")
      }
      return reader.refuse(
        start, "", "cannotOpen", "the file cannot be read", hint: "check its path and its permissions")
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      return reader.refuse(
        start, "", "notASceneFile", "the file is an archive (USDZ files are)", hint: "import the cards as JSON")
    }
    do throws(SourceSyntaxError) {
      let root = try SourceNode.json(bytes)
      switch root.value {
      case .list(let nodes): return cardList(nodes, root)
      case .map: return serviceScene(root)
      default: return reader.wrongType(root, "", wanted: "a list of cards or a scene of the service")
      }
    } catch {
      return reader.refuse(error.mark, "", error.code, error.message, hint: error.hint)
    }
  }
}
