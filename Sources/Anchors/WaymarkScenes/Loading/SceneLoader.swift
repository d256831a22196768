import WaymarkConfiguration

/// Reads a scene from its folder or from memory, with the problems that its author should correct.
package enum SceneLoader {
  /// Reads and checks the scene of a folder.
  package static func load(folder path: String) -> SceneReport {
    func failed(_ file: String, _ code: String, _ message: String, _ hint: String) -> SceneReport {
      SceneReport(
        scene: nil, problems: [SceneProblem(file: file, field: "", code: code, message: message, hint: hint)])
    }
    guard let folder = SceneFolder(path) else {
      return failed(path, "noFolder", "there is no such folder", "name a folder with a scene.yaml in it")
    }
    let files = folder.sceneFiles
    guard let name = files.first else {
      return failed(
        folder.path, "noScene", "the folder has neither scene.yaml nor scene.json", "describe the scene in a scene.yaml"
      )
    }
    let file = "\(folder.path)/\(name)"
    guard files.count == 1 else {
      return failed(
        file, "twoScenes", "the folder has \(files.joined(separator: " and "))", "keep one of them")
    }
    guard let bytes = folder.read(name, limit: SceneLimits.sceneBytes) else {
      return failed(
        file, "unreadable", "the file cannot be read, or is larger than \(SceneLimits.sceneBytes >> 20) MiB",
        "make it a readable file inside the folder")
    }
    return parse(bytes, file: file, isJSON: name.hasSuffix(".json"), folder: folder)
  }

  /// Parses and checks a scene in memory; without a folder, its pictures are not checked.
  package static func parse(_ bytes: [UInt8], file: String, isJSON: Bool, folder: SceneFolder?) -> SceneReport {
    do throws(SourceSyntaxError) {
      let root = try isJSON ? SourceNode.json(bytes) : yaml(bytes)
      let (scene, problems) = SceneParser.parse(root, file: file, folder: folder)
      return SceneReport(scene: scene, problems: problems)
    } catch {
      return SceneReport(
        scene: nil,
        problems: [
          SceneProblem(
            file: file, mark: error.mark, field: "", code: error.code, message: error.message, hint: error.hint)
        ])
    }
  }

  private static func yaml(_ bytes: [UInt8]) throws(SourceSyntaxError) -> SourceNode {
    guard let root = try YAMLSource.parse(utf8(bytes)) else {
      throw SourceSyntaxError(
        mark: SourceMark(line: 1, column: 1), code: "emptyFile", message: "the file is empty",
        hint: "start with 'name:' and 'anchors:'")
    }
    return root
  }

  private static func utf8(_ bytes: [UInt8]) throws(SourceSyntaxError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      let valid = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
      throw SourceSyntaxError(
        mark: SourceMark(line: valid.count(where: \.isNewline) + 1, column: 1), code: "notUTF8",
        message: "the file is not UTF-8", hint: "save it as UTF-8")
    }
    return text
  }
}
