import Foundation
import WaymarkAnchors
import WaymarkGeometry
import WaymarkImage
import WaymarkSystem
import Yams

/// One picture that is to become an anchor.
struct AnchorEntry: Sendable {
  var name: String
  var file: String
  /// Metres.
  var physicalWidth: Double?
  /// Of the cylinder that the picture is wrapped round, in metres; `nil`: it is flat.
  var radius: Double?

  /// The pictures of folders, files and manifests, in order.
  ///
  /// A folder gives its pictures by name. A manifest is a YAML or JSON file: a list, or a map with a list under `anchors`,
  /// of entries with `image`, and optionally `name`, `physicalWidth` and `radius`; paths are relative to it.
  static func collect(_ sources: [String], physicalWidth: Double? = nil, radius: Double? = nil) throws -> [AnchorEntry]
  {
    let entries = try sources.flatMap { source -> [AnchorEntry] in
      let lower = source.lowercased()
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) else {
        throw AnchorError(.cannotOpen, "There is no \"\(source)\".", hint: "Check the path.")
      }
      if !isFolder.boolValue, lower.hasSuffix(".yaml") || lower.hasSuffix(".yml") || lower.hasSuffix(".json") {
        return try manifest(source, physicalWidth, radius)
      }
      if isFolder.boolValue {
        return ScanInput.expand([source]).map {
          AnchorEntry(name: stem($0.name), file: $0.name, physicalWidth: physicalWidth, radius: radius)
        }.filter { isPicture($0.file) }
      }
      return [AnchorEntry(name: stem(source), file: source, physicalWidth: physicalWidth, radius: radius)]
    }
    for entry in entries { try checkRadius(entry) }
    return entries
  }

  /// A round thing has no pose without a width, and no place without a pose; and a picture goes round it once at most.
  private static func checkRadius(_ entry: AnchorEntry) throws {
    guard let radius = entry.radius else { return }
    guard radius > 0, radius <= 100 else {
      throw AnchorError(
        .unusablePicture, "The radius of \"\(entry.file)\" is \(radius).", hint: "Use metres, greater than 0.")
    }
    guard let width = entry.physicalWidth else {
      throw AnchorError(
        .unusablePicture, "\"\(entry.file)\" has a radius but no physicalWidth.",
        hint: "Add the width of the picture, measured round the object, in metres.")
    }
    guard CylinderMap.fits(width: width, radius: radius) else {
      throw AnchorError(
        .unusablePicture, "\"\(entry.file)\" is \(width) m wide and goes more than once round a radius of \(radius) m.",
        hint: "Use metres for both; the radius is half of the diameter.")
    }
  }

  /// A file's name without folder and extension.
  static func stem(_ path: String) -> String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }

  private static func isPicture(_ path: String) -> Bool {
    let known: Set = ["jpg", "jpeg", "png", "webp", "pgm", "ppm", "pbm", "pnm"]
    return known.contains(URL(fileURLWithPath: path).pathExtension.lowercased())
  }

  private struct Manifest: Decodable {
    struct Entry: Decodable {
      var name: String?
      var image: String
      var physicalWidth: Double?
      var radius: Double?
    }
    var anchors: [Entry]
  }

  private static func manifest(
    _ path: String, _ physicalWidth: Double?, _ radius: Double?
  ) throws -> [AnchorEntry] {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let entries: [Manifest.Entry]
    do {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let decoder = YAMLDecoder()
      if let map = try? decoder.decode(Manifest.self, from: text) {
        entries = map.anchors
      } else {
        entries = try decoder.decode([Manifest.Entry].self, from: text)
      }
    } catch {
      throw AnchorError(
        .unusablePicture, "\"\(path)\" is not a list of anchors: \(error)",
        hint: "Write a list of entries with image, and optionally name, physicalWidth and radius.")
    }
    return try entries.map { entry in
      if let w = entry.physicalWidth, !(w > 0 && w.isFinite) {
        throw AnchorError(
          .unusablePicture, "The physicalWidth of \"\(entry.image)\" is \(w).",
          hint: "Use metres, greater than 0.")
      }
      let file = entry.image.hasPrefix("/") ? entry.image : folder.appendingPathComponent(entry.image).path
      return AnchorEntry(
        name: entry.name ?? stem(entry.image), file: file, physicalWidth: entry.physicalWidth ?? physicalWidth,
        radius: entry.radius ?? radius)
    }
  }
}
