import Foundation
import WaymarkConfiguration
import WaymarkSystem

/// A scene on its way out of a foreign file: what was read and complained about, its pictures, and the ids in use.
struct ImportDraft {
  /// The file.
  let path: String
  let options: SceneImportOptions
  /// Reads values and keeps the problems.
  var reader: SceneReader
  private(set) var pictures: [(path: String, bytes: [UInt8])] = []
  private var usedNames: Set<String> = []
  private var ids: [String: SourceMark] = [:]

  init(path: String, options: SceneImportOptions) {
    self.path = path
    self.options = options
    reader = SceneReader(file: path)
  }

  /// Notes the id of an annotation, and complains about one that is used already.
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
