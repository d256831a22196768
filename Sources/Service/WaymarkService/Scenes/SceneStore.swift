import Foundation
import WaymarkAnchors
import WaymarkImage
import WaymarkProtocol
import WaymarkScenes
import WaymarkServer
import WaymarkSystem
import WaymarkWorker

/// A scene that can be used.
struct LoadedScene: Sendable {
  var name: String
  var folder: SceneFolder
  var scene: Scene
  /// Its pictures; `nil` where it has codes alone.
  var library: AnchorLibrary?
  /// The key of the source of each picture, in the order of the library.
  var keys: [String]
  var stamp: SceneFingerprint
  /// The loader's warnings.
  var warnings: [String]

  /// How many copies of each picture are followed.
  var copies: AnchorCopies {
    AnchorCopies(
      named: Dictionary(scene.anchors.lazy.filter { $0.copies > 1 }.map { ($0.name, $0.copies) }) { first, _ in first })
  }

  /// Its anchors that are codes.
  var codes: [AnchorCode] {
    scene.anchors.compactMap { anchor in
      anchor.code.map { AnchorCode(anchor: anchor.name, code: $0, physicalWidth: anchor.physicalWidth) }
    }
  }
}

/// Why a scene cannot be used.
struct SceneFailure: Error, Sendable {
  var code: String
  var message: String
  var hint: String
  var problems: [String]
}

/// Reads scenes and compiles their anchors, with a cache of compiled anchors.
struct SceneStore: Sendable {
  private let cache: SceneCache
  private let isolation: Isolation

  /// - Parameters:
  ///   - cache: where compiled anchors are kept; a place of the system's choice when missing.
  ///   - isolation: where the anchors' pictures are decoded.
  init(cache: String?, isolation: Isolation) {
    self.isolation = isolation
    let environment = ProcessInfo.processInfo.environment
    let base =
      environment["CACHE_DIRECTORY"].map { String($0.prefix { $0 != ":" }) }
      ?? environment["XDG_CACHE_HOME"].map { "\($0)/waymark" } ?? environment["HOME"].map { "\($0)/.cache/waymark" }
      ?? "\(FileManager.default.temporaryDirectory.path)/waymark-\(geteuid())"
    self.cache = SceneCache(folder: cache ?? "\(base)/scenes")
  }

  /// Reads a scene; takes its time. Anchors that were compiled before, for this scene or the one in use, are not compiled
  /// again.
  func load(
    _ entry: SceneCatalog.Entry, previous: LoadedScene?, progress: (_ done: Int, _ total: Int) -> Void
  ) -> Result<LoadedScene, SceneFailure> {
    guard let folder = SceneFolder(entry.path) else {
      return .failure(failure(entry.name, [], "its folder was removed", code: "notFound"))
    }
    // Taken before what they tell of is read: what changes meanwhile is seen as a change afterwards.
    let before = SceneFingerprint(folder: folder, scene: nil)
    let report = SceneLoader.load(folder: entry.path)
    var problems = report.problems.map(\.description)
    guard let scene = report.scene else {
      let count = report.errors.count + report.omitted
      return .failure(
        failure(entry.name, problems, "it has \(count) \(count == 1 ? "error" : "errors")", code: "badScene"))
    }
    let stamp = SceneFingerprint(folder: folder, scene: scene)
    do throws(SceneFailure) {
      let (library, keys) = try library(
        scene, folder, previous, entry.name, warn: { problems.append($0) }, progress)
      guard before == SceneFingerprint(folder: folder, scene: nil) else {
        throw failure(entry.name, [], "its files changed while they were read", code: "badScene")
      }
      return .success(
        LoadedScene(
          name: entry.name, folder: folder, scene: scene, library: library, keys: keys,
          stamp: stamp, warnings: problems))
    } catch {
      return .failure(error)
    }
  }

  private func failure(_ name: String, _ problems: [String], _ what: String, code: String) -> SceneFailure {
    SceneFailure(
      code: code, message: "The scene \"\(name)\" cannot be used: \(what).",
      hint: "Run waymark scene check to list every problem.", problems: problems)
  }

  private func library(
    _ scene: Scene, _ folder: SceneFolder, _ previous: LoadedScene?, _ name: String, warn: (String) -> Void,
    _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws(SceneFailure) -> (AnchorLibrary?, [String]) {
    func file(_ anchor: SceneAnchor) throws(SceneFailure) -> [UInt8] {
      let image = anchor.image ?? ""
      guard let path = folder.resolved(image),
        let bytes = try? WholeFile.read(path, limit: SceneLimits.pictureBytes)
      else {
        throw failure(name, [], "the picture \(image) is gone", code: "badScene")
      }
      return bytes
    }
    let anchors = scene.pictures
    guard !anchors.isEmpty else { return (nil, []) }
    // One at a time, and those that are to be compiled once more: together they may be larger than the memory.
    var keys: [String] = []
    for anchor in anchors { keys.append(Self.key(anchor, try file(anchor))) }
    if let previous, previous.keys == keys, previous.library?.failure == nil { return (previous.library, keys) }
    let entry = Self.hash("twins\u{0}\(keys.joined())".utf8)
    if let library = cache.library(entry, warn: warn), library.references.map(\.name) == anchors.map(\.name) {
      return (library, keys)
    }
    var compiled: [CompiledAnchor] = []
    var compiler: AnchorCompiler?
    for (index, anchor) in anchors.enumerated() {
      progress(index, anchors.count)
      if let previous, let library = previous.library, let old = previous.keys.firstIndex(of: keys[index]) {
        // An anchor damaged since is compiled again.
        if let known = try? library.compiled(old) {
          compiled.append(known)
          continue
        }
      }
      let bytes = try file(anchor)
      guard Self.key(anchor, bytes) == keys[index] else {
        throw failure(name, [], "its files changed while they were read", code: "badScene")
      }
      let picture = try self.picture(bytes, anchor, name)
      let tool = compiler ?? AnchorCompiler(settings: AnchorCompiler.Settings(anchors: anchors.count))
      compiler = tool
      var made: CompiledAnchor
      do throws(AnchorError) {
        made = try tool.compile(name: anchor.name, physicalWidth: anchor.physicalWidth, picture: picture)
      } catch {
        throw failure(
          name, ["\(anchor.image ?? ""): error: \(anchor.name): \(error.message) (\(error.hint))"],
          "the picture \(anchor.image ?? "") cannot be used", code: "badScene")
      }
      made.radius = anchor.radius
      compiled.append(made)
    }
    progress(anchors.count, anchors.count)
    return (try write(compiled, as: entry, name), keys)
  }

  /// The picture in gray.
  private func picture(_ file: [UInt8], _ anchor: SceneAnchor, _ name: String) throws(SceneFailure) -> GrayImage {
    do {
      let image = try isolation.gray(file)
      let (long, short) = (max(image.width, image.height), min(image.width, image.height))
      guard 10 * short >= long, long >= 120 else {
        throw ImageError(
          .unsupportedVariant, "It is too small or too narrow to be found (\(image.width)×\(image.height)).",
          hint: "Take a picture of at least 120 pixels that is not ten times as long as wide.")
      }
      return image
    } catch {
      let told = (error as? any Replyable)?.reply
      let why = told.map { "\($0.message) (\($0.hint))" } ?? "\(error)"
      let image = anchor.image ?? ""
      throw failure(
        name, ["\(image): error: \(anchor.name): \(why)"], "the picture \(image) cannot be used", code: "badScene")
    }
  }

  private func write(
    _ anchors: [CompiledAnchor], as entry: String, _ name: String
  ) throws(SceneFailure) -> AnchorLibrary {
    do throws(AnchorError) {
      let bytes = try LibraryWriter.bytesWithTwins(of: anchors)
      do throws(AnchorError) {
        return try cache.keep(bytes, as: entry)
      } catch {
        // No cache is not a reason not to work: the open file lives on without its name.
        let temporary = FileManager.default.temporaryDirectory.appending(path: "waymark-\(UUID().uuidString).anchors")
          .path
        try LibraryWriter.write(bytes, to: temporary)
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        return try AnchorLibrary(path: temporary)
      }
    } catch {
      throw failure(name, [error.message], "its anchors cannot be compiled", code: "badScene")
    }
  }

  private static func key(_ anchor: SceneAnchor, _ picture: [UInt8]) -> String {
    let round = anchor.radius.map { "\($0)\u{0}" } ?? ""
    return hash("\(anchor.name)\u{0}\(anchor.physicalWidth ?? 0)\u{0}\(round)".utf8) + hash(picture)
  }

  /// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) of 64 bits: tells files apart, guards against nothing.
  private static func hash(_ bytes: some Sequence<UInt8>) -> String {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return value.digits(16, radix: 16)
  }
}
