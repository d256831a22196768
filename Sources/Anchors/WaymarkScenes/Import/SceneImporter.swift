import FoundationEssentials
import WaymarkConfiguration
import WaymarkSystem

/// The state of an import by `SceneImporter`: the problems so far, the pictures to write, and the ids in use.
/// `SceneImporter`, its options and its result are below.
struct ImportDraft {
  let path: String
  let options: SceneImportOptions
  var reader: SceneReader
  private(set) var pictures: [(path: String, bytes: [UInt8])] = []
  private var usedNames: Set<String> = []
  private var ids: [String: SourceMark] = [:]

  init(path: String, options: SceneImportOptions) {
    self.path = path
    self.options = options
    reader = SceneReader(file: path)
  }

  /// Records the id of an annotation, and reports a duplicate.
  mutating func unique(_ id: String, _ mark: SourceMark, _ field: String) {
    if let first = ids[id] {
      reader.report(
        mark, field, "duplicateID", "'\(id.prefix(40))' is already used in line \(first.line)",
        hint: "use an id that occurs once")
    }
    ids[id] = mark
  }

  mutating func refuseTooMany(_ count: Int, _ mark: SourceMark, _ field: String) -> Scene? {
    reader.refuse(
      mark, field, "tooManyAnnotations", "\(count) annotations; a scene holds at most \(SceneLimits.annotations)",
      hint: "split the file")
  }

  /// Returns the path of the anchor's picture: the caller's path, or a file beside the card file with one of the names. Without a
  /// picture, the scene is still created, with a path for the picture and a warning.
  mutating func anchorImage(named names: [String], _ mark: SourceMark, _ field: String) -> String {
    if let given = options.anchorImage {
      guard let bytes = try? WholeFile.read(given, limit: SceneLimits.pictureBytes), let kind = PictureKind(of: bytes)
      else {
        reader.report(
          SourceMark(line: 0, column: 0), "", "badPicture", "'\(given)' is not a readable picture",
          hint: "name a JPEG, PNG, WebP, BMP, GIF or PNM picture")
        return "anchor.png"
      }
      return add(bytes, stem: given.lastPathComponent.deletingPathExtension, kind)
    }
    if let beside = pictureBeside(names) { return beside }
    reader.warn(
      mark, field, "missingPicture", "the file does not hold the anchor's picture",
      hint: "put it into the new folder as anchor.png, or name it with --anchor-image")
    return "anchor.png"
  }

  /// Adds the first picture file beside the card file that has one of the names, with or without an extension, and
  /// returns its path in the scene; `nil` without such a file.
  mutating func pictureBeside(_ names: [String]) -> String? {
    guard let folder = SceneFolder(path.deletingLastPathComponent.nonEmpty ?? ".") else { return nil }
    for name in names {
      for suffix in ["", ".png", ".jpg", ".jpeg", ".webp"] {
        guard let found = try? folder.picture(name + suffix),
          let bytes = try? WholeFile.read(found, limit: SceneLimits.pictureBytes), let kind = PictureKind(of: bytes)
        else { continue }
        return add(bytes, stem: name.deletingPathExtension.nonEmpty ?? name, kind)
      }
    }
    return nil
  }

  /// Decodes a picture in base64, plain or as a data URL (RFC 2397), and returns its path in the scene; `nil` if the data are
  /// invalid and therefore reported.
  mutating func unpack(_ text: String, stem: String, _ mark: SourceMark, _ field: String) -> String? {
    var body = Substring(text)
    if body.hasPrefix("data:"), let comma = body.firstIndex(of: ",") { body = body[body.index(after: comma)...] }
    guard let data = Data(base64Encoded: String(body), options: .ignoreUnknownCharacters), !data.isEmpty else {
      return reader.refuse(
        mark, field, "badBase64", "the picture is not base64", hint: "encode the picture's file as base64")
    }
    guard let kind = PictureKind(of: data) else {
      return reader.refuse(
        mark, field, "badPicture", "the picture is neither JPEG, PNG, WebP, BMP, GIF nor PNM",
        hint: "encode one of these")
    }
    return add([UInt8](data), stem: stem, kind)
  }

  private mutating func add(_ bytes: [UInt8], stem: String, _ kind: PictureKind) -> String {
    var name = String(
      stem.unicodeScalars.prefix(48).map { scalar -> Character in
        let plain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        return plain || scalar == "-" || scalar == "_" ? Character(scalar) : "-"
      })
    if name.isEmpty || name.hasPrefix("-") { name = "picture\(name)" }
    var unique = name
    var number = 2
    // Names are compared case-insensitively, because the folder may be copied to a case-insensitive file system.
    while !usedNames.insert("\(unique).\(kind.rawValue)".lowercased()).inserted {
      unique = "\(name)-\(number)"
      number += 1
    }
    pictures.append((path: "\(unique).\(kind.rawValue)", bytes: bytes))
    return "\(unique).\(kind.rawValue)"
  }

  var stem: String { path.lastPathComponent.deletingPathExtension }
}

/// The caller's additions to a card file.
package struct SceneImportOptions: Sendable {
  /// The path of the anchor's picture; `nil`: a file beside the card file.
  package var anchorImage: String?
  /// The width of the printed picture in metres; `nil` to use the width in the file, if it has one.
  package var physicalWidth: Double?
  /// The scene's name; the file's alias or stem by default.
  package var name: String?

  package init(anchorImage: String? = nil, physicalWidth: Double? = nil, name: String? = nil) {
    self.anchorImage = anchorImage
    self.physicalWidth = physicalWidth
    self.name = name
  }
}

extension String {
  var nonEmpty: String? { isEmpty ? nil : self }
}

/// A scene made from a card file, its pictures, and the problems found.
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
/// Neither contains the anchor's picture: an app with an array also contains the picture, and the service sends the picture as a
/// separate file. So the caller gives the picture, or it is a file beside the JSON file with the name or id from the scene.
package enum SceneImporter {
  /// Reads a card file and the pictures beside it.
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
