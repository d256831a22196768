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
  /// The caller's additions to the file.
  package struct Options: Sendable {
    /// Path of the anchor's picture.
    package var anchorImage: String?
    /// Width of the printed picture in metres; the file's own width where it gives one.
    package var physicalWidth: Double?
    /// The scene's name; the file's alias or stem by default.
    package var name: String?

    package init(anchorImage: String? = nil, physicalWidth: Double? = nil, name: String? = nil) {
      self.anchorImage = anchorImage
      self.physicalWidth = physicalWidth
      self.name = name
    }
  }

  let path: String
  let options: Options
  var reader: SceneReader
  var pictures: [(path: String, bytes: [UInt8])] = []
  private var usedNames: Set<String> = []
  private var ids: [String: SourceMark] = [:]

  private init(path: String, options: Options) {
    self.path = path
    self.options = options
    reader = SceneReader(file: path)
  }

  /// Reads a file; never throws: what is wrong is in `problems`.
  package static func read(file path: String, options: Options = Options()) -> SceneImport {
    var importer = SceneImporter(path: path, options: options)
    let scene = importer.run()
    return SceneImport(
      scene: importer.reader.hasErrors ? nil : scene, pictures: importer.pictures,
      problems: SceneReport(scene: nil, problems: importer.reader.problems).problems)
  }

  private mutating func run() -> Scene? {
    let start = SourceMark(line: 0, column: 0)
    let suffix = (path as NSString).pathExtension.lowercased()
    if ["usdz", "reality", "rcproject"].contains(suffix) {
      reader.report(
        start, "", "notASceneFile",
        "\(suffix == "usdz" ? "USDZ" : "Reality") files hold 3D models for Apple's RealityKit, not cards",
        hint: "export the cards of the scene as JSON and import that file")
      return nil
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(path, limit: SceneLimits.importBytes)
    } catch {
      if error.code == .tooLarge {
        reader.report(
          start, "", "tooLarge", "the file is larger than \(SceneLimits.importBytes >> 20) MiB",
          hint: "save its pictures smaller")
      } else {
        reader.report(start, "", "cannotOpen", "the file cannot be read", hint: "check its path and its permissions")
      }
      return nil
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      reader.report(
        start, "", "notASceneFile", "the file is an archive (USDZ files are)", hint: "import the cards as JSON")
      return nil
    }
    do throws(SourceSyntaxError) {
      let root = try SourceNode.json(bytes)
      switch root.value {
      case .list(let nodes): return cardList(nodes, root)
      case .map: return serviceScene(root)
      default:
        reader.wrongType(root, "", wanted: "a list of cards or a scene of the service")
        return nil
      }
    } catch {
      reader.report(error.mark, "", error.code, error.message, hint: error.hint)
      return nil
    }
  }

  /// The annotation of a card, once its id is known to be new.
  mutating func unique(_ id: String, _ mark: SourceMark, _ field: String) {
    if let first = ids[id] {
      reader.report(
        mark, field, "duplicateID", "'\(id.prefix(40))' is already used in line \(first.line)",
        hint: "use an id that occurs once")
    }
    ids[id] = mark
  }

  func tooMany(_ count: Int) -> Bool { count > SceneLimits.annotations }

  mutating func reportTooMany(_ count: Int, _ mark: SourceMark, _ field: String) {
    reader.report(
      mark, field, "tooManyAnnotations", "\(count) annotations; a scene holds at most \(SceneLimits.annotations)",
      hint: "split the file")
  }

  /// The anchor's picture: the caller's, or one beside the file under one of the names. Without any, the scene is made
  /// anyway, with a place for the picture, and a warning says so.
  mutating func anchorImage(named names: [String], _ mark: SourceMark, _ field: String) -> String {
    if let given = options.anchorImage {
      guard let bytes = try? WholeFile.read(given, limit: SceneLimits.pictureBytes), let kind = PictureKind(of: bytes)
      else {
        reader.report(
          SourceMark(line: 0, column: 0), "", "badPicture", "'\(given)' is not a readable picture",
          hint: "name a JPEG, PNG, WebP, BMP, GIF or PNM picture")
        return "anchor.png"
      }
      return add(bytes, stem: ((given as NSString).lastPathComponent as NSString).deletingPathExtension, kind)
    }
    if let beside = pictureBeside(names) { return beside }
    reader.warn(
      mark, field, "missingPicture", "the file does not hold the anchor's picture",
      hint: "put it into the new folder as anchor.png, or name it with --anchor-image")
    return "anchor.png"
  }

  /// A picture file beside the JSON, by its name or id, with or without a suffix.
  mutating func pictureBeside(_ names: [String]) -> String? {
    guard let folder = SceneFolder((path as NSString).deletingLastPathComponent.nonEmpty ?? ".") else { return nil }
    for name in names {
      for suffix in ["", ".png", ".jpg", ".jpeg", ".webp"] {
        guard let found = try? folder.picture(name + suffix),
          let bytes = try? WholeFile.read(found, limit: SceneLimits.pictureBytes), let kind = PictureKind(of: bytes)
        else { continue }
        return add(bytes, stem: (name as NSString).deletingPathExtension.nonEmpty ?? name, kind)
      }
    }
    return nil
  }

  /// Unpacks a picture in base64, plain or as a data URL (RFC 2397).
  mutating func unpack(_ text: String, stem: String, _ mark: SourceMark, _ field: String) -> String? {
    var body = Substring(text)
    if body.hasPrefix("data:"), let comma = body.firstIndex(of: ",") { body = body[body.index(after: comma)...] }
    guard let data = Data(base64Encoded: String(body), options: .ignoreUnknownCharacters), !data.isEmpty else {
      reader.report(mark, field, "badBase64", "the picture is not base64", hint: "encode the picture's file as base64")
      return nil
    }
    guard let kind = PictureKind(of: data) else {
      reader.report(
        mark, field, "badPicture", "the picture is neither JPEG, PNG, WebP, BMP, GIF nor PNM",
        hint: "encode one of these")
      return nil
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
    // Without regard to case: the folder may end up on a file system that does not tell.
    while !usedNames.insert("\(unique).\(kind.rawValue)".lowercased()).inserted {
      unique = "\(name)-\(number)"
      number += 1
    }
    pictures.append((path: "\(unique).\(kind.rawValue)", bytes: bytes))
    return "\(unique).\(kind.rawValue)"
  }

  /// The file's name without its suffix.
  var stem: String { ((path as NSString).lastPathComponent as NSString).deletingPathExtension }
}

extension String {
  var nonEmpty: String? { isEmpty ? nil : self }
}
