import Foundation
import WaymarkAnchors
import WaymarkConfiguration
import WaymarkImage
import WaymarkSystem

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
    PictureFormat.endings.union(ConvertedFormat.endings).contains(URL(fileURLWithPath: path).pathExtension.lowercased())
  }

  private static func manifest(
    _ path: String, _ physicalWidth: Double?, _ radius: Double?
  ) throws -> [AnchorEntry] {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    return try listed(in: path).map { node in
      guard let image = node["image"]?.string, !image.isEmpty else {
        throw badManifest(path, "an entry in line \(node.mark.line) has no image")
      }
      func number(_ key: String) throws -> Double? {
        guard let field = node[key], !field.isNull else { return nil }
        guard let number = field.string.flatMap({ Double($0) }) else {
          throw badManifest(path, "\(key) in line \(field.mark.line) is not a number")
        }
        return number
      }
      let (own, ownRadius) = (try number("physicalWidth"), try number("radius"))
      if let w = own, !(w > 0 && w.isFinite) {
        throw AnchorError(
          .unusablePicture, "The physicalWidth of \"\(image)\" is \(w).", hint: "Give the width in metres, above 0.")
      }
      let file = image.hasPrefix("/") ? image : folder.appendingPathComponent(image).path
      return AnchorEntry(
        name: node["name"]?.string ?? stem(image), file: file, physicalWidth: own ?? physicalWidth,
        radius: ownRadius ?? radius)
    }
  }

  /// The entries of a manifest: those of a list, or of a list under `anchors`.
  private static func listed(in path: String) throws -> [SourceNode] {
    let root: SourceNode?
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw badManifest(path, error.localizedDescription)
    }
    do throws(SourceSyntaxError) {
      root = try YAMLSource.parse(text)
    } catch {
      throw badManifest(path, "line \(error.mark.line): \(error.problem)")
    }
    guard let list = root?["anchors"] ?? root, case .list(let nodes) = list.value else {
      throw badManifest(path, "there is no list in it")
    }
    return nodes
  }

  private static func badManifest(_ path: String, _ cause: String) -> AnchorError {
    AnchorError(
      .unusablePicture, "\"\(path)\" is not a list of anchors: \(cause)",
      hint: "Write a list of entries with image, and optionally name, physicalWidth and radius.")
  }
}
