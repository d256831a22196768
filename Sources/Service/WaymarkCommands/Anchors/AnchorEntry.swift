import FoundationEssentials
import WaymarkAnchors
import WaymarkConfiguration
import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// A picture from which to compile an anchor. `AnchorCompilation` below compiles anchors from such pictures.
struct AnchorEntry: Sendable {
  var name: String
  var file: String
  /// The width of the print, in metres.
  var physicalWidth: Double?
  /// The radius of the cylinder that the picture is wrapped round, in metres; `nil` for a flat picture.
  var radius: Double?

  /// Returns the pictures of folders, files and manifests, in order.
  ///
  /// The pictures of a folder are sorted by name. A manifest is a YAML or JSON file with a list of entries, or a map with
  /// such a list under `anchors`. An entry has the key `image`, and optionally `name`, `physicalWidth` and `radius`; its
  /// path is relative to the manifest.
  ///
  /// - Parameters:
  ///   - physicalWidth: the width of the prints in metres, unless an entry has its own.
  ///   - radius: the radius of their cylinders in metres, unless an entry has its own.
  /// - Throws: `AnchorError` if a path does not exist, a manifest is invalid, or a size is impossible.
  static func collect(_ sources: [String], physicalWidth: Double? = nil, radius: Double? = nil) throws -> [AnchorEntry]
  {
    let entries = try sources.flatMap { source -> [AnchorEntry] in
      let lower = source.lowercased()
      var isFolder = false
      guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder) else {
        throw AnchorError(.cannotOpen, "There is no \"\(source)\".", hint: "Check the path.")
      }
      if !isFolder, lower.hasSuffix(".yaml") || lower.hasSuffix(".yml") || lower.hasSuffix(".json") {
        return try manifest(source, physicalWidth, radius)
      }
      if isFolder {
        return ScanInput.expand([source]).map {
          AnchorEntry(name: stem($0.name), file: $0.name, physicalWidth: physicalWidth, radius: radius)
        }.filter { isPicture($0.file) }
      }
      return [AnchorEntry(name: stem(source), file: source, physicalWidth: physicalWidth, radius: radius)]
    }
    for entry in entries { try checkRadius(entry) }
    return entries
  }

  /// Throws if the radius of an entry is out of range or so small that the picture would wrap round the cylinder more than once, or
  /// if the entry has no physical width, without which a cylinder has no pose.
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

  /// Returns a file's name without folder and extension.
  static func stem(_ path: String) -> String { path.deletingPathExtension.lastPathComponent }

  private static func isPicture(_ path: String) -> Bool {
    PictureFormat.endings.union(ConvertedFormat.endings).contains(path.pathExtension.lowercased())
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

  /// Returns the entries of a manifest: a list, or the list under `anchors`.
  private static func listed(in path: String) throws -> [SourceNode] {
    let root: SourceNode?
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try WholeFile.read(path, limit: 16 << 20)
    } catch {
      throw badManifest(path, error.message)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw badManifest(path, "it is not UTF-8") }
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

// MARK: - Compiling

/// Compiles pictures on several threads, with a progress bar.
enum AnchorCompilation {
  /// Compiles the entries on `jobs` threads, and delivers the anchors in order; pictures that cannot be used are reported
  /// and skipped.
  ///
  /// - Parameters:
  ///   - features: the greatest number of features of an anchor; `nil` to choose it by the size of the library.
  ///   - others: the number of anchors of the library in addition to the entries.
  ///   - parts: the anchors of an interrupted build, which are not compiled again, and the store for the anchors of this build; `nil`
  ///   to keep no parts.
  ///   - tried: true to test how well the detector finds each anchor, which takes five times as long.
  /// - Returns: the anchors, the names of anchors that were not compiled again, and the worst status of the skipped pictures.
  static func run(
    _ entries: [AnchorEntry], jobs: Int, features: Int? = nil, beside others: Int = 0, parts: PartialBuild? = nil,
    tried: Bool = false
  ) -> (anchors: [CompiledAnchor], reused: Set<String>, status: ExitStatus) {
    var settings = AnchorCompiler.Settings(anchors: entries.count + others)
    if let features { settings.limit = features }
    var anchors: [CompiledAnchor] = []
    var status = ExitStatus.success
    var failures = 0
    var reused: Set<String> = []
    let known = parts?.known
    var progress = ProgressBar(total: entries.count)
    OrderedTasks.run(
      entries, jobs: jobs,
      worker: { [settings] in
        let compiler = AnchorCompiler(settings: settings)
        let trial = tried ? RecallTest() : nil
        return { (entry: AnchorEntry) -> Result<(anchor: CompiledAnchor, isNew: Bool), any Error> in
          Result {
            let picture = try PictureDecoder().gray(
              PictureConverter().pages(of: PictureFile.read(entry.file), keepsColour: false).page(1)
            ).image
            if let known, let reference = try? AnchorCompiler.reference(name: entry.name, picture: picture),
              var anchor = known(
                entry.name, AnchorCompiler.detail(of: picture, reference: reference, settings) ?? reference, settings)
            {
              anchor.physicalWidth = entry.physicalWidth
              anchor.radius = entry.radius
              return (anchor, false)
            }
            var anchor = try compiler.compile(
              name: entry.name, physicalWidth: entry.physicalWidth, picture: picture)
            anchor.radius = entry.radius
            if let trial { try trial.judge(&anchor) } else { try AnchorCompiler.check(anchor) }
            return (anchor, true)
          }
        }
      },
      deliver: { result in
        switch result {
        case .success((let anchor, let isNew)):
          if isNew { parts?.keep(anchor) } else { reused.insert(anchor.name) }
          if anchor.reasons.contains(.edgesOnly), !tried {
            progress?.clear()
            let file = entries[anchors.count + failures].file
            Output.diagnostic("waymark: \(file): \(AnchorQuality.Reason.edgesOnly.text)")
          }
          anchors.append(anchor)
        case .failure(let error):
          progress?.clear()
          let entry = entries[anchors.count + failures]
          failures += 1
          if let explained = error as? any CommandError {
            Output.diagnostic("waymark: \(entry.file): \(explained.message)\n  \(explained.hint)")
            status = max(status, explained.exitStatus)
          } else {
            Output.diagnostic("waymark: \(entry.file): \(error)")
            status = max(status, .badData)
          }
        }
        progress?.advance()
        return true
      })
    progress?.clear()
    return (anchors, reused, status)
  }
}
